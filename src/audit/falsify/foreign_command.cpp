#include "audit/falsify/foreign_command.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sotto/tokenizer.hpp>

#include "base/file.hpp"
#include "base/message.hpp"

namespace sotto::audit {
namespace {

constexpr std::size_t kLongestLine = 1000;
constexpr std::size_t kMostErrorText = 200;

using Clock = std::chrono::steady_clock;

/// During its lifetime, writing to a pipe without a reader is an error and not a signal, in this thread.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;
  ~NoPipeSignal() {
    const timespec now{};
    while (::sigtimedwait(&pipe_, nullptr, &now) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_;
  sigset_t before_;
};

struct Pipe {
  base::FileDescriptor read;
  base::FileDescriptor write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fail_parameter("command", "", fmt::format("cannot make a pipe: {}", std::strerror(errno)),
                          Errc::io);
  return Pipe{base::FileDescriptor(ends[0]), base::FileDescriptor(ends[1])};
}

/// A running program; on destruction its process group is killed and it is waited for.
class Process {
 public:
  explicit Process(std::string command) : command_(std::move(command)) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (id_ <= 0) return;
    ::kill(-id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }

  Result<void> start(int in, int out) {
    error_ = base::FileDescriptor(::memfd_create("sotto-command", MFD_CLOEXEC));
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (error_.get() >= 0) ::posix_spawn_file_actions_adddup2(&actions, error_.get(), STDERR_FILENO);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t pipe;
    sigemptyset(&none);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &pipe);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    char shell[] = "sh";
    char option[] = "-c";
    char* arguments[] = {shell, option, command_.data(), nullptr};
    const int failed = ::posix_spawn(&id_, "/bin/sh", &actions, &attributes, arguments, environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed == 0) return {};
    id_ = 0;
    return fail_parameter("command", "", fmt::format("cannot run /bin/sh: {}", std::strerror(failed)),
                          Errc::io);
  }

  /// Waits until the program ends; false after the deadline.
  bool ended_before(Clock::time_point deadline, int& status) {
    while (true) {
      const pid_t ended = ::waitpid(id_, &status, WNOHANG);
      if (ended == id_) {
        ::kill(-id_, SIGKILL);  // what it left running
        id_ = 0;
        return true;
      }
      if (Clock::now() > deadline) return false;
      const timespec pause{0, 1'000'000};
      ::nanosleep(&pause, nullptr);
    }
  }

  /// The last line that it wrote to its standard error, for messages.
  std::string last_words() const {
    const off_t size = ::lseek(error_.get(), 0, SEEK_END);
    std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, kMostErrorText)), ' ');
    if (::pread(error_.get(), text.data(), text.size(), size - static_cast<off_t>(text.size())) < 0)
      return {};
    while (!text.empty() && text.back() == '\n') text.pop_back();
    text.erase(0, text.rfind('\n') + 1);
    std::uint64_t replaced = 0;
    return text.empty() ? text : fmt::format(" (it says: {})", replace_invalid_utf8(text, replaced));
  }

 private:
  std::string command_;
  base::FileDescriptor error_;
  pid_t id_ = 0;
};

/// Feeds the program and collects its output concurrently, so that neither waits for the other.
class Conversation {
 public:
  Conversation(std::string_view word, std::size_t count, base::FileDescriptor to, base::FileDescriptor from)
      : line_(std::string(word) + "\n"),
        left_(line_.size() * count),
        most_output_((kLongestLine + 1) * count),
        to_(std::move(to)),
        from_(std::move(from)) {
    ::fcntl(to_.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(from_.get(), F_SETFL, O_NONBLOCK);
    for (std::size_t i = 0; i < kLinesAtOnce; ++i) lines_ += line_;
  }

  enum class End { done, too_late, too_much };

  End run(Clock::time_point deadline) {
    const NoPipeSignal quiet;
    if (left_ == 0) to_.close();
    while (true) {
      const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
      if (rest.count() <= 0) return End::too_late;
      pollfd files[] = {{from_.get(), POLLIN, 0}, {left_ > 0 ? to_.get() : -1, POLLOUT, 0}};
      ::poll(files, 2, static_cast<int>(std::min<std::int64_t>(rest.count(), 1000)));
      if (files[1].revents != 0) write_some();
      if (files[0].revents != 0 && !read_some_more()) return End::done;
      if (output_.size() > most_output_) return End::too_much;
    }
  }

  const std::string& output() const { return output_; }

 private:
  static constexpr std::size_t kLinesAtOnce = 2048;

  void write_some() {
    const std::size_t offset = (line_.size() - left_ % line_.size()) % line_.size();
    const std::size_t size = std::min(lines_.size() - offset, left_);
    const ssize_t put = ::write(to_.get(), lines_.data() + offset, size);
    if (put > 0) left_ -= static_cast<std::size_t>(put);
    // A program need not read to the end, as long as it writes what it should.
    if (put < 0 && errno == EPIPE) left_ = 0;
    if (left_ == 0) to_.close();
  }

  bool read_some_more() {
    char buffer[1 << 16];
    const ssize_t got = ::read(from_.get(), buffer, sizeof buffer);
    if (got > 0) output_.append(buffer, static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
  }

  std::string line_;
  std::string lines_;
  std::size_t left_;  ///< bytes still to write
  std::size_t most_output_;
  base::FileDescriptor to_;
  base::FileDescriptor from_;
  std::string output_;
};

tl::unexpected<Error> wrong(const std::string& command, Errc code, const Message& what) {
  return fail_parameter("command", command, base::format_message("'{}' {}", command, what), code);
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == 127) return "cannot be run: there is no such program";
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

Result<std::vector<std::string>> split_lines(const std::string& command, std::string_view output,
                                             std::size_t count) {
  std::vector<std::string> lines;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool is_text = is_valid_utf8(line) && line.size() <= kLongestLine &&
                         std::none_of(line.begin(), line.end(),
                                      [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7F; });
    if (!is_text)
      return wrong(command, Errc::bad_format,
                   fmt::format("wrote something that is not a word in line {}: it must be UTF-8 without "
                               "control characters, at most {} bytes",
                               lines.size() + 1, kLongestLine));
    lines.emplace_back(line);
  }
  if (lines.size() != count)
    return wrong(
        command, Errc::bad_format,
        fmt::format("wrote {} lines for {} words; it must write one line per word", lines.size(), count));
  return lines;
}

}  // namespace

Result<std::vector<std::string>> run_command(const std::string& command, std::string_view word,
                                             std::size_t count, double timeout) {
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout));
  SOTTO_ASSIGN(Pipe in, make_pipe());
  SOTTO_ASSIGN(Pipe out, make_pipe());
  Process process(command);
  SOTTO_TRY(process.start(in.read.get(), out.write.get()));
  in.read.close();
  out.write.close();
  Conversation conversation(word, count, std::move(in.write), std::move(out.read));
  const Conversation::End end = conversation.run(deadline);
  if (end == Conversation::End::too_much)
    return wrong(command, Errc::bad_format,
                 fmt::format("wrote more than {} bytes for {} words; it must write one line per word",
                             conversation.output().size(), count));
  int status = 0;
  if (end == Conversation::End::too_late || !process.ended_before(deadline, status))
    return wrong(command, Errc::io,
                 base::format_message(
                     "did not end within {:g} seconds for {} words and was stopped; give more {{timeout}} "
                     "or fewer {{draws}}",
                     timeout, count));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return wrong(command, Errc::io, describe_status(status) + process.last_words());
  return split_lines(command, conversation.output(), count);
}

}  // namespace sotto::audit

#include "evaluate/bench/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"

namespace sotto::evaluate {
namespace {

constexpr int kWaitMilliseconds = 100;

/// Kills the child when it goes out of scope, unless it has already ended.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    (void)join();
  }

  /// Waits for the end; returns the status from waitpid().
  int join() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return status;
  }

 private:
  pid_t id_;
};

[[noreturn]] void answer(const std::function<std::string()>& work, int descriptor) {
  int code = 1;
  try {
    code = base::write_all(descriptor, work(), "a pipe") ? 0 : 1;
  } catch (const std::exception&) {  // for example out of memory; the parent reports it
  }
  ::_exit(code);  // the child must not flush the parent's buffers or run its exit handlers
}

Result<std::string> read_answer(int descriptor, const std::function<bool()>& wait) {
  std::string text;
  for (;;) {
    if (!wait()) return fail(Errc::interrupted, "interrupted");
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, kWaitMilliseconds);
    if (ready < 0 && errno != EINTR) return fail(Errc::io, fmt::format("poll: {}", std::strerror(errno)));
    if (ready <= 0) continue;
    char buffer[4096];
    SOTTO_ASSIGN(const std::size_t got, base::read_some(descriptor, buffer, sizeof buffer, "a pipe"));
    if (got == 0) return text;
    text.append(buffer, got);
  }
}

}  // namespace

Result<std::string> compute_in_child(const std::function<std::string()>& work,
                                     const std::function<bool()>& wait) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fail(Errc::io, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const base::FileDescriptor reading(ends[0]);
  base::FileDescriptor writing(ends[1]);
  const pid_t id = ::fork();
  if (id < 0) return fail(Errc::io, fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (id == 0) answer(work, writing.get());
  Child child(id);
  writing.close();
  SOTTO_ASSIGN(std::string text, read_answer(reading.get(), wait));
  const int status = child.join();
  if (WIFSIGNALED(status))
    return fail(Errc::limit, fmt::format("its process was ended by signal {} ({}); is there enough memory?",
                                         WTERMSIG(status), ::strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0) return fail(Errc::limit, "its process failed; is there enough memory?");
  return text;
}

}  // namespace sotto::evaluate

#include "interruption.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <vector>

#include <unistd.h>

#include "last_words.hpp"
#include "message_line.hpp"
#include "shell_words.hpp"
#include "shown_bar.hpp"

namespace sotto::cli {
namespace {

// How long a command may take to end by itself; the rest of the second is for starting late on a busy
// machine.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::time_t kPatienceSeconds = 7;  // instrumented code is ten times slower
constexpr long kPatienceNanoseconds = 0;
#else
constexpr std::time_t kPatienceSeconds = 0;
constexpr long kPatienceNanoseconds = 700'000'000;
#endif

// Read inside signal handlers.
std::atomic<bool> interrupt_requested{false};
std::atomic<bool> has_deadline{false};
std::atomic<bool> last_line_claimed{false};  // by whoever writes it: the command's end, or the deadline
std::atomic<const std::string*> last_line{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<const std::string*>::is_always_lock_free);
timer_t deadline;

std::vector<std::string> command_words;
std::string resuming;  // the command that resumes this one; empty if none does
std::string plain_line, resuming_line;

void write_line(std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(STDERR_FILENO, text.data(), text.size());
    if (put <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

void set_deadline() {
  itimerspec once{};
  once.it_value.tv_sec = kPatienceSeconds;
  once.it_value.tv_nsec = kPatienceNanoseconds;
  if (has_deadline) ::timer_settime(deadline, 0, &once, nullptr);
}

void on_interrupt(int) {
  const int before = errno;
  interrupt_requested = true;
  set_deadline();
  errno = before;
}

void on_deadline(int) {
  if (last_line_claimed.exchange(true)) {  // the command is ending by itself: once more as long
    static std::atomic<bool> before{false};
    if (before.exchange(true)) ::_exit(kFailed);
    set_deadline();
    return;
  }
  if (bar_is_shown) write_line(kEraseLine);
  write_line(*last_line.load());
  ::_exit(kFailed);
}

}  // namespace

bool interrupted() {
  return interrupt_requested;
}

void claim_last_line() {
  if (!last_line_claimed.exchange(true)) return;
  while (true) ::pause();  // the deadline writes it on another thread, and ends the program
}

void catch_interrupts(int argc, char** argv) {
  command_words.assign(argv, argv + argc);
  plain_line = message_line("interrupted");
  last_line = &plain_line;
  struct sigaction action {};
  action.sa_handler = on_deadline;
  ::sigaction(SIGALRM, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  has_deadline = ::timer_create(CLOCK_MONOTONIC, &event, &deadline) == 0;
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second Ctrl-C ends the program at once
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void can_be_resumed() {
  resuming = shell_line(command_words);
  resuming_line = message_line(interruption_line("interrupted"));
  last_line = &resuming_line;
}

std::string interruption_line(std::string_view message) {
  std::string line(message);
  if (!resuming.empty()) line += "; to resume, run: " + resuming;
  return line;
}

}  // namespace sotto::cli

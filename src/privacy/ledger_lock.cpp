#include "privacy/ledger_lock.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <sys/file.h>

namespace sotto {

Result<LedgerLock> LedgerLock::open(const std::filesystem::path& ledger, double wait_seconds) {
  LedgerLock lock;
  SOTTO_ASSIGN(lock.descriptor_, open_for_writing(ledger.string() + "-lock"));
  lock.ledger_ = ledger.string();
  lock.wait_seconds_ = wait_seconds;
  return lock;
}

Result<void> LedgerLock::acquire() {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(wait_seconds_);
  for (;;) {
    SOTTO_ASSIGN(const bool acquired, try_acquire());
    if (acquired) return {};
    if (go_on_ && !go_on_()) return fail(Errc::interrupted, "interrupted");
    if (Clock::now() > deadline)
      return fail(Errc::io,
                  fmt::format("{} is locked by another process (waited {} seconds)", ledger_, wait_seconds_));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Result<bool> LedgerLock::try_acquire() {
  if (::flock(descriptor_.get(), LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK || errno == EINTR) return false;
  return fail(Errc::io, fmt::format("cannot lock {}-lock: {}", ledger_, std::strerror(errno)));
}

void LedgerLock::release() {
  ::flock(descriptor_.get(), LOCK_UN);
}

}  // namespace sotto

#include "privacy/ledger_lock.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sotto::privacy {

Result<LedgerLock> LedgerLock::open(const std::filesystem::path& ledger, double wait_seconds) {
  LedgerLock lock;
  lock.ledger_ = ledger.string();
  lock.wait_seconds_ = wait_seconds;
  SOTTO_TRY(lock.open_file());
  return lock;
}

Result<void> LedgerLock::open_file() {
  const std::string name = ledger_ + "-lock";
  const auto failed = [&] {
    return fail(Errc::io, fmt::format("cannot open {}: {}", name, std::strerror(errno)));
  };
  struct stat ledger;
  if (::stat(ledger_.c_str(), &ledger) != 0) return failed();
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
  const mode_t mode = ledger.st_mode & 0666;
  descriptor_ = base::FileDescriptor(::open(name.c_str(), kFlags | O_CREAT | O_EXCL, mode));
  if (descriptor_.get() >= 0) {
    // Whoever may write the ledger may lock it, whatever the umask, even if root created the lock.
    if (::fchmod(descriptor_.get(), mode) != 0) return failed();
    if (::geteuid() == 0 && ::fchown(descriptor_.get(), ledger.st_uid, ledger.st_gid) != 0) return failed();
    return {};
  }
  if (errno == EEXIST) descriptor_ = base::FileDescriptor(::open(name.c_str(), kFlags | O_CREAT, mode));
  return descriptor_.get() < 0 ? failed() : Result<void>();
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
  if (::flock(descriptor_.get(), LOCK_EX | LOCK_NB) == 0) {
    if (is_in_place()) return true;
    SOTTO_TRY(open_file());
    return false;
  }
  if (errno == EWOULDBLOCK || errno == EINTR) return false;
  return fail(Errc::io, fmt::format("cannot lock {}-lock: {}", ledger_, std::strerror(errno)));
}

/// If the file has been removed, a lock on it would keep nobody out.
bool LedgerLock::is_in_place() const {
  struct stat held;
  struct stat there;
  return ::fstat(descriptor_.get(), &held) == 0 && ::stat((ledger_ + "-lock").c_str(), &there) == 0 &&
         held.st_ino == there.st_ino && held.st_dev == there.st_dev;
}

void LedgerLock::release() {
  ::flock(descriptor_.get(), LOCK_UN);
}

}  // namespace sotto::privacy

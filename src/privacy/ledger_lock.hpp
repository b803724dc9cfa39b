// Only one process at a time writes to a ledger. SQLite would queue writers itself, but up to version 3.51.2
// a write that meets another connection's checkpoint at an unlucky moment can damage a database with a
// write-ahead log. Under this lock, writes, checkpoints and the creation of the file never overlap.
#pragma once

#include <filesystem>
#include <functional>

#include <sotto/result.hpp>

#include "base/file.hpp"

namespace sotto::privacy {

/// A lock on FILE-lock next to the ledger; that file stays, empty, with the ledger's mode. The kernel
/// releases the lock when the process ends, however it ends.
class LedgerLock {
 public:
  /// `ledger` exists and comes from find_ledger(), so that all its users arrive at the same lock.
  static Result<LedgerLock> open(const std::filesystem::path& ledger, double wait_seconds);

  /// Polls `go_on` while waiting; false stops the wait with Errc::interrupted.
  void while_waiting(std::function<bool()> go_on) { go_on_ = std::move(go_on); }

  Result<void> acquire();
  /// Returns false if another process holds it.
  Result<bool> try_acquire();
  void release();

 private:
  Result<void> open_file();
  bool is_in_place() const;

  base::FileDescriptor descriptor_;
  std::string ledger_;
  double wait_seconds_ = 0;
  std::function<bool()> go_on_;
};

}  // namespace sotto::privacy

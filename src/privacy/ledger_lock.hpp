// One process at a time writes to a ledger. SQLite would queue writers by itself, but up to version 3.51.2 a
// write that meets another connection's checkpoint at an unlucky moment can damage a database with a
// write-ahead log. Under this lock writes, checkpoints and the making of the file never meet.
#pragma once

#include <filesystem>
#include <functional>

#include <sotto/result.hpp>

#include "base/file.hpp"

namespace sotto {

/// A lock on FILE-lock beside the ledger; the file stays, empty, with the ledger's mode. The kernel frees the
/// lock of a process that ends, however it ends.
class LedgerLock {
 public:
  /// `ledger` is there and comes from find_ledger(), so that all who use it come to one lock.
  static Result<LedgerLock> open(const std::filesystem::path& ledger, double wait_seconds);

  /// `go_on` is asked now and then while waiting; false ends the waiting with Errc::interrupted.
  void while_waiting(std::function<bool()> go_on) { go_on_ = std::move(go_on); }

  Result<void> acquire();
  /// False when another process has it.
  Result<bool> try_acquire();
  void release();

 private:
  Result<void> open_file();
  bool is_in_place() const;

  FileDescriptor descriptor_;
  std::string ledger_;
  double wait_seconds_ = 0;
  std::function<bool()> go_on_;
};

}  // namespace sotto

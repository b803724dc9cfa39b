// Blocks that threads work on side by side and hand in one after another.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include <sotto/result.hpp>

namespace sotto {

/// Puts the results of blocks 0, 1, 2, … into their order. The failure of the earliest block is the one that
/// counts, whichever thread was faster; blocks before it are still handed in, blocks after it are not.
class InOrder {
 public:
  /// Waits until it is the block's turn; then, if `result` is good, calls write() with the mutex held. Does
  /// nothing when an earlier block has failed.
  template <class Write>
  void hand_in(std::uint64_t block, Result<void> result, const Write& write) {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return next_ == block || failed_at_ < block; });
    if (failed_at_ < block) return;
    if (result) result = write();
    if (!result) record(block, std::move(result.error()));
    ++next_;
    lock.unlock();
    turn_.notify_all();
  }

  /// The block cannot be handed in, because it could not even be read.
  void fail_at(std::uint64_t block, Error error) {
    const std::lock_guard lock(mutex_);
    record(block, std::move(error));
    turn_.notify_all();
  }

  bool failed() const { return failed_; }
  /// For what else must not happen while a block is handed in.
  std::mutex& mutex() { return mutex_; }
  /// The failure that counts; to be called when all threads are done.
  Result<void> result() {
    if (error_) return tl::unexpected(std::move(*error_));
    return {};
  }

 private:
  void record(std::uint64_t block, Error error) {
    if (block >= failed_at_) return;
    failed_at_ = block;
    failed_ = true;
    error_ = std::move(error);
  }

  std::mutex mutex_;
  std::condition_variable turn_;
  std::uint64_t next_ = 0;
  std::uint64_t failed_at_ = ~std::uint64_t{0};
  std::atomic<bool> failed_ = false;
  std::optional<Error> error_;
};

}  // namespace sotto

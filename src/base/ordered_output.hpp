// Blocks processed in parallel by several threads and delivered in order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include <sotto/result.hpp>

#include "base/as_result.hpp"
#include "base/parallel.hpp"

namespace sotto::base {

/// Delivers the results of blocks 0, 1, 2, … in order. The failure of the earliest block is the one reported,
/// whichever thread was faster; blocks before it are still delivered, blocks after it are not. An exception
/// counts as the failure of the block that threw it, so no thread waits for a block that never arrives.
class OrderedOutput {
 public:
  /// Runs thread() on this many threads and returns the reported failure. thread() prepares its thread's own
  /// state and calls share().
  template <class Thread>
  Result<void> run(unsigned threads, const Thread& thread) {
    parallel_for(threads, 1, threads, [&](std::size_t, std::size_t) {
      if (auto done = as_result(thread); !done) end_with(std::move(done.error()));
    });
    if (error_) return tl::unexpected(std::move(*error_));
    return {};
  }

  /// A thread's share of the blocks. take() fetches the next block, or returns false at the end, in one
  /// thread at a time; work() runs on blocks in parallel; write() is called block by block, with the mutex
  /// held, and only while no earlier block has failed.
  template <class Take, class Work, class Write>
  void share(const Take& take, const Work& work, const Write& write) {
    while (const std::optional<std::uint64_t> block = next_block(take))
      hand_in(*block, as_result(work), write);
  }

  bool failed() const { return failed_; }
  /// For anything else that must not happen while a block is being delivered.
  std::mutex& mutex() { return mutex_; }

 private:
  template <class Take>
  std::optional<std::uint64_t> next_block(const Take& take) {
    const std::lock_guard lock(taking_);
    if (ended_ || failed_) return std::nullopt;
    Result<bool> more = as_result(take);
    ended_ = !more || !*more;
    if (!more) fail_at(taken_, std::move(more.error()));
    if (ended_) return std::nullopt;
    return taken_++;
  }

  /// Waits for the block's turn. Does nothing if an earlier block has failed.
  template <class Write>
  void hand_in(std::uint64_t block, Result<void> result, const Write& write) {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return next_ == block || failed_at_ < block; });
    if (failed_at_ < block) return;
    if (result) result = as_result(write);
    if (!result) record(block, std::move(result.error()));
    ++next_;
    lock.unlock();
    turn_.notify_all();
  }

  /// Records a failure that belongs to no block; no further blocks are taken. Does not wait for a thread that
  /// is taking one, because its input may never deliver.
  void end_with(Error error) { fail_at(taken_, std::move(error)); }

  void fail_at(std::uint64_t block, Error error) {
    const std::lock_guard lock(mutex_);
    record(block, std::move(error));
    turn_.notify_all();
  }

  void record(std::uint64_t block, Error error) {
    if (block >= failed_at_) return;
    failed_at_ = block;
    failed_ = true;
    error_ = std::move(error);
  }

  std::mutex taking_;
  bool ended_ = false;
  std::atomic<std::uint64_t> taken_ = 0;

  std::mutex mutex_;
  std::condition_variable turn_;
  std::uint64_t next_ = 0;
  std::uint64_t failed_at_ = ~std::uint64_t{0};
  std::atomic<bool> failed_ = false;
  std::optional<Error> error_;
};

}  // namespace sotto::base

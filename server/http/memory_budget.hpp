// Memory that all connections share, so that many large bodies together stay within a limit.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace sotto::server {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t limit) : limit_(limit) {}
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

  /// What one request takes; given back on destruction.
  class Share {
   public:
    explicit Share(MemoryBudget& budget) : budget_(budget) {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { reset(); }

    /// False if the others left too little.
    bool grow_to(std::size_t bytes) {
      if (bytes <= taken_) return true;
      const std::size_t more = bytes - taken_;
      if (budget_.used_.fetch_add(more, std::memory_order_relaxed) + more > budget_.limit_) {
        budget_.used_.fetch_sub(more, std::memory_order_relaxed);
        return false;
      }
      taken_ = bytes;
      return true;
    }
    /// For what exists already: new bodies find less room.
    void add(std::size_t bytes) {
      budget_.used_.fetch_add(bytes, std::memory_order_relaxed);
      taken_ += bytes;
    }
    void reset() { budget_.used_.fetch_sub(std::exchange(taken_, 0), std::memory_order_relaxed); }

   private:
    MemoryBudget& budget_;
    std::size_t taken_ = 0;
  };

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace sotto::server

// Threads that run tasks in the order in which these were posted.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace sotto::server {

/// Safe to use from several threads.
class WorkerPool {
 public:
  explicit WorkerPool(unsigned threads);
  /// Runs what still waits.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Tasks do not throw.
  void post(std::function<void()> task);
  /// Takes no task if so many wait already, and says so.
  [[nodiscard]] bool post_unless(std::size_t waiting, std::function<void()> task);
  unsigned threads() const { return static_cast<unsigned>(threads_.size()); }

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool ended_ = false;
  std::vector<std::thread> threads_;  // last: they use the other members
};

}  // namespace sotto::server

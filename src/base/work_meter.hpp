// Reports progress to the caller, who decides whether to continue.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

#include <sotto/progress.hpp>
#include <sotto/result.hpp>

namespace sotto::base {

/// Fails if the caller asks to stop.
inline Result<void> report_progress(const ProgressCallback& progress, std::uint64_t done,
                                    std::uint64_t total) {
  if (!progress || progress(done, total)) return {};
  return fail(Errc::interrupted, "interrupted");
}

/// Counts work and asks the caller after each piece whether to continue; once told to stop, it no longer
/// asks. Several threads may use it; the caller hears from one at a time.
class WorkMeter {
 public:
  /// The callback must outlive the meter.
  explicit WorkMeter(const ProgressCallback& progress, std::uint64_t total = 0)
      : progress_(progress), total_(total) {}

  WorkMeter(ProgressCallback&&, std::uint64_t = 0) = delete;

  void set_total(std::uint64_t total) {
    const std::lock_guard lock(mutex_);
    total_ = total;
  }

  /// False once the caller has asked to stop.
  bool add(std::uint64_t work) {
    const std::lock_guard lock(mutex_);
    done_ += work;
    if (!stopped_ && progress_ && !progress_(std::min(done_, total_), total_)) stopped_ = true;
    return !stopped_;
  }

  bool stopped() const { return stopped_; }

  Result<void> result() const {
    if (stopped_) return fail(Errc::interrupted, "interrupted");
    return {};
  }

 private:
  const ProgressCallback& progress_;
  std::mutex mutex_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace sotto::base

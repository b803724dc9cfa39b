// A line on standard error that shows the progress of a run; only on a terminal, never wider than it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <sotto/progress.hpp>

#include "bar_text.hpp"

namespace sotto::cli {

/// `unit` is "B" for bytes, shown with k, M and G, or a plain noun; empty for work that reports nothing,
/// which then shows how long it takes. The callback also requests a stop if interrupted(). If quiet or
/// without a terminal, it draws nothing.
class ProgressBar {
 public:
  ProgressBar(std::string unit, bool quiet);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// The callback refers to this object; calls must be serialized.
  ProgressCallback callback();

 private:
  using Clock = std::chrono::steady_clock;

  void report(std::uint64_t done, std::uint64_t total);
  void tick();
  void draw(Clock::time_point now);

  const bool visible_;
  std::mutex mutex_;
  BarState state_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point drawn_at_ = begin_;
  // An earlier run may have done part of the work, so the rate counts from the first report of any.
  Clock::time_point counted_from_ = begin_;
  std::uint64_t first_done_ = 0;
  bool ended_ = false;
  std::condition_variable end_;
  std::thread ticker_;  // redraws while nothing is reported
};

/// What run() returns, with a bar as options.progress while it runs.
template <class Options, class Run>
auto with_progress(std::string unit, bool quiet, Options& options, const Run& run) {
  ProgressBar bar(std::move(unit), quiet);
  options.progress = bar.callback();
  auto result = run();
  options.progress = {};
  return result;
}

/// What run() returns; if it takes long, the time is shown while it runs.
template <class Run>
auto with_clock(bool quiet, const Run& run) {
  const ProgressBar bar("", quiet);
  return run();
}

}  // namespace sotto::cli

// A line on standard error that shows the progress of a run; only on a terminal.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include <sotto/model.hpp>

namespace sotto::cli {

/// `unit` is "B" for bytes, shown with K, M and G, or a plain noun. The callback also requests a stop if
/// interrupted(). If quiet or without a terminal, it draws nothing.
class ProgressBar {
 public:
  ProgressBar(std::string unit, bool quiet);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// The callback refers to this object; calls must be serialized.
  ProgressCallback callback();

 private:
  void draw(std::uint64_t done, std::uint64_t total);

  using Clock = std::chrono::steady_clock;
  std::string unit_;
  bool visible_;
  bool drawn_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
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

}  // namespace sotto::cli

// Long calls that Ctrl-C ends: the work runs on a thread of its own, without the GIL, while the calling
// thread lets Python handle signals and reports progress. The work never touches Python, so nothing can
// deadlock.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <utility>

#include <nanobind/nanobind.h>

#include <sotto/progress.hpp>

namespace sotto::python {

/// What the calling thread and the work share.
struct CallState {
  /// Calls that share `stop` stop together.
  explicit CallState(
      std::shared_ptr<std::atomic<bool>> shared_stop = std::make_shared<std::atomic<bool>>(false))
      : stop(std::move(shared_stop)) {}

  std::shared_ptr<std::atomic<bool>> stop;
  std::atomic<std::uint64_t> done = 0;
  std::atomic<std::uint64_t> total = 0;

  /// To be given to the library as the progress callback of the work.
  static ProgressCallback callback(const std::shared_ptr<CallState>& state) {
    return [state](std::uint64_t done, std::uint64_t total) {
      state->done = done;
      state->total = total;
      return !*state->stop;
    };
  }
};

inline constexpr std::chrono::milliseconds kPollInterval{50};

/// False if `progress` raised; its exception is then the pending one.
inline bool report_progress(const CallState& state, nanobind::handle progress) {
  if (progress.is_none() || state.total == 0) return true;
  try {
    progress(state.done.load(), state.total.load());
    return true;
  } catch (nanobind::python_error& error) {
    error.restore();
    return false;
  }
}

/// Runs `work` and returns its value. `progress`, unless None, is called with the work done and the total.
/// After a signal or an exception of `progress` the work is asked to stop through `state`, and once it has,
/// the exception is raised.
template <class Work>
auto run_interruptibly(const std::shared_ptr<CallState>& state, nanobind::handle progress, Work&& work) {
  auto future = std::async(std::launch::async, std::forward<Work>(work));
  const auto finished_within = [&](std::chrono::milliseconds time) {
    const nanobind::gil_scoped_release unlocked;
    return future.wait_for(time) == std::future_status::ready;
  };
  bool failed = false;
  while (!finished_within(kPollInterval)) {
    if (failed) continue;
    failed = PyErr_CheckSignals() != 0 || !report_progress(*state, progress);
    if (failed) *state->stop = true;
  }
  *state->stop = false;  // for later calls that share it
  if (failed) throw nanobind::python_error();
  return future.get();
}

}  // namespace sotto::python

// Long calls that Ctrl-C ends: the work runs on a thread of its own, without the GIL, while the calling
// thread lets Python handle signals and reports progress. The work never touches Python, so nothing can
// deadlock.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

#include <nanobind/nanobind.h>

#include <sotto/progress.hpp>

#include "process.hpp"

namespace sotto::python {

/// What the calling thread and the work share.
struct CallState {
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> done = 0;
  std::atomic<std::uint64_t> total = 0;
  /// The number of calls that are being stopped, of those that share something which stops for all of them.
  std::shared_ptr<std::atomic<int>> stopping = std::make_shared<std::atomic<int>>(0);

  /// To be given to the library as the progress callback of the work.
  static ProgressCallback callback(const std::shared_ptr<CallState>& state) {
    return [state](std::uint64_t done, std::uint64_t total) {
      state->done = done;
      state->total = total;
      return !state->stop;
    };
  }

  /// To be given to language models.
  static std::function<bool()> go_on(const std::shared_ptr<CallState>& state) {
    return [state] { return !state->stop; };
  }
};

inline constexpr std::chrono::milliseconds kPollInterval{50};

/// What becomes of work that does not stop when asked.
enum class Unstoppable {
  wait,     ///< the call returns when it has ended
  abandon,  ///< it ends by itself, unwatched; it must own all it uses, and change nothing outside
};

inline constexpr std::chrono::milliseconds kPatience{500};  // before work is abandoned

/// Tells `progress` what is done. False if it raised; its exception is then the pending one.
inline bool report_progress(const CallState& state, nanobind::handle progress) {
  if (progress.is_none() || state.total == 0) return true;
  const std::uint64_t total = state.total;
  try {
    progress(std::min(state.done.load(), total), total);
    return true;
  } catch (nanobind::python_error& error) {
    error.restore();
    return false;
  }
}

/// Whether the call must end; the pending exception says why.
inline bool must_end(const CallState& state, nanobind::handle progress) {
  if (PyErr_CheckSignals() != 0 || !report_progress(state, progress)) return true;
  if (interpreter_ends()) PyErr_SetNone(PyExc_SystemExit);
  return interpreter_ends();
}

/// Asks `work` to stop and waits until it has, or until it is abandoned. The pending exception is kept.
template <class Value>
void stop_work(CallState& state, std::future<Value>& work, std::thread& thread, Unstoppable unstoppable) {
  const nanobind::gil_scoped_release unlocked;
  state.stop = true;
  ++*state.stopping;
  if (unstoppable == Unstoppable::abandon && work.wait_for(kPatience) == std::future_status::timeout) {
    WorkerThread::abandon();
    thread.detach();
  } else {
    thread.join();
  }
  --*state.stopping;
}

/// Runs `work` and returns its value. `progress`, unless None, is called with the work done and the total,
/// the last time when all is done. After a signal or an exception of `progress` the work is asked to stop
/// through `state`, and once it has, the exception is raised.
template <class Work>
auto run_interruptibly(const std::shared_ptr<CallState>& state, nanobind::handle progress, Work work,
                       Unstoppable unstoppable = Unstoppable::wait) {
  const RunningCall running;
  std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
  auto future = task.get_future();
  std::thread thread([moved = std::move(task), at_work = std::make_unique<WorkerThread>()]() mutable {
    std::exchange(moved, {})();  // and destroys the work before at_work
  });
  const auto finished = [&] {
    const nanobind::gil_scoped_release unlocked;
    return future.wait_for(kPollInterval) == std::future_status::ready;
  };
  while (!finished()) {
    if (!must_end(*state, progress)) continue;
    stop_work(*state, future, thread, unstoppable);
    throw nanobind::python_error();
  }
  thread.join();
  auto value = future.get();
  if (value && (state->done = state->total.load(), !report_progress(*state, progress)))
    throw nanobind::python_error();
  return value;
}

}  // namespace sotto::python

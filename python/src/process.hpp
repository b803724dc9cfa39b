// What happens to the process under the extension: forks, and the end of the interpreter.
#pragma once

#include <nanobind/nanobind.h>

namespace sotto::python {

/// A call into the extension that gives up the GIL for a while. When the interpreter ends, Python ends every
/// other thread where it next asks for the GIL, which C++ frames do not survive. So the end waits for these
/// calls, and asks long ones to stop.
class RunningCall {
 public:
  RunningCall();  ///< raises SystemExit once the interpreter ends
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;
  ~RunningCall();
};

bool interpreter_ends();

/// A thread of ours that does work. A process that exits while one does that nobody waits for any more leaves
/// at once, because the thread may use what the exit destroys.
class WorkerThread {
 public:
  WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;
  ~WorkerThread();
  static void abandon();  ///< to be called when one is left to itself
};

/// Registers for forks and for the end of the interpreter.
void watch_process(nanobind::module_& module);

}  // namespace sotto::python

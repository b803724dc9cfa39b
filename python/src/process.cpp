#include "process.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <pthread.h>
#include <unistd.h>

namespace nb = nanobind;

namespace sotto::python {
namespace {

std::atomic<int> running_calls = 0;
std::atomic<int> worker_threads = 0;
std::atomic<bool> ending = false;

/// The child has one thread.
void after_fork() {
  running_calls = 0;
  worker_threads = 0;
}

void wait_for_calls() {
  ending = true;
  const nb::gil_scoped_release unlocked;
  while (running_calls > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void leave_abandoned_threads(int status, void*) {
  if (worker_threads <= 0) return;
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace

RunningCall::RunningCall() {
  if (ending) {
    PyErr_SetNone(PyExc_SystemExit);
    throw nb::python_error();
  }
  ++running_calls;
}

RunningCall::~RunningCall() {
  --running_calls;
}

bool interpreter_ends() {
  return ending;
}

WorkerThread::WorkerThread() {
  ++worker_threads;
}

WorkerThread::~WorkerThread() {
  --worker_threads;
}

void WorkerThread::abandon() {
  on_exit(leave_abandoned_threads, nullptr);  // runs before what was registered earlier
}

void watch_process(nb::module_& module) {
  pthread_atfork(nullptr, nullptr, after_fork);
  module.def("_wait_for_calls", wait_for_calls);
  nb::module_::import_("atexit").attr("register")(module.attr("_wait_for_calls"));
}

}  // namespace sotto::python

#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include <sched.h>

#include <sotto/text_values.hpp>

namespace sotto::base {
namespace {

/// Starts up to `count` threads. If the system refuses another one, the running threads do its work.
template <class Work>
std::vector<std::jthread> start_threads(std::size_t count, const Work& work) {
  std::vector<std::jthread> threads;
  threads.reserve(count);
  try {
    while (threads.size() < count) threads.emplace_back(work);
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  return threads;
}

}  // namespace

unsigned thread_count(unsigned requested) {
  if (requested > 0) return std::min(requested, kMostThreads);
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, std::size_t grain, unsigned threads,
                  const std::function<void(std::size_t begin, std::size_t end)>& body) {
  std::atomic<std::size_t> next{0};
  std::atomic_flag failed;
  std::exception_ptr thrown;
  // An exception that leaves a thread ends the process, so each thread catches its own.
  const auto work = [&] {
    try {
      for (std::size_t begin = next.fetch_add(grain); begin < count; begin = next.fetch_add(grain))
        body(begin, std::min(begin + grain, count));
    } catch (...) {
      if (!failed.test_and_set()) thrown = std::current_exception();
      next = count;
    }
  };
  const std::size_t parts = (count + grain - 1) / grain;
  {
    const auto helpers =
        start_threads(std::max<std::size_t>(1, std::min<std::size_t>(threads, parts)) - 1, work);
    work();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace sotto::base

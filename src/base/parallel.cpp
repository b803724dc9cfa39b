#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <sched.h>

namespace sotto {

unsigned thread_count(unsigned requested) {
  if (requested > 0) return requested;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, std::size_t grain, unsigned threads,
                  const std::function<void(std::size_t begin, std::size_t end)>& body) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t begin = next.fetch_add(grain); begin < count; begin = next.fetch_add(grain))
      body(begin, std::min(begin + grain, count));
  };
  const std::size_t parts = (count + grain - 1) / grain;
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, parts); ++i) helpers.emplace_back(work);
  work();
}

}  // namespace sotto

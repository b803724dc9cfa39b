// Threads for work that splits into independent parts.
#pragma once

#include <cstddef>
#include <functional>

namespace sotto {

/// `requested`, or the number of processors this process may use when it is 0.
unsigned thread_count(unsigned requested);

/// Calls body(begin, end) on disjoint ranges that cover [0, count), `grain` items at a time, on `threads`
/// threads (the caller's among them), or on as many as the system allows. Returns when all are done. What a
/// call throws reaches the caller, after the calls that had begun; of several exceptions one.
void parallel_for(std::size_t count, std::size_t grain, unsigned threads,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

}  // namespace sotto

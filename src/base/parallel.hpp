// Threads for work that splits into independent parts.
#pragma once

#include <cstddef>
#include <functional>

namespace sotto::base {

/// `requested`, but at most kMostThreads (sotto/text_values.hpp); if it is 0, the number of processors
/// available to this process.
unsigned thread_count(unsigned requested);

/// Calls body(begin, end) on disjoint ranges that cover [0, count), `grain` items at a time, on `threads`
/// threads including the caller's, or on as many as the system allows. Returns when all are done. If calls
/// throw, one of the exceptions reaches the caller once every call that had begun is finished.
void parallel_for(std::size_t count, std::size_t grain, unsigned threads,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

}  // namespace sotto::base

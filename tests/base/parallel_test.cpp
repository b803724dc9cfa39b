#include "base/parallel.hpp"

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

namespace sotto {
namespace {

TEST(ParallelFor, CoversEachItemOnce) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    for (const std::size_t count : {0U, 1U, 7U, 1000U}) {
      std::vector<std::atomic<int>> visits(count);
      parallel_for(count, 3, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      });
      for (const auto& visit : visits) EXPECT_EQ(visit, 1);
    }
  }
}

TEST(ThreadCount, ZeroMeansAtLeastOne) {
  EXPECT_GE(thread_count(0), 1U);
  EXPECT_EQ(thread_count(5), 5U);
}

}  // namespace
}  // namespace sotto

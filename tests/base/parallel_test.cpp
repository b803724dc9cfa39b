#include "base/parallel.hpp"

#include <atomic>
#include <new>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace sotto {
namespace {

using namespace sotto::base;

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

TEST(ParallelFor, WhatAThreadThrowsReachesTheCaller) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    std::atomic<std::size_t> calls = 0;
    EXPECT_THROW(parallel_for(100'000, 1, threads,
                              [&](std::size_t begin, std::size_t) {
                                ++calls;
                                if (begin >= 3) throw std::bad_alloc();
                              }),
                 std::bad_alloc);
    EXPECT_LE(calls, 3U + threads);  // no thread begins another part
  }
}

TEST(ParallelFor, DoesWithoutThreadsThatCannotBeStarted) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs address space of its own";
#endif
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const rlimit none{0, before.rlim_max};  // no room for another stack
  std::vector<std::atomic<int>> visits(100);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &none), 0);
  parallel_for(visits.size(), 1, 64, [&](std::size_t i, std::size_t) { ++visits[i]; });
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  for (const auto& visit : visits) EXPECT_EQ(visit, 1);
}

TEST(ThreadCount, ZeroMeansAtLeastOne) {
  EXPECT_GE(thread_count(0), 1U);
  EXPECT_EQ(thread_count(5), 5U);
}

}  // namespace
}  // namespace sotto

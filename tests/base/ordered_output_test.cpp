#include "base/ordered_output.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::base;

constexpr std::uint64_t kBlocks = 200;

/// Which blocks fail, and how.
struct Trouble {
  std::vector<std::uint64_t> bad = {};        // work on them fails
  std::vector<std::uint64_t> throwing = {};   // work on them throws
  std::uint64_t unreadable = kBlocks;         // cannot be taken
  std::uint64_t unreadable_throws = kBlocks;  // throws when it is taken
  std::uint64_t unwritable_throws = kBlocks;  // throws when it is handed in
  int threads_that_throw = 0;                 // before they take a block
};

struct Outcome {
  std::vector<std::uint64_t> written;
  Result<void> result;
};

bool contains(const std::vector<std::uint64_t>& blocks, std::uint64_t block) {
  return std::find(blocks.begin(), blocks.end(), block) != blocks.end();
}

/// Four threads work on 200 blocks; within each ten the later ones are faster.
Outcome run(const Trouble& trouble) {
  OrderedOutput order;
  std::uint64_t next = 0;
  std::atomic<int> started = 0;
  Outcome outcome;
  outcome.result = order.run(4, [&] {
    if (started++ < trouble.threads_that_throw) throw std::bad_alloc();
    std::uint64_t block = 0;
    const auto take = [&]() -> Result<bool> {
      block = next++;
      if (block == kBlocks) return false;
      if (block == trouble.unreadable) return fail(Errc::bad_format, "unreadable");
      if (block == trouble.unreadable_throws) throw std::bad_alloc();
      return true;
    };
    const auto work = [&]() -> Result<void> {
      for (std::uint64_t i = block % 10; i < 10; ++i) std::this_thread::yield();
      if (contains(trouble.throwing, block)) throw std::runtime_error(fmt::format("thrown {}", block));
      if (contains(trouble.bad, block)) return fail(Errc::bad_format, fmt::format("block {}", block));
      return {};
    };
    order.share(take, work, [&]() -> Result<void> {
      if (block == trouble.unwritable_throws) throw std::bad_alloc();
      outcome.written.push_back(block);
      return {};
    });
  });
  return outcome;
}

std::vector<std::uint64_t> up_to(std::uint64_t end) {
  std::vector<std::uint64_t> blocks(end);
  std::iota(blocks.begin(), blocks.end(), 0);
  return blocks;
}

TEST(OrderedOutput, HandsInEveryBlockInItsTurn) {
  const Outcome outcome = run({});
  EXPECT_TRUE(outcome.result);
  EXPECT_EQ(outcome.written, up_to(kBlocks));
}

TEST(OrderedOutput, EarliestFailureCountsAndWhatStandsBeforeItIsHandedIn) {
  for (int round = 0; round < 5; ++round) {
    const Outcome outcome = run({.bad = {103, 104, 105, 106}});
    ASSERT_FALSE(outcome.result);
    EXPECT_EQ(outcome.result.error().message, "block 103");
    EXPECT_EQ(outcome.written, up_to(103));
  }
}

TEST(OrderedOutput, BlockThatCannotBeReadEndsTheRunBehindItsPredecessors) {
  const Outcome outcome = run({.unreadable = 80});
  ASSERT_FALSE(outcome.result);
  EXPECT_EQ(outcome.result.error().message, "unreadable");
  EXPECT_EQ(outcome.written, up_to(80));
}

TEST(OrderedOutput, AnExceptionIsTheFailureOfItsBlock) {
  for (int round = 0; round < 5; ++round) {
    const Outcome outcome = run({.bad = {104}, .throwing = {103, 105}});
    ASSERT_FALSE(outcome.result);
    EXPECT_EQ(outcome.result.error().message, "thrown 103");
    EXPECT_EQ(outcome.written, up_to(103));
  }
}

TEST(OrderedOutput, AnExceptionWhileABlockIsTakenOrHandedInEndsTheRun) {
  for (const Trouble& trouble : {Trouble{.unreadable_throws = 80}, Trouble{.unwritable_throws = 80}}) {
    const Outcome outcome = run(trouble);
    ASSERT_FALSE(outcome.result);
    EXPECT_EQ(outcome.result.error().code, Errc::limit);
    EXPECT_EQ(outcome.result.error().message, "out of memory");
    EXPECT_EQ(outcome.written, up_to(80));
  }
}

TEST(OrderedOutput, AThreadThatCannotBeginEndsTheRun) {
  for (const int threads : {1, 4}) {
    const Outcome outcome = run({.threads_that_throw = threads});
    ASSERT_FALSE(outcome.result);
    EXPECT_EQ(outcome.result.error().message, "out of memory");
    EXPECT_EQ(outcome.written, up_to(outcome.written.size()));
  }
}

}  // namespace
}  // namespace sotto

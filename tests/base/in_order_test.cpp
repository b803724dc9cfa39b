#include "base/in_order.hpp"

#include <atomic>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace sotto {
namespace {

struct Outcome {
  std::vector<std::uint64_t> written;
  Result<void> result;
};

/// Four threads work on 1,000 blocks, the later ones of each ten faster; blocks in `bad` fail, and
/// `unreadable` could not be read.
Outcome run(const std::vector<std::uint64_t>& bad, std::uint64_t unreadable = 1000) {
  InOrder order;
  std::atomic<std::uint64_t> next = 0;
  Outcome outcome;
  const auto work = [&] {
    while (!order.failed()) {  // a block that was taken is handed in
      const std::uint64_t block = next++;
      if (block >= unreadable) break;
      for (std::uint64_t i = block % 10; i < 10; ++i) std::this_thread::yield();
      const bool fails = std::find(bad.begin(), bad.end(), block) != bad.end();
      Result<void> result;
      if (fails)
        result = fail(Errc::bad_format, "block " + std::string(1, static_cast<char>('0' + block % 10)));
      order.hand_in(block, std::move(result), [&]() -> Result<void> {
        outcome.written.push_back(block);
        return {};
      });
    }
    if (unreadable < 1000) order.fail_at(unreadable, Error{Errc::bad_format, "unreadable"});
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  }
  outcome.result = order.result();
  return outcome;
}

std::vector<std::uint64_t> up_to(std::uint64_t end) {
  std::vector<std::uint64_t> blocks(end);
  std::iota(blocks.begin(), blocks.end(), 0);
  return blocks;
}

TEST(InOrder, HandsInEveryBlockInItsTurn) {
  const Outcome outcome = run({});
  EXPECT_TRUE(outcome.result);
  EXPECT_EQ(outcome.written, up_to(1000));
}

TEST(InOrder, EarliestFailureCountsAndWhatStandsBeforeItIsHandedIn) {
  for (int round = 0; round < 20; ++round) {
    const Outcome outcome = run({503, 504, 505, 506});
    ASSERT_FALSE(outcome.result);
    EXPECT_EQ(outcome.result.error().message, "block 3");
    EXPECT_EQ(outcome.written, up_to(503));
  }
}

TEST(InOrder, BlockThatCannotBeReadEndsTheRunBehindItsPredecessors) {
  const Outcome outcome = run({}, 400);
  ASSERT_FALSE(outcome.result);
  EXPECT_EQ(outcome.result.error().message, "unreadable");
  EXPECT_EQ(outcome.written, up_to(400));
}

}  // namespace
}  // namespace sotto

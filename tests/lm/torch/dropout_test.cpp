#include "lm/torch/dropout.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace sotto::lm {
namespace {

at::Tensor dropped(double share, std::initializer_list<std::uint64_t> seeds, std::int64_t count) {
  Dropout dropout(share, seeds);
  return dropout(at::ones({count}));
}

// A GPU runs the same operations on its tensors.
TEST(DropoutMaskTest, OperationsOnTensorsGiveTheNumbersOfTheProcessor) {
  for (const double share : {0.1, 0.2, 0.5, 0.9}) {
    const DropoutMask mask(share);
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{1}, {3}, {4}, {5, 7}, {2, 3, 11}, {64, 257}})
      for (const std::uint64_t seed : {0ULL, 1ULL, 0x7FFFFFFFFFFFFFFFULL, 0x9E3779B97F4A7C15ULL, ~0ULL}) {
        const at::Tensor one = mask.on_processor(shape, seed);
        const at::Tensor other = mask.on(at::kCPU, shape, seed);
        ASSERT_EQ(one.sizes(), other.sizes());
        EXPECT_TRUE(at::equal(one, other)) << share << ' ' << seed;
      }
  }
}

TEST(DropoutTest, HidesTheShareAndKeepsTheMean) {
  constexpr std::int64_t kCount = 1 << 20;
  for (const double share : {0.1, 0.5}) {
    const at::Tensor x = dropped(share, {7}, kCount);
    // Six standard deviations of the share of zeros, and of the mean of zeros and 1 / (1 − share).
    const double zeros = x.eq(0).sum().item<double>() / kCount;
    EXPECT_NEAR(zeros, share, 6 * std::sqrt(share * (1 - share) / kCount));
    EXPECT_NEAR(x.mean().item<double>(), 1, 6 * std::sqrt(share / (1 - share) / kCount));
  }
}

TEST(DropoutTest, EverySeedCountsAndEveryCallDrawsAnew) {
  const at::Tensor one = dropped(0.5, {1, 2, 3}, 1000);
  EXPECT_TRUE(at::equal(one, dropped(0.5, {1, 2, 3}, 1000)));
  EXPECT_FALSE(at::equal(one, dropped(0.5, {1, 2, 4}, 1000)));
  EXPECT_FALSE(at::equal(one, dropped(0.5, {1, 3, 3}, 1000)));
  EXPECT_FALSE(at::equal(one, dropped(0.5, {2, 2, 3}, 1000)));
  Dropout dropout(0.5, {1, 2, 3});
  EXPECT_TRUE(at::equal(one, dropout(at::ones({1000}))));
  EXPECT_FALSE(at::equal(one, dropout(at::ones({1000}))));
}

TEST(DropoutTest, ANetworkThatAnswersIsLeftAlone) {
  Dropout none;
  const at::Tensor x = at::arange(10.0);
  EXPECT_TRUE(at::equal(x, none(x)));
}

}  // namespace
}  // namespace sotto::lm

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "mechanisms/selection/row_cache.hpp"
#include "mechanisms/weights.hpp"

namespace sotto {
namespace {

using namespace sotto::mechanism;

std::vector<std::int64_t> some_squares() {
  std::vector<std::int64_t> squares(1000);
  std::iota(squares.begin(), squares.end(), 0);
  for (double d = 1000; d < 9e9; d *= 1.0007) squares.push_back(static_cast<std::int64_t>(d));
  return squares;
}

// The stated error bound, against the 64-bit mantissas of long double.
TEST(DistanceWeights, EqualTheDefinition) {
  const std::vector<std::int64_t> squares = some_squares();
  std::vector<std::uint64_t> weights(squares.size());
  std::vector<double> exponentials(squares.size());
  for (const std::size_t outcomes : {1U, 2U, 12U, 34'573U, 1U << 20}) {
    for (const double epsilon : {1e-9, 0.1, 1.0, 6.0, 50.0, 1e6}) {
      const DistanceWeights rule(outcomes, epsilon, 0.0031);
      rule.weights(squares, weights);
      rule.exponentials(squares, 0, exponentials);
      for (std::size_t i = 0; i < squares.size(); ++i) {
        const long double exponent = std::min(rule.slope() * std::sqrt(static_cast<long double>(squares[i])),
                                              static_cast<long double>(rule.cap()));
        const long double exact = std::exp(-exponent);
        const long double scaled = std::ldexp(exact, rule.bits());
        const auto weight = static_cast<long double>(weights[i]);
        ASSERT_LE(weight, scaled * (1 + kWeightError)) << outcomes << ' ' << epsilon << ' ' << squares[i];
        ASSERT_GT(weight + 1, scaled * (1 - kWeightError)) << outcomes << ' ' << epsilon << ' ' << squares[i];
        ASSERT_GE(weights[i], kSmallestWeight);
        ASSERT_LE(std::abs(exponentials[i] - exact), exact * kWeightError);
        ASSERT_TRUE(i == 0 || weights[i] <= weights[i - 1]);
        ASSERT_TRUE(squares[i] < rule.far_from() || weights[i] == rule.far_weight());
      }
      EXPECT_EQ(weights[0], std::uint64_t{1} << rule.bits());
      EXPECT_LT(rule.slope(), 0.5 * epsilon * 0.0031);
      EXPECT_GT(rule.slope(), 0.5 * epsilon * 0.0031 * (1 - 0x1p-8 - 0x1p-40));
      EXPECT_EQ(exponentials[0], 1);
      EXPECT_LE(static_cast<long double>(outcomes) * std::ldexp(1.0L, rule.bits()), 0x1p62L);
    }
  }
}

TEST(DistanceWeights, FarBeginsAtTheLimit) {
  const DistanceWeights rule(100, 2, 0.5, 10);  // √D >= 20
  EXPECT_EQ(rule.far_from(), 400);
  EXPECT_EQ(DistanceWeights(100, 2, 0.5, 0).far_from(), 0);
  EXPECT_EQ(DistanceWeights(100, 2, 0.5, 0).far_weight(), std::uint64_t{1} << 55);
}

TEST(DistanceWeights, AreTheSameForEveryInstructionSet) {
  const std::vector<std::int64_t> squares = some_squares();
  const DistanceWeights rule(34'573, 3.7, 0.0017);
  std::vector<std::uint64_t> expected(squares.size());
  std::vector<double> expected_exponentials(squares.size());
  rule.weights(squares, expected);
  rule.exponentials(squares, 0.25, expected_exponentials);
  int sets = 0;
  const std::int64_t supported = hwy::SupportedTargets();
  for (std::int64_t left = supported; left != 0; left &= left - 1) {
    hwy::SetSupportedTargetsForTest(left & -left);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    std::vector<std::uint64_t> weights(squares.size());
    std::vector<double> exponentials(squares.size());
    rule.weights(squares, weights);
    rule.exponentials(squares, 0.25, exponentials);
    EXPECT_EQ(weights, expected) << hwy::TargetName(left & -left);
    EXPECT_EQ(exponentials, expected_exponentials) << hwy::TargetName(left & -left);
    ++sets;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  std::cout << "    " << sets << " instruction sets\n";
}

/// Weights with few and many far outcomes, at the ends and in between.
std::vector<std::vector<std::uint64_t>> small_rows() {
  constexpr std::uint64_t kFar = 3;
  return {{kFar, kFar, 50, kFar, 7, 9, kFar, kFar},
          {50, kFar, kFar, kFar, 8},
          {kFar, kFar, kFar},
          {12},
          {5, 6, 7, 8},
          {kFar, 400, kFar, kFar, kFar, 2000, 2001, kFar}};
}

// Each form of a row against a walk through the weights, at every position.
TEST(CachedRows, FindEveryPosition) {
  for (const std::vector<std::uint64_t>& weights : small_rows()) {
    std::vector<std::uint64_t> cumulative(weights.size());
    std::partial_sum(weights.begin(), weights.end(), cumulative.begin());
    std::vector<std::uint32_t> near;
    for (std::uint32_t i = 0; i < weights.size(); ++i)
      if (weights[i] != 3) near.push_back(i);
    const DenseRow dense(cumulative);
    const SparseRow sparse(near, cumulative, 3);
    EXPECT_EQ(dense.total(), cumulative.back());
    EXPECT_EQ(sparse.total(), cumulative.back());
    std::uint64_t position = 0;
    for (std::uint32_t i = 0; i < weights.size(); ++i) {
      for (std::uint64_t k = 0; k < weights[i]; ++k, ++position) {
        ASSERT_EQ(dense.find(position), i);
        ASSERT_EQ(sparse.find(position), i);
        ASSERT_EQ(find_in(cumulative, position), i);
      }
    }
  }
}

TEST(CachedRows, PositionsShareTheDrawsEvenly) {
  constexpr std::uint64_t kMax = ~std::uint64_t{0};
  EXPECT_EQ(position_of({0, 0}, 7), 0U);
  EXPECT_EQ(position_of({kMax, kMax}, 7), 6U);
  // 2^128 = 7q + 4, so position 3 begins at ⌈3·2^128/7⌉ = 3q + 2.
  const unsigned __int128 last = static_cast<unsigned __int128>(-1) / 7 * 3 + 1;
  const auto split = [](unsigned __int128 u) {
    return UniformDraw{static_cast<std::uint64_t>(u >> 64), static_cast<std::uint64_t>(u)};
  };
  EXPECT_EQ(position_of(split(last), 7), 2U);
  EXPECT_EQ(position_of(split(last + 1), 7), 3U);
}

TEST(RowCache, KeepsTheFirstRowAndItsBounds) {
  const std::vector<std::uint64_t> cumulative = {1, 2, 3};
  RowMemory memory(100, 0);
  RowCache cache(2, memory);
  EXPECT_EQ(cache.find(1), nullptr);
  EXPECT_TRUE(cache.reserve_table(60));
  EXPECT_FALSE(cache.reserve_table(60));
  EXPECT_TRUE(cache.reserve_table(40));
  EXPECT_FALSE(cache.reserve_block(1));
  cache.add(1, std::make_unique<const CachedRow>(DenseRow(cumulative)));
  const CachedRow* first = cache.find(1);
  ASSERT_NE(first, nullptr);
  cache.add(1, std::make_unique<const CachedRow>(SparseRow({}, cumulative, 1)));
  EXPECT_EQ(cache.find(1), first);
  EXPECT_EQ(cache.find(0), nullptr);
}

TEST(RowCache, GivesItsMemoryBack) {
  RowMemory memory(100, 50);
  RowCache other(1, memory);
  {
    RowCache cache(1, memory);
    EXPECT_TRUE(cache.reserve_table(90));
    EXPECT_TRUE(cache.reserve_block(50));
    EXPECT_FALSE(other.reserve_table(11));
    EXPECT_FALSE(other.reserve_block(1));
  }
  EXPECT_TRUE(other.reserve_table(100));
  EXPECT_TRUE(other.reserve_block(50));
}

}  // namespace
}  // namespace sotto

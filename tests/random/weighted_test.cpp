#include "random/weighted.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random/bit_sources.hpp"
#include "support/scripted_bit_source.hpp"
#include "support/statistics.hpp"

namespace sotto {
namespace {

using namespace sotto::random;
using testing::chi_squared_test;
using testing::ScriptedBitSource;
using Weights = std::vector<std::uint64_t>;

constexpr double kAlpha = 1e-6;
constexpr int kDraws = 1'000'000;
constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};

std::vector<Weights> examples() {
  std::vector<Weights> all = {
      {1},
      {kAllOnes},
      {0, 0, 7, 0},
      {1, 2, 3, 4},
      {5, 0, 0, 1, 0, 5},
      {1, kAllOnes - 1},
      {kAllOnes / 2, kAllOnes / 3, kAllOnes / 7, 1, 1, 0},
      Weights(1000, kAllOnes / 1000),
  };
  ChaChaBitSource bits(key_from_seed(31));
  Weights skewed(3000);
  for (std::size_t i = 0; i < skewed.size(); ++i) skewed[i] = uniform_below(bits, 1ULL << (i % 50));
  all.push_back(skewed);
  return all;
}

template <class Table>
std::vector<std::uint64_t> weights_of(const Table& table) {
  if constexpr (std::is_same_v<Table, AliasTable>) {
    return table.weights();
  } else {
    std::vector<std::uint64_t> weights(table.size());
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = table.weight(i);
    return weights;
  }
}

template <class Table>
class WeightedTable : public ::testing::Test {};
using Tables = ::testing::Types<AliasTable, CumulativeTable>;
TYPED_TEST_SUITE(WeightedTable, Tables);

TYPED_TEST(WeightedTable, HoldsExactlyTheGivenWeights) {
  for (const Weights& weights : examples()) {
    const TypeParam table = TypeParam::make(weights).value();
    EXPECT_EQ(weights_of(table), weights);
    EXPECT_EQ(table.total(), std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
    EXPECT_EQ(table.size(), weights.size());
  }
}

TYPED_TEST(WeightedTable, DrawsInProportion) {
  ChaChaBitSource bits(key_from_seed(32));
  for (const Weights& weights : examples()) {
    const TypeParam table = TypeParam::make(weights).value();
    Weights counts(weights.size());
    for (int i = 0; i < kDraws; ++i) ++counts.at(table.sample(bits));
    std::vector<double> probabilities;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      probabilities.push_back(static_cast<double>(weights[i]) / static_cast<double>(table.total()));
      EXPECT_TRUE(weights[i] != 0 || counts[i] == 0);
    }
    if (*std::max_element(probabilities.begin(), probabilities.end()) > 0.99999) continue;  // nothing to test
    SOTTO_EXPECT_PASSES(chi_squared_test(counts, probabilities, kAlpha));
  }
}

TYPED_TEST(WeightedTable, RefusesWhatItCannotHonour) {
  const auto message = [](const Weights& weights) { return TypeParam::make(weights).error().message; };
  EXPECT_THAT(message({}), ::testing::HasSubstr("none"));
  EXPECT_THAT(message({0, 0}), ::testing::HasSubstr("all are zero"));
  EXPECT_THAT(message({kAllOnes, 1}), ::testing::HasSubstr("2^64"));
  EXPECT_TRUE(TypeParam::make(Weights{kAllOnes - 1, 1}));
}

/// In a world small enough to enumerate, every pair (column, position) is drawn once.
TEST(AliasTable, ExactOverAllItsOutcomes) {
  for (const Weights& weights :
       std::vector<Weights>{{3, 1}, {0, 5, 2}, {1, 1, 1, 13}, {4, 0, 0, 9, 3}, {16, 1, 2, 0, 0, 7, 6}}) {
    const AliasTable table = AliasTable::make(weights).value();
    const std::uint64_t n = weights.size();
    const std::uint64_t total = table.total();
    Weights counts(n);
    for (std::uint64_t column = 0; column < n; ++column) {
      for (std::uint64_t position = 0; position < total; ++position) {
        // The middle of the range of words that uniform_below maps to a value is never rejected.
        ScriptedBitSource bits(
            {kAllOnes / n * column + kAllOnes / n / 2, kAllOnes / total * position + kAllOnes / total / 2});
        ++counts.at(table.sample(bits));
        ASSERT_EQ(bits.words_drawn(), 2U);
      }
    }
    for (std::uint64_t i = 0; i < n; ++i) EXPECT_EQ(counts[i], n * weights[i]);
  }
}

TEST(CumulativeTable, FindsTheShareOfEveryPosition) {
  for (const Weights& weights :
       std::vector<Weights>{{1}, {3, 1}, {0, 5, 0, 2, 0}, {1, 1, 1, 700}, {700, 0, 1, 1}}) {
    const CumulativeTable table = CumulativeTable::make(weights).value();
    std::uint64_t position = 0;
    for (std::uint32_t i = 0; i < weights.size(); ++i)
      for (std::uint64_t j = 0; j < weights[i]; ++j) ASSERT_EQ(table.find(position++), i);
  }
}

TEST(CumulativeTable, FindsTheBordersOfLargeTables) {
  for (const Weights& weights : examples()) {
    const CumulativeTable table = CumulativeTable::make(weights).value();
    std::uint64_t begin = 0;
    for (std::uint32_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) continue;
      ASSERT_EQ(table.find(begin), i);
      begin += weights[i];
      ASSERT_EQ(table.find(begin - 1), i);
    }
  }
}

TEST(CumulativeTable, DrawsOneWord) {
  const CumulativeTable table = CumulativeTable::make(Weights{1, 2, 1}).value();
  ScriptedBitSource bits({0, 1ULL << 62, 3ULL << 62, kAllOnes});
  EXPECT_EQ(table.sample(bits), 0U);
  EXPECT_EQ(table.sample(bits), 1U);
  EXPECT_EQ(table.sample(bits), 2U);
  EXPECT_EQ(table.sample(bits), 2U);
  EXPECT_EQ(bits.words_drawn(), 4U);
}

TEST(FindInSteps, CountsWhatIsAtMostThePosition) {
  ChaChaBitSource bits(key_from_seed(5));
  for (std::size_t size = 0; size <= 130; ++size) {
    std::vector<std::uint64_t> cumulative(size);
    for (std::uint64_t& sum : cumulative) sum = uniform_below(bits, 2 * size);  // some of them equal
    if (size > 2) cumulative.back() = ~std::uint64_t{0};
    std::sort(cumulative.begin(), cumulative.end());
    for (std::uint64_t position = 0; position <= 2 * size; ++position) {
      const auto end = std::upper_bound(cumulative.begin(), cumulative.end(), position);
      ASSERT_EQ(find_in_steps(cumulative, position), static_cast<std::size_t>(end - cumulative.begin()));
    }
    EXPECT_EQ(find_in_steps(cumulative, ~std::uint64_t{0}), size);
  }
}

}  // namespace
}  // namespace sotto

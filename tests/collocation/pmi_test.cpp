#include "collocation/pmi.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::collocation;

TEST(Pmi, FixedPointLogarithm) {
  const auto check = [](std::uint64_t value) {
    const long double exact = std::log2(static_cast<long double>(value)) * (1LL << kLogDigits);
    ASSERT_LE(std::abs(static_cast<long double>(log2_fixed(value)) - exact), 2.0L) << value;
  };
  for (std::uint64_t value = 1; value < 20000; ++value) check(value);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) check((random() >> random() % 64) | 1);
  check(~std::uint64_t{0});
  for (int bit = 0; bit < 64; ++bit)
    EXPECT_EQ(log2_fixed(std::uint64_t{1} << bit), std::int64_t{bit} << kLogDigits);
}

// Golden values: they must be the same on every machine.
TEST(Pmi, GoldenLogarithms) {
  EXPECT_EQ(log2_fixed(3), 1742684699131);
  EXPECT_EQ(log2_fixed(10), 3652498566964);
  EXPECT_EQ(log2_fixed(1000000007), 32872487113783);
}

TEST(Pmi, ScoresOfPowersOfTwoAreExact) {
  const std::vector<std::uint64_t> offsets = {0, 1, 2, 3};
  const std::vector<std::uint64_t> counts = {4, 12, 48};
  const RankedWords words{"abc", offsets, counts};
  const PmiScorer scorer(words, 64);
  EXPECT_EQ(scorer.pair(0, 1, 3), 2 * 65536);       // 64·3/(4·12) = 4
  EXPECT_EQ(scorer.pair(1, 2, 9), 0);               // 64·9/(12·48) = 1
  EXPECT_EQ(scorer.triple(0, 1, 2, 9), 4 * 65536);  // 64²·9/(4·12·48) = 16
  EXPECT_EQ(scorer.pair(2, 2, 1), -338816);         // log₂(1/36) = −5.169925…
}

TEST(Pmi, Connectors) {
  for (const char* word :
       {"a", "an", "the", "for", "of", "with", "without", "at", "from", "to", "in", "on", "by", "and", "or"})
    EXPECT_TRUE(is_connector(word)) << word;
  for (const char* word : {"", "b", "is", "thee", "The", "new"}) EXPECT_FALSE(is_connector(word)) << word;
}

}  // namespace
}  // namespace sotto

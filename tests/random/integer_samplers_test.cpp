#include "random/integer_samplers.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "random/bit_sources.hpp"
#include "support/scripted_bit_source.hpp"
#include "support/statistics.hpp"

namespace sotto {
namespace {

using namespace sotto::random;
using testing::chi_squared_test;
using testing::ScriptedBitSource;

constexpr double kAlpha = 1e-6;
constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};

TEST(UniformBelow, TakesTheHighHalfOfTheProduct) {
  ScriptedBitSource bits({kAllOnes, (std::uint64_t{1} << 63) + 1, 12345, kAllOnes});
  EXPECT_EQ(uniform_below(bits, 10), 9U);
  EXPECT_EQ(uniform_below(bits, 10), 5U);
  EXPECT_EQ(uniform_below(bits, 1), 0U);
  EXPECT_EQ(uniform_below(bits, kAllOnes), kAllOnes - 1);
  EXPECT_EQ(bits.words_drawn(), 4U);
}

TEST(UniformBelow, RejectsExactlyTheSurplus) {
  // 2^64 mod 10 = 6. The low halves of 0·10, …: word 0 has 0 < 6 and is rejected; the word with low half 6
  // exists only if 10·w = 6 mod 2^64 has a solution: w = 3·5^-1 mod 2^63.
  ScriptedBitSource rejected({0, kAllOnes});
  EXPECT_EQ(uniform_below(rejected, 10), 9U);
  EXPECT_EQ(rejected.words_drawn(), 2U);
  const std::uint64_t inverse_of_5 = 0xCCCCCCCCCCCCCCCDULL;
  const std::uint64_t accepted_word = 3 * inverse_of_5;
  ASSERT_EQ(10 * accepted_word, 6U);
  ScriptedBitSource accepted({accepted_word});
  EXPECT_LT(uniform_below(accepted, 10), 10U);
  const std::uint64_t rejected_word = 2 * inverse_of_5;
  ASSERT_EQ(10 * rejected_word, 4U);
  ScriptedBitSource also_rejected({rejected_word, 0, 1ULL << 62});
  EXPECT_EQ(uniform_below(also_rejected, 10), 2U);
  EXPECT_EQ(also_rejected.words_drawn(), 3U);
}

TEST(UniformBelow, HalfOfTheWordsAreRejectedJustAboveAPowerOfTwo) {
  // 2^64 mod (2^63 + 1) = 2^63 − 1. For odd bounds every low half occurs: exactly that many words are
  // rejected.
  const std::uint64_t bound = (std::uint64_t{1} << 63) + 1;
  ScriptedBitSource bits({0, 2, 4, 6, 1});
  // The low half of w·(2^63 + 1) is w + 2^63·(w mod 2): below 2^63 − 1 for small even w.
  EXPECT_EQ(uniform_below(bits, bound), 0U);
  EXPECT_EQ(bits.words_drawn(), 5U);
}

TEST(UniformBelow, IsUniform) {
  constexpr int kDraws = 1'000'000;
  ChaChaBitSource bits(key_from_seed(21));
  for (const std::uint64_t bound : {2U, 3U, 10U, 1000U}) {
    std::vector<std::uint64_t> counts(bound);
    for (int i = 0; i < kDraws; ++i) ++counts.at(uniform_below(bits, bound));
    const std::vector<double> uniform(bound, 1.0 / static_cast<double>(bound));
    SOTTO_EXPECT_PASSES(chi_squared_test(counts, uniform, kAlpha));
  }
}

TEST(UniformBelow, IsUniformWhereTheRemainderMethodIsNot) {
  // With the bound 3·2^62, `word % bound` gives the lowest third half of the time.
  constexpr int kDraws = 1'000'000;
  ChaChaBitSource bits(key_from_seed(22));
  std::array<std::uint64_t, 3> counts{};
  for (int i = 0; i < kDraws; ++i) ++counts.at(uniform_below(bits, 3ULL << 62) >> 62);
  SOTTO_EXPECT_PASSES(chi_squared_test(counts, std::array<double, 3>{1.0 / 3, 1.0 / 3, 1.0 / 3}, kAlpha));
}

TEST(Bernoulli, GoldenAndEdges) {
  ScriptedBitSource bits({0x7FFFFFFFFFFFFFFFULL, 0x8000000000000000ULL, 5, 5});
  EXPECT_TRUE(bernoulli(bits, 1, 2));
  EXPECT_FALSE(bernoulli(bits, 1, 2));
  EXPECT_FALSE(bernoulli(bits, 0, 4));
  EXPECT_TRUE(bernoulli(bits, 4, 4));
  EXPECT_EQ(bits.words_drawn(), 4U);
}

TEST(Bernoulli, HasTheStatedProbability) {
  constexpr std::uint64_t kDraws = 1'000'000;
  ChaChaBitSource bits(key_from_seed(23));
  struct Fraction {
    std::uint64_t numerator;
    std::uint64_t denominator;
  };
  for (const Fraction f :
       {Fraction{1, 5}, Fraction{2, 3}, Fraction{1, 1000}, Fraction{1ULL << 63, kAllOnes}}) {
    std::uint64_t successes = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) successes += bernoulli(bits, f.numerator, f.denominator);
    const double p = static_cast<double>(f.numerator) / static_cast<double>(f.denominator);
    const std::array<std::uint64_t, 2> counts{successes, kDraws - successes};
    SOTTO_EXPECT_PASSES(chi_squared_test(counts, std::array<double, 2>{p, 1 - p}, kAlpha));
  }
}

TEST(UniformBatch, GoldenAndWordsDrawn) {
  std::array<std::uint64_t, UniformBatch::kMostPerWord> values{};
  const UniformBatch coins(2);
  EXPECT_EQ(coins.per_word(), 48U);
  ScriptedBitSource coin_bits({0b1011ULL << 60});
  coins.draw(coin_bits, values);
  EXPECT_EQ(std::vector(values.begin(), values.begin() + 5), (std::vector<std::uint64_t>{1, 0, 1, 1, 0}));
  EXPECT_EQ(coin_bits.words_drawn(), 1U);

  const UniformBatch none(1);
  ScriptedBitSource no_bits({});
  none.draw(no_bits, values);
  EXPECT_EQ(values[0], 0U);
  EXPECT_EQ(no_bits.words_drawn(), 0U);

  // 3^30 values per word; the word 0 leaves the low half 0 < 2^64 mod 3^30 and is rejected.
  const UniformBatch thirds(3);
  EXPECT_EQ(thirds.per_word(), 30U);
  ScriptedBitSource third_bits({0, kAllOnes});
  thirds.draw(third_bits, values);
  EXPECT_EQ(std::vector(values.begin(), values.begin() + 30), std::vector<std::uint64_t>(30, 2));
  EXPECT_EQ(third_bits.words_drawn(), 2U);
}

// The whole batch must be the number that uniform_below(bound^per_word) gives, written in base `bound`.
TEST(UniformBatch, AgreesWithOneLargeDraw) {
  for (const std::uint64_t bound : {3U, 5U, 6U, 10U, 1000U}) {
    const UniformBatch batch(bound);
    std::uint64_t product = 1;
    for (std::size_t i = 0; i < batch.per_word(); ++i) product *= bound;
    ChaChaBitSource first(key_from_seed(bound));
    ChaChaBitSource second(key_from_seed(bound));
    std::array<std::uint64_t, UniformBatch::kMostPerWord> values{};
    for (int i = 0; i < 1000; ++i) {
      batch.draw(first, values);
      std::uint64_t number = 0;
      for (std::size_t place = 0; place < batch.per_word(); ++place) number = number * bound + values[place];
      ASSERT_EQ(number, uniform_below(second, product));
    }
  }
}

// n = 300,000 values of the first and of the last place, and of neighbouring pairs.
TEST(UniformBatch, PlacesAreUniformAndNeighboursIndependent) {
  const UniformBatch batch(3);
  ChaChaBitSource bits(key_from_seed(25));
  std::array<std::uint64_t, UniformBatch::kMostPerWord> values{};
  std::vector<std::uint64_t> first(3);
  std::vector<std::uint64_t> last(3);
  std::vector<std::uint64_t> pairs(9);
  for (int i = 0; i < 300'000; ++i) {
    batch.draw(bits, values);
    ++first.at(values[0]);
    ++last.at(values[batch.per_word() - 1]);
    ++pairs.at(values[0] * 3 + values[1]);
  }
  SOTTO_EXPECT_PASSES(chi_squared_test(first, std::vector<double>(3, 1.0 / 3), kAlpha));
  SOTTO_EXPECT_PASSES(chi_squared_test(last, std::vector<double>(3, 1.0 / 3), kAlpha));
  SOTTO_EXPECT_PASSES(chi_squared_test(pairs, std::vector<double>(9, 1.0 / 9), kAlpha));
}

TEST(UniformDigits, GoldenAndWordsDrawn) {
  std::string digits(18, '?');
  ScriptedBitSource bits({kAllOnes, kAllOnes / 2, kAllOnes / 4 * 3});
  uniform_digits(bits, digits);
  EXPECT_EQ(digits, "999999999999999999");
  EXPECT_EQ(bits.words_drawn(), 1U);
  digits.assign(20, '?');
  uniform_digits(bits, digits);
  EXPECT_EQ(digits, "49999999999999999974");
  EXPECT_EQ(bits.words_drawn(), 3U);
  uniform_digits(bits, {});
  EXPECT_EQ(bits.words_drawn(), 3U);
}

TEST(UniformDigits, PlacesAreUniformAndNeighboursIndependent) {
  constexpr int kDraws = 200'000;
  ChaChaBitSource bits(key_from_seed(24));
  for (const std::size_t length : {1U, 2U, 5U, 20U}) {
    std::vector<std::vector<std::uint64_t>> singles(length, std::vector<std::uint64_t>(10));
    std::vector<std::vector<std::uint64_t>> pairs(length, std::vector<std::uint64_t>(100));
    std::string digits(length, '?');
    for (int i = 0; i < kDraws; ++i) {
      uniform_digits(bits, digits);
      for (std::size_t place = 0; place < length; ++place) {
        ++singles[place].at(digits[place] - '0');
        if (place > 0) ++pairs[place].at((digits[place - 1] - '0') * 10 + digits[place] - '0');
      }
    }
    for (std::size_t place = 0; place < length; ++place) {
      const auto single = chi_squared_test(singles[place], std::vector<double>(10, 0.1), kAlpha / 100);
      EXPECT_TRUE(single.passed()) << length << " " << place << ": " << single;
      if (place == 0) continue;
      const auto pair = chi_squared_test(pairs[place], std::vector<double>(100, 0.01), kAlpha / 100);
      EXPECT_TRUE(pair.passed()) << length << " " << place << ": " << pair;
    }
  }
}

}  // namespace
}  // namespace sotto

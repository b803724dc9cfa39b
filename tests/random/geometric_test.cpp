#include "random/geometric.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "random/bit_sources.hpp"
#include "support/scripted_bit_source.hpp"
#include "support/statistics.hpp"

namespace sotto {
namespace {

using namespace sotto::random;
using testing::ScriptedBitSource;

// An evaluation that shares nothing with the library's: another arithmetic, 600 bits, no directed rounding.
using Integer = boost::multiprecision::cpp_int;
using Real = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<600, boost::multiprecision::digit_base_2>>;

constexpr double kAlpha = 1e-6;
constexpr std::uint64_t kLargest = (std::uint64_t{1} << 63) - 1;
constexpr std::uint64_t kBase = 1024;

Real power(double rate, std::uint64_t exponent) {
  return exp(-Real(rate) * exponent);
}

Real magnitude_survival(double epsilon, std::uint64_t m) {
  return 2 * power(epsilon, m + 1) / (1 + power(epsilon, 1));
}

Real digit_survival(double rate, std::uint64_t m) {
  return (power(rate, m + 1) - power(rate, kBase)) / (1 - power(rate, kBase));
}

Real one_sided_survival(double rate, std::uint64_t m) {
  return power(rate, m + 1);
}

/// Bits [first, first + count) of the binary expansion of x in (0, 1).
std::uint64_t bits_of(const Real& x, int first, int count) {
  const Integer leading = static_cast<Integer>(floor(ldexp(x, first + count)));
  return static_cast<std::uint64_t>(leading & ((Integer(1) << count) - 1));
}

std::uint64_t word(std::uint64_t v, bool negative = false) {
  return v << 1 | static_cast<std::uint64_t>(negative);
}

/// The first 63 bits of S(0), S(1), … up to the first that are all zero.
template <class Survival>
std::vector<std::uint64_t> leading_bits(double rate, const Survival& survival, std::uint64_t most = ~0ULL) {
  std::vector<std::uint64_t> thresholds;
  do {
    thresholds.push_back(bits_of(survival(rate, thresholds.size()), 0, 63));
  } while (thresholds.back() != 0 && thresholds.size() < most);
  return thresholds;
}

/// Calls check(v, m) for values v just above and below each threshold where m is correct and no more bits are
/// needed.
template <class Check>
void for_each_border(const std::vector<std::uint64_t>& thresholds, const Check& check) {
  const auto at_most = [&](std::uint64_t v) {
    return std::partition_point(thresholds.begin(), thresholds.end(), [v](std::uint64_t t) { return t > v; });
  };
  const auto check_value = [&](std::uint64_t v) {
    const auto found = at_most(v);
    if (found == thresholds.end() || *found == v) return;
    check(v, static_cast<std::uint64_t>(found - thresholds.begin()));
  };
  for (const std::uint64_t threshold : thresholds) {
    if (threshold > 0) check_value(threshold - 1);
    if (threshold < kLargest) check_value(threshold + 1);
  }
  check_value(kLargest);
}

TEST(TwoSidedGeometric, EveryTableEntryEqualsAnIndependentEvaluation) {
  for (const double epsilon : {1.0 / 32, 0.1, 0.5, 1.0, 3.0, 10.0, 50.0, 1e6}) {
    const TwoSidedGeometric law(epsilon);
    int checked = 0;
    for_each_border(leading_bits(epsilon, magnitude_survival), [&](std::uint64_t v, std::uint64_t m) {
      ScriptedBitSource bits({word(v), word(v, true)});
      const auto expected = static_cast<std::int64_t>(m);
      ASSERT_EQ(law.sample(bits), expected) << epsilon;
      ASSERT_EQ(law.sample(bits), -expected) << epsilon;
      ASSERT_EQ(bits.words_drawn(), 2U);
      ++checked;
    });
    EXPECT_GE(checked, 1);
  }
}

/// Scripts a V that agrees with S(m) in its first 63 or first 127 bits and departs from it just after.
void check_undecided(const TwoSidedGeometric& law, std::uint64_t m) {
  const Real threshold = magnitude_survival(law.epsilon(), m);
  const std::uint64_t first = bits_of(threshold, 0, 63);
  const std::uint64_t second = bits_of(threshold, 63, 64);
  const std::uint64_t third = bits_of(threshold, 127, 64);
  const auto here = static_cast<std::int64_t>(m);
  const auto draw = [&](const std::vector<std::uint64_t>& words) {
    ScriptedBitSource bits(words);
    const std::int64_t result = law.sample(bits);
    EXPECT_EQ(bits.words_drawn(), words.size());
    return result;
  };
  EXPECT_EQ(draw({word(first), second + 1}), here);
  EXPECT_EQ(draw({word(first, true), second + 1}), -here);
  EXPECT_EQ(draw({word(first), second, third + 1}), here);
  EXPECT_EQ(draw({word(first), second - 1}), here + 1);
  EXPECT_EQ(draw({word(first, true), second - 1}), -here - 1);
  EXPECT_EQ(draw({word(first), second, third - 1}), here + 1);
}

TEST(TwoSidedGeometric, UndecidedComparisonsDrawFurtherBits) {
  // A table entry that is off by one shows here and nowhere else.
  for (const double epsilon : {1.0 / 32, 0.1, 0.5, 1.0, 3.0, 10.0}) {
    const TwoSidedGeometric law(epsilon);
    const std::uint64_t entries = leading_bits(epsilon, magnitude_survival).size() - 1;
    for (std::uint64_t m = 0; m < entries; ++m) check_undecided(law, m);
  }
}

TEST(TwoSidedGeometric, TheTailBeyondTheTableIsExact) {
  // V = 0 in 63 bits: the table ends here, and only the following words decide.
  for (const double epsilon : {0.1, 1.0, 3.0, 20.0, 50.0, 100.0}) {
    const TwoSidedGeometric law(epsilon);
    for (const std::uint64_t next : {~0ULL, 0x123456789ABCDEFULL, 1ULL << 40, 5ULL, 1ULL}) {
      const Real v = ldexp(Real(next) + 0.5, -127);
      std::uint64_t expected = 0;
      std::size_t words = 2;
      for (;; ++expected) {
        const Real survival = magnitude_survival(epsilon, expected);
        if (floor(ldexp(survival, 127)) == next) words = 3;
        if (v >= survival) break;
      }
      ScriptedBitSource bits({word(0), next, std::uint64_t{1} << 63});
      EXPECT_EQ(law.sample(bits), static_cast<std::int64_t>(expected)) << epsilon << " " << next;
      EXPECT_EQ(bits.words_drawn(), words) << epsilon << " " << next;
    }
  }
  // At ε = 1e6, S(0) = 2·e^-1000000 starts with a million zeros.
  ScriptedBitSource bits({word(0), 0, 0, 0, 1});
  EXPECT_EQ(TwoSidedGeometric(1e6).sample(bits), 0);
  EXPECT_EQ(bits.words_drawn(), 5U);
}

/// The rates of the digits of a small ε, lowest first; the last digit is unbounded.
std::vector<double> digit_rates(double epsilon) {
  std::vector<double> rates{epsilon};
  while (rates.back() < 1.0 / 32) rates.push_back(rates.back() * 1024);
  return rates;
}

TEST(TwoSidedGeometric, EveryDigitTableEqualsAnIndependentEvaluation) {
  for (const double epsilon : {1e-9, 1e-6, 0.01, 0.031}) {
    const TwoSidedGeometric law(epsilon);
    const std::vector<double> rates = digit_rates(epsilon);
    std::int64_t place = 1;
    for (std::size_t digit = 0; digit < rates.size(); ++digit, place *= kBase) {
      const bool last = digit + 1 == rates.size();
      auto thresholds = last ? leading_bits(rates[digit], one_sided_survival)
                             : leading_bits(rates[digit], digit_survival, kBase - 1);
      if (!last) thresholds.push_back(0);
      std::size_t checked = 0;
      for_each_border(thresholds, [&](std::uint64_t v, std::uint64_t m) {
        // All ones make the other digits zero; the last word also carries the sign.
        std::vector<std::uint64_t> words(rates.size(), word(kLargest));
        words[digit] = word(v, last);
        ScriptedBitSource bits(words);
        const std::int64_t value = place * static_cast<std::int64_t>(m);
        if (last && m == 0) return;  // minus zero is redrawn
        ASSERT_EQ(law.sample(bits), last ? -value : value) << epsilon << " digit " << digit;
        ASSERT_EQ(bits.words_drawn(), rates.size());
        ++checked;
      });
      EXPECT_GT(checked, last ? 0U : 2000U);
    }
  }
}

TEST(TwoSidedGeometric, DigitsCombineAndMinusZeroStartsAgain) {
  const double epsilon = 1e-6;
  const TwoSidedGeometric law(epsilon);
  const std::vector<double> rates = digit_rates(epsilon);
  ASSERT_EQ(rates.size(), 3U);
  const auto v_of = [](const Real& survival) { return bits_of(survival, 0, 63) + 1; };
  const std::vector<std::uint64_t> words = {word(kLargest),
                                            word(kLargest),
                                            word(kLargest, true),  // (0, minus)
                                            word(v_of(digit_survival(rates[0], 5))),
                                            word(v_of(digit_survival(rates[1], 1000))),
                                            word(v_of(one_sided_survival(rates[2], 3)), true)};
  ScriptedBitSource bits(words);
  EXPECT_EQ(law.sample(bits), -(5 + 1000 * 1024 + 3 * 1024 * 1024));
  EXPECT_EQ(bits.words_drawn(), 6U);
  ScriptedBitSource zero({word(kLargest), word(kLargest), word(kLargest)});
  EXPECT_EQ(law.sample(zero), 0);
}

TEST(TwoSidedGeometric, UndecidedDigits) {
  const double epsilon = 0.01;
  const TwoSidedGeometric law(epsilon);
  for (std::uint64_t m = 0; m + 1 < kBase; ++m) {
    const Real threshold = digit_survival(epsilon, m);
    const std::uint64_t first = bits_of(threshold, 0, 63);
    const std::uint64_t second = bits_of(threshold, 63, 64);
    ScriptedBitSource above({word(first), second + 1, word(kLargest)});
    ASSERT_EQ(law.sample(above), static_cast<std::int64_t>(m));
    ASSERT_EQ(above.words_drawn(), 3U);
    ScriptedBitSource below({word(first), second - 1, word(kLargest)});
    ASSERT_EQ(law.sample(below), static_cast<std::int64_t>(m + 1));
    ASSERT_EQ(below.words_drawn(), 3U);
  }
}

TEST(TwoSidedGeometric, TheLargestDigitEndsAtZeroExactly) {
  ScriptedBitSource bits({word(0), word(kLargest)});
  EXPECT_EQ(TwoSidedGeometric(0.01).sample(bits), 1023);
  EXPECT_EQ(bits.words_drawn(), 2U);
}

/// P(K >= k) in long double.
long double exact_tail(double epsilon, std::int64_t k) {
  const long double e = epsilon;
  if (k > 0) return std::exp(-e * k) / (1 + std::exp(-e));
  return 1 - exact_tail(epsilon, 1 - k);
}

TEST(TwoSidedGeometric, ProbabilityAndTailAgreeWithLongDouble) {
  for (const double epsilon : {1e-9, 1e-6, 0.01, 0.1, 1.0, 10.0, 50.0}) {
    const TwoSidedGeometric law(epsilon);
    for (const std::int64_t k : {-1'000'000, -100, -3, -1, 0, 1, 2, 7, 1000, 1'000'000}) {
      // ε·k is rounded once, which changes the exponential by its relative error times |ε·k|.
      const double tolerance = 1e-15 * (4 + epsilon * std::abs(static_cast<double>(k)));
      const long double p = std::tanh(epsilon / 2.0L) * std::exp(-(long double)epsilon * std::abs(k));
      const long double tail = exact_tail(epsilon, k);
      EXPECT_NEAR(law.probability(k), static_cast<double>(p), tolerance * static_cast<double>(p)) << k;
      EXPECT_NEAR(law.tail(k), static_cast<double>(tail), tolerance * static_cast<double>(tail)) << k;
    }
  }
}

/// χ² of n draws over cells [i·width, (i+1)·width) of K and two open ends.
testing::TestOutcome draw_and_test(double epsilon, int n, std::uint64_t seed) {
  const TwoSidedGeometric law(epsilon);
  const auto width = static_cast<std::int64_t>(std::ceil(0.05 / epsilon));
  const auto cells_a_side = static_cast<std::int64_t>(std::ceil(16 / (epsilon * static_cast<double>(width))));
  std::vector<std::uint64_t> counts(2 * cells_a_side);
  std::vector<double> probabilities;
  for (std::int64_t cell = -cells_a_side; cell < cells_a_side; ++cell) {
    const long double low = cell == -cells_a_side ? 1 : exact_tail(epsilon, cell * width);
    const long double high = cell == cells_a_side - 1 ? 0 : exact_tail(epsilon, (cell + 1) * width);
    probabilities.push_back(static_cast<double>(low - high));
  }
  ChaChaBitSource bits(key_from_seed(seed));
  for (int i = 0; i < n; ++i) {
    const std::int64_t k = law.sample(bits);
    const std::int64_t cell = k >= 0 ? k / width : -((-k - 1) / width) - 1;
    ++counts[std::clamp(cell, -cells_a_side, cells_a_side - 1) + cells_a_side];
  }
  return testing::chi_squared_test(counts, probabilities, kAlpha);
}

TEST(TwoSidedGeometric, HasItsDistribution) {
  constexpr int kDraws = 2'000'000;
  for (const double epsilon : {1e-6, 0.01, 0.1, 0.5, 1.0, 3.0, 10.0})
    SOTTO_EXPECT_PASSES(draw_and_test(epsilon, kDraws, 61));
}

TEST(TwoSidedGeometric, AtLargeEpsilonEveryDrawIsZero) {
  // At ε = 50 a million draws include a nonzero one with probability below 1e-15.
  constexpr int kDraws = 1'000'000;
  const TwoSidedGeometric law(50);
  ChaChaBitSource bits(key_from_seed(62));
  for (int i = 0; i < kDraws; ++i) ASSERT_EQ(law.sample(bits), 0);
}

TEST(TwoSidedGeometric, LowDigitsFollowTheirLawAtSmallEpsilon) {
  // Coarse cells do not see the lowest digit: here |K| mod 1024, nearly uniform, is tested alone.
  constexpr int kDraws = 2'000'000;
  const double epsilon = 1e-5;
  const TwoSidedGeometric law(epsilon);
  ChaChaBitSource bits(key_from_seed(63));
  std::vector<std::uint64_t> counts(kBase);
  for (int i = 0; i < kDraws; ++i) ++counts[std::abs(law.sample(bits)) % kBase];
  std::vector<double> probabilities;
  const Real p0 = (1 - power(epsilon, 1)) / (1 + power(epsilon, 1));
  for (std::uint64_t r = 0; r < kBase; ++r) {
    Real p = 2 * p0 * power(epsilon, r) / (1 - power(epsilon, kBase));
    if (r == 0) p -= p0;  // zero has one sign only
    probabilities.push_back(static_cast<double>(p));
  }
  SOTTO_EXPECT_PASSES(testing::chi_squared_test(counts, probabilities, kAlpha));
}

}  // namespace
}  // namespace sotto

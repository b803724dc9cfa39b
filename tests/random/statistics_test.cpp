// The tests' own tools must be able to fail.
#include "support/statistics.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "random/bit_sources.hpp"
#include "random/integer_samplers.hpp"
#include "support/scripted_bit_source.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::random;
using Counts = std::vector<std::uint64_t>;
using Probabilities = std::vector<double>;

TEST(ChiSquared, ComputesStatisticAndCriticalValue) {
  const TestOutcome outcome = chi_squared_test(Counts{40, 60}, Probabilities{0.5, 0.5}, 0.05);
  EXPECT_DOUBLE_EQ(outcome.statistic, 4);
  EXPECT_NEAR(outcome.critical_value, 3.841459, 1e-6);  // tables of χ², one degree of freedom
  EXPECT_EQ(outcome.degrees_of_freedom, 1U);
  EXPECT_EQ(outcome.n, 100U);
  EXPECT_FALSE(outcome.passed());
}

TEST(ChiSquared, MergesSmallCells) {
  const TestOutcome outcome =
      chi_squared_test(Counts{50, 6, 5, 30, 9}, Probabilities{0.5, 0.05, 0.05, 0.35, 0.05}, 1e-6);
  // Cells: 50 of 50, 11 of 10, 39 of 40.
  EXPECT_NEAR(outcome.statistic, 0.1 + 1.0 / 40, 1e-12);
  EXPECT_EQ(outcome.degrees_of_freedom, 2U);
}

TEST(ChiSquared, ImpossibleOutcomesFail) {
  EXPECT_FALSE(chi_squared_test(Counts{500, 1, 500}, Probabilities{0.5, 0, 0.5}, 1e-6).passed());
}

TEST(ChiSquared, RefusesMalformedQuestions) {
  EXPECT_THROW(chi_squared_test(Counts{1}, Probabilities{0.5, 0.5}, 1e-6), std::logic_error);
  EXPECT_THROW(chi_squared_test(Counts{50, 50}, Probabilities{0.5, 0.4}, 1e-6), std::logic_error);
  EXPECT_THROW(chi_squared_test(Counts{1, 1}, Probabilities{0.5, 0.5}, 1e-6), std::logic_error);
}

TEST(ChiSquared, CatchesABiasOfOnePercent) {
  constexpr int kDraws = 1'000'000;
  ChaChaBitSource bits(key_from_seed(51));
  Counts counts(2);
  for (int i = 0; i < kDraws; ++i) ++counts[bernoulli(bits, 505, 1000)];
  EXPECT_FALSE(chi_squared_test(counts, Probabilities{0.5, 0.5}, 1e-6).passed());
}

TEST(KolmogorovSmirnov, ComputesStatisticAndCriticalValue) {
  const auto uniform = [](double x) { return x; };
  const TestOutcome outcome = kolmogorov_smirnov_test({0.9, 0.1, 0.2, 0.3}, uniform, 0.05);
  EXPECT_NEAR(outcome.statistic, 0.75 - 0.3, 1e-12);
  EXPECT_NEAR(outcome.critical_value, std::sqrt(std::log(40.0) / 8), 1e-12);
}

TEST(KolmogorovSmirnov, CatchesAShift) {
  ChaChaBitSource bits(key_from_seed(52));
  std::vector<double> sample(200'000);
  for (double& x : sample) x = static_cast<double>(bits.next() >> 11) * 0x1p-53;
  const auto clamp = [](double x) { return std::min(1.0, std::max(0.0, x)); };
  EXPECT_TRUE(kolmogorov_smirnov_test(sample, clamp, 1e-6).passed());
  EXPECT_FALSE(kolmogorov_smirnov_test(
                   sample, [&](double x) { return clamp(x - 0.01); }, 1e-6)
                   .passed());
}

TEST(ScriptedBitSource, CountsAndRunsOut) {
  ScriptedBitSource bits({7, 8});
  EXPECT_EQ(bits.words_drawn(), 0U);
  EXPECT_EQ(bits.next(), 7U);
  EXPECT_EQ(bits.next(), 8U);
  EXPECT_EQ(bits.words_drawn(), 2U);
  EXPECT_THROW(bits.next(), std::logic_error);
}

}  // namespace
}  // namespace sotto::testing

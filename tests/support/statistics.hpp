// Statistical tests with derived critical values. Every test states its n and its α, the probability of
// failing although the code is right.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace sotto::testing {

/// A statistic, the value it exceeds with probability at most α under the hypothesis, and the parameters.
struct TestOutcome {
  double statistic = 0;
  double critical_value = 0;
  std::size_t degrees_of_freedom = 0;  ///< of a χ² test
  std::uint64_t n = 0;
  double alpha = 0;

  bool passed() const { return statistic <= critical_value; }
};

inline std::ostream& operator<<(std::ostream& out, const TestOutcome& outcome) {
  out << "statistic " << outcome.statistic << ", critical value " << outcome.critical_value;
  if (outcome.degrees_of_freedom > 0) out << ", degrees of freedom " << outcome.degrees_of_freedom;
  return out << ", n " << outcome.n << ", alpha " << outcome.alpha;
}

/// Pearson's χ² test of counts against probabilities that add up to 1. Neighbouring cells are merged, in
/// order, until each expects at least `smallest_expected`. A count in a cell of probability zero fails
/// outright: the statistic is infinite.
TestOutcome chi_squared_test(std::span<const std::uint64_t> observed, std::span<const double> probabilities,
                             double alpha, double smallest_expected = 10);

/// The Kolmogorov–Smirnov test of a sample against a continuous distribution function. The critical value is
/// that of the Dvoretzky–Kiefer–Wolfowitz inequality with Massart's constant, P(D > t) <= 2·exp(−2·n·t²),
/// which holds for every n.
template <class Cdf>
TestOutcome kolmogorov_smirnov_test(std::vector<double> sample, const Cdf& cdf, double alpha) {
  std::sort(sample.begin(), sample.end());
  TestOutcome outcome;
  outcome.alpha = alpha;
  outcome.n = sample.size();
  const auto n = static_cast<double>(sample.size());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = cdf(sample[i]);
    const auto rank = static_cast<double>(i);
    outcome.statistic = std::max({outcome.statistic, f - rank / n, (rank + 1) / n - f});
  }
  outcome.critical_value = std::sqrt(std::log(2 / alpha) / (2 * n));
  return outcome;
}

}  // namespace sotto::testing

/// Prints the outcome and expects the statistic not to exceed the critical value.
#define SOTTO_EXPECT_PASSES(outcome_expression)                               \
  do {                                                                        \
    const ::sotto::testing::TestOutcome sotto_outcome = (outcome_expression); \
    ::std::cout << "    " #outcome_expression ": " << sotto_outcome << "\n";  \
    EXPECT_TRUE(sotto_outcome.passed()) << sotto_outcome;                     \
  } while (false)

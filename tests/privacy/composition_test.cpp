#include <cmath>

#include <gtest/gtest.h>

#include <sotto/composition.hpp>

namespace sotto {
namespace {

Guarantee pure(double epsilon, double rho = 0) {
  Guarantee guarantee;
  guarantee.kind = GuaranteeKind::analytic;
  guarantee.epsilon = epsilon;
  guarantee.rho = rho;
  return guarantee;
}

Guarantee metric(double epsilon, std::string model) {
  Guarantee guarantee = pure(epsilon);
  guarantee.unit = {"Euclidean distance", std::move(model)};
  return guarantee;
}

TEST(Composition, PureEpsilonsAddUpAndAreRoundedUp) {
  Composition composition;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(composition.add(pure(0.1), 1));
  ASSERT_EQ(composition.losses().size(), 1U);
  const ComposedLoss& loss = composition.losses().front();
  EXPECT_EQ(loss.draws, 10U);
  EXPECT_GE(loss.epsilon, 1.0);  // 0.1 is slightly more than 1/10 in binary, and plain summation gives less
  EXPECT_NEAR(loss.epsilon, 1.0, 1e-14);
}

TEST(Composition, UnitsAndScopesNeverMix) {
  Composition composition;
  Guarantee group = pure(1);
  group.scope = GuaranteeScope::group;
  ASSERT_TRUE(composition.add(pure(1), 3));
  ASSERT_TRUE(composition.add(metric(2, "a"), 5));
  ASSERT_TRUE(composition.add(metric(2, "b"), 7));
  ASSERT_TRUE(composition.add(group, 11));
  ASSERT_TRUE(composition.add(metric(0.5, "a"), 2));
  ASSERT_EQ(composition.losses().size(), 4U);
  EXPECT_DOUBLE_EQ(composition.losses()[0].epsilon, 3);
  EXPECT_DOUBLE_EQ(composition.losses()[1].epsilon, 11);
  EXPECT_DOUBLE_EQ(composition.losses()[2].epsilon, 14);
  EXPECT_DOUBLE_EQ(composition.losses()[3].epsilon, 11);
}

/// 100 tokens of santext-plus at p = 0.2 promise 100·ε·d plus 100·ln 5, and nothing for other outputs, whose
/// divergence is unbounded.
TEST(Composition, AnAdditiveTermAddsUpAndHasNoRho) {
  Guarantee sensitive = metric(1, "a");
  sensitive.scope = GuaranteeScope::sensitive_outputs;
  sensitive.additive = std::log(5);
  Composition composition;
  ASSERT_TRUE(composition.add(sensitive, 100));
  const ComposedLoss& loss = composition.losses().front();
  EXPECT_DOUBLE_EQ(loss.epsilon, 100);
  EXPECT_GE(loss.additive, 100 * std::log(5));
  EXPECT_NEAR(loss.additive, 100 * std::log(5), 1e-9);
  EXPECT_FALSE(loss.rho);
  EXPECT_FALSE(zcdp(sensitive));
}

TEST(Composition, TextsMustShareWhatAnyOfTheDrawsNeeds) {
  Guarantee first = pure(1);
  first.adjacency = {SharedTrait::token_classes, SharedTrait::kept_numbers};
  Guarantee second = pure(1);
  second.adjacency = {SharedTrait::token_classes, SharedTrait::letter_case};
  Composition composition;
  ASSERT_TRUE(composition.add(first, 1));
  ASSERT_TRUE(composition.add(second, 1));
  EXPECT_EQ(composition.losses().front().adjacency,
            (std::vector{SharedTrait::token_classes, SharedTrait::kept_numbers, SharedTrait::letter_case}));
}

TEST(Composition, WhatPromisesNothingIsRefused) {
  Composition composition;
  Guarantee none;
  none.statement = "No differential privacy.";
  const auto result = composition.add(none, 1);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("No differential privacy."), std::string::npos);
  EXPECT_TRUE(composition.losses().empty());
}

TEST(Composition, ExponentialMechanismsAreFourTimesBetterInRho) {
  EXPECT_DOUBLE_EQ(*zcdp(pure(2)), 2);
  EXPECT_DOUBLE_EQ(*zcdp(pure(2, 0.5)), 0.5);
  Composition composition;
  ASSERT_TRUE(composition.add(pure(2, 0.5), 8));
  EXPECT_DOUBLE_EQ(*composition.losses().front().rho, 4);
}

// The Gaussian mechanism with sensitivity 1 and deviation σ is 1/(2σ²)-zCDP, and its δ for an ε is known
// exactly (Balle and Wang, 2018): the conversion must not promise more than holds for it.
double gaussian_delta(double epsilon, double sigma) {
  const auto tail = [](double x) { return std::erfc(x / std::sqrt(2.0)) / 2; };
  return tail(epsilon * sigma - 1 / (2 * sigma)) -
         std::exp(epsilon) * tail(epsilon * sigma + 1 / (2 * sigma));
}

TEST(ZeroConcentrated, ConversionHoldsForTheGaussianAndBeatsTheTextbook) {
  for (const double sigma : {0.3, 1.0, 4.0, 30.0}) {
    for (const double delta : {1e-2, 1e-6, 1e-10}) {
      const double rho = 1 / (2 * sigma * sigma);
      const auto epsilon = epsilon_for_delta(rho, delta);
      ASSERT_TRUE(epsilon);
      EXPECT_LE(gaussian_delta(*epsilon, sigma), delta) << sigma << ' ' << delta;
      EXPECT_LT(*epsilon, rho + 2 * std::sqrt(rho * std::log(1 / delta)));
    }
  }
}

// Randomized response whose loss is ±ε/2 has a range of ε, so ρ = ε²/8. The (ε, δ) of many answers together
// must cover their exact, binomial loss.
TEST(ZeroConcentrated, CompositionHoldsForRandomizedResponse) {
  constexpr int kDraws = 200;
  constexpr double kEpsilon = 0.4;
  constexpr double kDelta = 1e-6;
  const double p = 1 / (1 + std::exp(-kEpsilon / 2));
  Composition composition;
  ASSERT_TRUE(composition.add(pure(kEpsilon, kEpsilon * kEpsilon / 8), kDraws));
  const auto total = epsilon_for_delta(*composition.losses().front().rho, kDelta);
  ASSERT_TRUE(total);
  double delta = 0;
  for (int k = 0; k <= kDraws; ++k) {
    const double loss = kEpsilon / 2 * (2 * k - kDraws);
    if (loss <= *total) continue;
    const double log_probability = std::lgamma(kDraws + 1) - std::lgamma(k + 1) -
                                   std::lgamma(kDraws - k + 1) + k * std::log(p) +
                                   (kDraws - k) * std::log1p(-p);
    delta += std::exp(log_probability) * (1 - std::exp(*total - loss));
  }
  EXPECT_LE(delta, kDelta);
  EXPECT_GT(delta, kDelta / 1000) << "the bound should not be far off";
  EXPECT_LT(*total, kDraws * kEpsilon / 2) << "and beats adding up";
}

TEST(ZeroConcentrated, BadValuesAreNamed) {
  EXPECT_FALSE(epsilon_for_delta(-1, 0.5));
  EXPECT_FALSE(epsilon_for_delta(std::nan(""), 0.5));
  for (const double delta : {0.0, 1.0, -1.0, 2.0}) {
    const auto result = epsilon_for_delta(1, delta);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().parameter, "delta");
  }
  EXPECT_EQ(*epsilon_for_delta(0, 1e-6), 0);
}

}  // namespace
}  // namespace sotto

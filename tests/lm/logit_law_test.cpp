#include "lm/logit_law.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "random/bit_sources.hpp"
#include "support/result_matchers.hpp"
#include "support/statistics.hpp"

namespace sotto {
namespace {

using namespace sotto::lm;
using testing::chi_squared_test;
using testing::expect_error;

std::vector<std::uint32_t> all_outcomes(std::size_t size) {
  std::vector<std::uint32_t> outcomes(size);
  std::iota(outcomes.begin(), outcomes.end(), 0);
  return outcomes;
}

/// The law of the exponential mechanism, in long double and without integers.
std::vector<double> exact_law(std::span<const float> logits, LogitBounds bounds, double epsilon,
                              std::span<const float> base = {}) {
  std::vector<long double> terms;
  long double total = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const long double clipped = std::clamp(logits[i], bounds.lowest, bounds.highest);
    const long double range = static_cast<long double>(bounds.highest) - bounds.lowest;
    terms.push_back(
        std::exp((clipped - bounds.highest) * epsilon / (2 * range) + (base.empty() ? 0 : base[i])));
    total += terms.back();
  }
  std::vector<double> law;
  for (const long double term : terms) law.push_back(static_cast<double>(term / total));
  return law;
}

TEST(LogitLaw, IsTheExponentialMechanismFrom1To250) {
  // 400 outcomes; logits exceed the bounds on both sides, and several lie near the upper bound, so that no ε
  // makes the outcome certain. n = 200,000 draws per ε, α = 1e-6.
  constexpr std::size_t kOutcomes = 400;
  constexpr std::uint64_t kDraws = 200'000;
  const LogitBounds bounds{-2, 7, false};
  std::vector<float> logits;
  for (std::size_t i = 0; i < kOutcomes; ++i)
    logits.push_back(static_cast<float>(5 * std::sin(static_cast<double>(i)) + (i % 97 == 0 ? 4 : 0)));
  for (std::size_t i = 5; i < kOutcomes; i += 40) logits[i] = 7.05F - 0.0005F * static_cast<float>(i);
  for (const double epsilon : {1.0, 5.0, 10.0, 25.0, 42.0, 50.0, 100.0, 250.0}) {
    const LogitLaw law = LogitLaw::make(bounds, epsilon, all_outcomes(kOutcomes), {}).value();
    random::ChaChaBitSource bits(random::key_from_seed(static_cast<std::uint64_t>(epsilon)));
    std::vector<std::uint64_t> counts(kOutcomes), scratch;
    ASSERT_TRUE(law.weights(logits, scratch));
    for (std::uint64_t i = 0; i < kDraws; ++i) ++counts[DrawLaw::draw_weighted(scratch, bits)];
    SOTTO_EXPECT_PASSES(chi_squared_test(counts, exact_law(logits, bounds, epsilon), 1e-6));
  }
}

TEST(LogitLaw, WeightsAreTheLawToManyDigits) {
  const LogitBounds bounds{0, 10, true};
  const std::vector<float> logits = {0, 1, 2.5, 9, 10, 10, 3};
  const std::vector<float> base = {-1, -2, -8, -0.5F, -3, -1, -20};
  for (const double epsilon : {1e-9, 0.1, 1.0, 30.0, 42.97}) {
    for (const bool with_base : {false, true}) {
      const std::span<const float> measure =
          with_base ? std::span<const float>(base) : std::span<const float>();
      const LogitLaw law = LogitLaw::make(bounds, epsilon, all_outcomes(logits.size()), measure).value();
      std::vector<std::uint64_t> weights;
      ASSERT_TRUE(law.weights(logits, weights));
      const double total = static_cast<double>(std::accumulate(weights.begin(), weights.end(), 0ULL));
      const std::vector<double> expected = exact_law(logits, bounds, epsilon, measure);
      // A weight is off by at most one unit; the largest possible weight is 2^50.
      for (std::size_t i = 0; i < logits.size(); ++i)
        EXPECT_NEAR(static_cast<double>(weights[i]) / total, expected[i], 1e-9 * expected[i] + 1.01 / total)
            << epsilon << " " << i;
    }
  }
}

/// The log of the largest ratio of probabilities, from the integers.
double loss(const LogitLaw& law, std::span<const float> a, std::span<const float> b,
            double* range = nullptr) {
  std::vector<std::uint64_t> x, y;
  EXPECT_TRUE(law.weights(a, x));
  EXPECT_TRUE(law.weights(b, y));
  long double total_x = 0;
  long double total_y = 0;
  for (const std::uint64_t w : x) total_x += w;
  for (const std::uint64_t w : y) total_y += w;
  long double largest = -INFINITY;
  long double smallest = INFINITY;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double ratio = std::log(static_cast<long double>(x[i])) -
                              std::log(static_cast<long double>(y[i])) - std::log(total_x) +
                              std::log(total_y);
    largest = std::max(largest, ratio);
    smallest = std::min(smallest, ratio);
  }
  if (range) *range = static_cast<double>(largest - smallest);
  return static_cast<double>(std::max(largest, -smallest));
}

TEST(LogitLaw, NoPairOfInputsLosesMoreThanPromised) {
  EXPECT_TRUE(rc::check([] {
    const double epsilon = std::exp(*rc::gen::inRange(-20, 60) / 10.0);
    const auto size = *rc::gen::inRange<std::size_t>(1, 40);
    const auto numbers = [&] {
      return *rc::gen::container<std::vector<float>>(
          size,
          rc::gen::map(rc::gen::inRange(-1500, 1500), [](int i) { return static_cast<float>(i) / 100; }));
    };
    const std::vector<float> a = numbers();
    const std::vector<float> b = numbers();
    const std::vector<float> base = numbers();
    const bool with_base = *rc::gen::arbitrary<bool>();
    const LogitLaw law =
        LogitLaw::make({-3, 4, false}, epsilon, all_outcomes(size), with_base ? base : std::vector<float>())
            .value();
    double range = 0;
    const double largest = loss(law, a, b, &range);
    RC_ASSERT(largest <= epsilon * (1 + 1e-15));
    // Either one bounds the Rényi divergence of order α by ρ·α.
    RC_ASSERT(std::min(range * range / 8, largest) <= law.guarantee().rho * (1 + 1e-15));
  }));
}

TEST(LogitLaw, TheWorstPairReachesHalfOfIt) {
  // One word at the top and the other at the bottom, against the reverse: the loss is ε/2. With many words
  // the totals differ too, and it comes near ε/2 + ε/2.
  const LogitLaw law = LogitLaw::make({0, 1, true}, 10, all_outcomes(2), {}).value();
  const std::vector<float> a = {1, 0}, b = {0, 1};
  EXPECT_GT(loss(law, a, b), 4.99);
  EXPECT_LE(loss(law, a, b), 10);
}

TEST(LogitLaw, SupportIsFull) {
  // At ε = 250 the least likely outcome has probability e^−125 in real numbers; here it remains possible.
  const LogitLaw law = LogitLaw::make({0, 1, true}, 250, all_outcomes(3), {}).value();
  std::vector<std::uint64_t> weights;
  ASSERT_TRUE(law.weights(std::vector<float>{0, 0.5F, 1}, weights));
  for (const std::uint64_t weight : weights) EXPECT_GE(weight, 1U);
}

TEST(LogitLaw, OnlyOutcomesComeOut) {
  const std::vector<float> logits = {9, 9, 9, 0, 9};
  const LogitLaw law = LogitLaw::make({0, 10, true}, 100, {3, 1}, {}).value();
  random::ChaChaBitSource bits(random::key_from_seed(1));
  LawMemory memory;
  DrawWeights weights;
  ASSERT_TRUE(law.weigh({logits}, memory, weights));
  for (int i = 0; i < 1000; ++i) EXPECT_LT(law.sample(weights, bits), 2U);
}

TEST(LogitLaw, Refuses) {
  const LogitLaw law = LogitLaw::make({0, 1, true}, 1, all_outcomes(2), {}).value();
  std::vector<std::uint64_t> weights;
  expect_error(law.weights(std::vector<float>{0, std::nanf("")}, weights), Errc::bad_format,
               {"not a number"});
  EXPECT_TRUE(law.weights(std::vector<float>{-INFINITY, INFINITY}, weights));
  for (const LogitBounds bad :
       {LogitBounds{1, 1, true}, LogitBounds{2, 1, true}, LogitBounds{0, INFINITY, true}})
    expect_error(LogitLaw::make(bad, 1, all_outcomes(2), {}), Errc::bad_format, {"finite"});
  for (const double epsilon : {0.0, -1.0, 1e7, std::nan("")})
    expect_error(LogitLaw::make({0, 1, true}, epsilon, all_outcomes(2), {}), Errc::invalid_argument,
                 "epsilon", {});
  expect_error(LogitLaw::make({0, 1, true}, 1, {}, {}), Errc::bad_format, {"no word"});
}

}  // namespace
}  // namespace sotto

#include "lm/balanced_law.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "balanced_reference.hpp"
#include "base/hash.hpp"
#include "lm/logit_law.hpp"
#include "privacy/rounding.hpp"
#include "random/bit_sources.hpp"
#include "support/every_target.hpp"
#include "support/result_matchers.hpp"
#include "support/sanitized.hpp"
#include "support/statistics.hpp"

namespace sotto {
namespace {

using namespace sotto::lm;
using testing::balanced_law;
using testing::chi_squared_test;
using testing::expect_error;

constexpr double kEpsilons[] = {0.1, 0.5, 1, 2, 5, 10, 25, 42, 43, 50, 100, 250};

std::vector<std::uint32_t> all(std::size_t size) {
  std::vector<std::uint32_t> outcomes(size);
  std::iota(outcomes.begin(), outcomes.end(), 0);
  return outcomes;
}

/// As in a model with knots up to 125, with its total at this share of the reach.
BoundedHead head(double epsilon, double share = 0.5) {
  BoundedHead made;
  made.range = 10;
  made.reach = static_cast<float>(std::min(epsilon, 125.0));
  made.slope = static_cast<float>(4 / std::clamp(epsilon, 1.25, 125.0));
  made.log_total = static_cast<float>(share) * made.reach;
  return made;
}

std::vector<std::uint64_t> weights_of(const BalancedLaw& law, std::span<const float> scores) {
  std::vector<std::uint64_t> weights;
  EXPECT_TRUE(law.weights(scores, weights));
  return weights;
}

/// Ordinary scores, and pathological ones.
std::vector<float> random_scores(std::mt19937_64& engine, std::size_t size, std::size_t kind) {
  std::vector<float> scores(size);
  const float width = kind % 5 == 0 ? 0.01F : kind % 5 == 1 ? 3.0F : kind % 5 == 2 ? 30.0F : 1000.0F;
  for (float& score : scores) score = width * (static_cast<float>(engine() >> 40) * 0x1p-23F - 1);
  if (kind % 7 == 3) scores[engine() % size] = INFINITY;
  if (kind % 7 == 4) scores[engine() % size] = -INFINITY;
  if (kind % 7 == 5) scores[engine() % size] = 3e38F;
  if (kind % 11 == 6) std::fill(scores.begin(), scores.end(), scores[0]);
  if (kind % 13 == 7)
    for (float& score : scores) score = engine() % 2 == 0 ? -3e38F : 3e38F;
  return scores;
}

TEST(BalancedLaw, NoPairOfInputsLosesMoreThanEpsilonInSmallWorlds) {
  // Every probability of every law, for all ordered pairs of 24 score vectors per world. Totals are equal, so
  // the ratio of two probabilities is that of two integers, compared without tolerance.
  std::mt19937_64 engine(1);
  std::uint64_t compared = 0;
  for (const double epsilon : kEpsilons) {
    const long double most = std::exp(static_cast<long double>(epsilon));
    for (std::size_t size = 1; size <= 13; ++size) {
      for (const double share : {0.001, 0.5, 0.97}) {
        std::vector<float> base(size);
        for (float& b : base) b = -static_cast<float>(engine() % 1000) / (size % 2 == 0 ? 100.0F : 20.0F);
        const BalancedLaw law = BalancedLaw::make(head(epsilon, share), epsilon, all(size), base).value();
        std::vector<std::vector<std::uint64_t>> laws;
        for (std::size_t k = 0; k < 24; ++k) {
          laws.push_back(weights_of(law, random_scores(engine, size, k)));
          ASSERT_EQ(std::accumulate(laws.back().begin(), laws.back().end(), 0ULL), law.total());
        }
        for (const auto& a : laws)
          for (const auto& b : laws)
            for (std::size_t i = 0; i < size; ++i, ++compared)
              ASSERT_LE(static_cast<long double>(a[i]), most * static_cast<long double>(b[i]))
                  << epsilon << " " << size << " " << share;
      }
    }
  }
  EXPECT_GT(compared, 1'000'000U);
}

TEST(BalancedLaw, UsesAllOfEpsilon) {
  // The total is that of seven top words among a thousand, and one word is among the seven in one text and
  // not in the other.
  for (const double epsilon : {0.1, 1.0, 5.0, 10.0, 25.0}) {
    BoundedHead made = head(epsilon);
    made.log_total = static_cast<float>(std::log((7 * std::exp(epsilon) + 993) / 1000));
    const BalancedLaw law = BalancedLaw::make(made, epsilon, all(1000), {}).value();
    std::vector<float> scores(1000, -1000);
    std::fill_n(scores.begin(), 7, 1000.0F);
    const std::vector<std::uint64_t> in = weights_of(law, scores);
    std::rotate(scores.begin(), scores.begin() + 1, scores.end());
    std::swap(scores[0], scores[7]);
    const std::vector<std::uint64_t> out = weights_of(law, scores);
    EXPECT_GT(std::log(static_cast<double>(in[0]) / static_cast<double>(out[0])), 0.99 * epsilon);
  }
}

TEST(BalancedLaw, RenyiDivergencesKeepToRho) {
  // ρ-zCDP: D_α <= ρ·α for every α; here for two texts in both directions, computed from the integers.
  for (const double epsilon : {0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 25.0}) {
    const BalancedLaw law = BalancedLaw::make(head(epsilon), epsilon, all(7), {}).value();
    const double rho = law.guarantee().rho;
    EXPECT_EQ(rho, std::min(privacy::multiply_up(epsilon, epsilon) / 2, epsilon));
    const auto p = weights_of(law, std::vector<float>{900, -900, -900, -900, -900, -900, -900});
    const auto q = weights_of(law, std::vector<float>{-900, 900, 900, -900, -900, -900, -900});
    const auto t = static_cast<long double>(law.total());
    for (const double order : {1.001, 1.5, 2.0, 5.0, 20.0, 100.0}) {
      for (const bool swapped : {false, true}) {
        long double sum = 0;
        for (std::size_t i = 0; i < 7; ++i) {
          const long double a = static_cast<long double>(swapped ? q[i] : p[i]) / t;
          const long double b = static_cast<long double>(swapped ? p[i] : q[i]) / t;
          sum += std::pow(a / b, static_cast<long double>(order)) * b;
        }
        EXPECT_LE(std::log(sum) / (order - 1), rho * order) << epsilon << " " << order;
      }
    }
  }
  EXPECT_EQ(BalancedLaw::make(head(250), 250, all(3), {}).value().guarantee().rho, DrawLaw::kLargestLoss);
}

TEST(BalancedLaw, WeightsAreTheLawToManyDigits) {
  std::mt19937_64 engine(2);
  for (const double epsilon : kEpsilons) {
    for (const std::size_t size : {5U, 13U, testing::kSanitized ? 800U : 8000U}) {
      std::vector<float> base(size);
      for (float& b : base) b = -static_cast<float>(engine() % 1000) / 100;
      std::vector<float> scores(size);
      for (float& s : scores) s = 20 * static_cast<float>(engine() >> 40) * 0x1p-24F - 10;
      const BoundedHead made = head(epsilon);
      const BalancedLaw law = BalancedLaw::make(made, epsilon, all(size), base).value();
      const std::vector<std::uint64_t> weights = weights_of(law, scores);
      const std::vector<double> expected = balanced_law(scores, base, made, epsilon);
      for (std::size_t i = 0; i < size; ++i) {
        const double found = static_cast<double>(weights[i]) / static_cast<double>(law.total());
        ASSERT_NEAR(found, expected[i], 1e-9 * expected[i] + 0x1p-58) << epsilon << " " << size << " " << i;
      }
    }
  }
}

/// Of the weights of both laws for scores made of integers alone.
std::string digest_of_weights(double epsilon) {
  constexpr std::size_t kSize = 1003;
  std::mt19937_64 engine(3);
  std::vector<float> base(kSize);
  for (float& b : base) b = -static_cast<float>(engine() % 1000) / 128;
  const BalancedLaw balanced = BalancedLaw::make(head(epsilon), epsilon, all(kSize), base).value();
  const LogitLaw bounded = LogitLaw::make({-20, 20, false}, epsilon, all(kSize), base).value();
  base::Sha256 hash;
  std::vector<std::uint64_t> weights;
  for (std::size_t k = 0; k < 30; ++k) {
    const std::vector<float> scores = random_scores(engine, kSize, k);
    for (const DrawLaw* law :
         {static_cast<const DrawLaw*>(&balanced), static_cast<const DrawLaw*>(&bounded)}) {
      EXPECT_TRUE(law->weights(scores, weights));
      hash.update({reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof weights[0]});
    }
  }
  return base::to_hex(hash.finish()).substr(0, 16);
}

TEST(BalancedLaw, WeightsAreTheSameOnEveryProcessor) {
  // Pinned: another value means that the same key gives another text (kLawVersion).
  const std::pair<double, const char*> pinned[] = {{0.5, "ad521a022879bfc6"},
                                                   {10, "5eac0f64b26f2090"},
                                                   {43, "ece5c18996ec2f8d"},
                                                   {250, "b57de7783f384c42"}};
  const std::size_t targets = testing::on_every_target([&](const char* target) {
    for (const auto& [epsilon, digest] : pinned) EXPECT_EQ(digest_of_weights(epsilon), digest) << target;
  });
  EXPECT_GE(targets, 1U);
  RecordProperty("targets", static_cast<int>(targets));
}

TEST(BalancedLaw, IsSampled) {
  // 300 outcomes, n = 200,000 draws per ε, α = 1e-6, against an independent computation of the law.
  constexpr std::size_t kSize = 300;
  constexpr std::uint64_t kDraws = 200'000;
  std::vector<float> scores, base;
  for (std::size_t i = 0; i < kSize; ++i) {
    scores.push_back(static_cast<float>(4 * std::sin(static_cast<double>(i)) + (i % 97 == 0 ? 2 : 0)));
    base.push_back(static_cast<float>(-3 - std::cos(static_cast<double>(i * i))));
  }
  for (const double epsilon : {1.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0}) {
    const BoundedHead made = head(epsilon);
    const BalancedLaw law = BalancedLaw::make(made, epsilon, all(kSize), base).value();
    random::ChaChaBitSource bits(random::key_from_seed(static_cast<std::uint64_t>(epsilon)));
    const std::vector<std::uint64_t> weights = weights_of(law, scores);
    std::vector<std::uint64_t> counts(kSize);
    for (std::uint64_t i = 0; i < kDraws; ++i) ++counts[DrawLaw::draw_weighted(weights, bits)];
    SOTTO_EXPECT_PASSES(chi_squared_test(counts, balanced_law(scores, base, made, epsilon), 1e-6));
  }
}

TEST(BalancedLaw, OnlyOutcomesCount) {
  const std::vector<float> scores = {std::nanf(""), 1, 2, 3};
  const BalancedLaw law = BalancedLaw::make(head(5), 5, {3, 1}, {}).value();
  const std::vector<std::uint64_t> weights = weights_of(law, scores);
  ASSERT_EQ(weights.size(), 2U);
  EXPECT_GT(weights[0], weights[1]);
}

TEST(BalancedLaw, Refuses) {
  std::vector<std::uint64_t> weights;
  const BalancedLaw law = BalancedLaw::make(head(1), 1, all(2), {}).value();
  expect_error(law.weights(std::vector<float>{0, std::nanf("")}, weights), Errc::bad_format,
               {"not a number"});
  expect_error(BalancedLaw::make(head(1, 0), 1, all(2), {}), Errc::bad_format, {"add up"});
  expect_error(BalancedLaw::make(head(1, 1), 1, all(2), {}), Errc::bad_format, {"add up"});
  expect_error(BalancedLaw::make(head(1), 1, {}, {}), Errc::bad_format, {"no word"});
  expect_error(BalancedLaw::make(head(1), 1, all(2), std::vector<float>{std::nanf(""), 0}), Errc::bad_format,
               {"base measure"});
  for (const double epsilon : {0.0, -1.0, 1e7, std::nan("")})
    expect_error(BalancedLaw::make(head(1), epsilon, all(2), {}), Errc::invalid_argument, "epsilon", {});
}

}  // namespace
}  // namespace sotto

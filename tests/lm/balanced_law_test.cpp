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
#include "support/scripted_bit_source.hpp"
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

DrawWeights weigh(const DrawLaw& law, std::span<const float> scores) {
  LawMemory memory;
  DrawWeights weights;
  EXPECT_TRUE(law.weigh({scores}, memory, weights));
  return weights;
}

/// The scores as the law counts them: those of outcomes that a draw does not list are −∞.
std::vector<float> counted_scores(const BalancedLaw& law, std::span<const float> scores) {
  std::vector<float> counted(scores.size(), -1e30F);
  for (const std::uint32_t outcome : weigh(law, scores).listed) counted[outcome] = scores[outcome];
  return counted;
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
      const std::vector<double> expected = balanced_law(counted_scores(law, scores), base, made, epsilon);
      for (std::size_t i = 0; i < size; ++i) {
        const double found = static_cast<double>(weights[i]) / static_cast<double>(law.total());
        ASSERT_NEAR(found, expected[i], 1e-5 * expected[i] + 0x1p-58) << epsilon << " " << size << " " << i;
      }
    }
  }
}

TEST(BalancedLaw, WhatIsLeftOutMattersLittle) {
  // Against the law over all scores: peaked scores, of which few are listed, and flat ones.
  constexpr std::size_t kSize = testing::kSanitized ? 500 : 3000;
  std::mt19937_64 engine(4);
  std::normal_distribution<float> normal;
  for (const double epsilon : {1.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0}) {
    std::vector<float> base(kSize);
    for (float& b : base) b = -static_cast<float>(engine() % 1000) / 200;
    const BoundedHead made = head(epsilon);
    const BalancedLaw law = BalancedLaw::make(made, epsilon, all(kSize), base).value();
    for (const float peak : {0.0F, 8.0F, 25.0F}) {
      std::vector<float> scores(kSize);
      for (float& score : scores) score = 4 * normal(engine);
      for (std::size_t i = 0; i < 7; ++i) scores[engine() % kSize] += peak;
      const std::vector<std::uint64_t> weights = weights_of(law, scores);
      const std::vector<double> whole = balanced_law(scores, base, made, epsilon);
      double distance = 0;
      for (std::size_t i = 0; i < kSize; ++i)
        distance +=
            std::abs(static_cast<double>(weights[i]) / static_cast<double>(law.total()) - whole[i]) / 2;
      EXPECT_LE(distance, 1.01 * BalancedLaw::kLeftOut) << epsilon << " " << peak;
      if (peak > 20 && epsilon >= 25) {
        EXPECT_LT(weigh(law, scores).listed.size(), kSize / 2) << epsilon;
      }
    }
  }
}

TEST(BalancedLaw, DrawsFollowTheWeightsAtEveryBoundary) {
  // The uniform number picks among the listed weights and then among the public ones of all others.
  std::vector<float> scores(40, -1000), base(40);
  for (std::size_t i = 0; i < base.size(); ++i) base[i] = -static_cast<float>(i % 7);
  for (const std::size_t top : {0, 1, 5, 20, 39}) scores[top] = 30;
  const BalancedLaw law = BalancedLaw::make(head(25, 0.7), 25, all(40), base).value();
  const DrawWeights drawn = weigh(law, scores);
  ASSERT_EQ(drawn.listed, (std::vector<std::uint32_t>{0, 1, 5, 20, 39}));
  std::vector<std::uint64_t> weights;
  law.spread(drawn, weights);
  std::vector<std::uint32_t> order = drawn.listed;
  for (std::uint32_t i = 0; i < 40; ++i)
    if (std::count(drawn.listed.begin(), drawn.listed.end(), i) == 0) order.push_back(i);
  ASSERT_EQ(law.total(),
            std::uint64_t{1} << 61);  // so a uniform number is a word without its last three bits
  std::uint64_t begin = 0;
  for (const std::uint32_t outcome : order) {
    for (const std::uint64_t point : {begin, begin + weights[outcome] - 1}) {
      testing::ScriptedBitSource bits({point << 3});
      EXPECT_EQ(law.sample(drawn, bits), outcome);
    }
    begin += weights[outcome];
  }
  EXPECT_EQ(begin, law.total());
}

TEST(BalancedLaw, CountsScoresTimesTheirFactor) {
  std::vector<float> scores(1000), tripled(1000);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = static_cast<float>(i * i % 997) / 64;
    tripled[i] = 3 * scores[i];
  }
  const BalancedLaw law = BalancedLaw::make(head(25), 25, all(1000), {}).value();
  LawMemory memory;
  DrawWeights weights;
  ASSERT_TRUE(law.weigh({scores, 3}, memory, weights));
  const DrawWeights expected = weigh(law, tripled);
  EXPECT_EQ(weights.listed, expected.listed);
  EXPECT_EQ(weights.weights, expected.weights);
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
  const std::pair<double, const char*> pinned[] = {{0.5, "514bc55b767f4fc4"},
                                                   {10, "323b94630c28fd4d"},
                                                   {43, "dcf9769143d2cf3e"},
                                                   {250, "0c7bf3ea8a71af54"}};
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
    const DrawWeights weights = weigh(law, scores);
    std::vector<std::uint64_t> counts(kSize);
    for (std::uint64_t i = 0; i < kDraws; ++i) ++counts[law.sample(weights, bits)];
    const std::vector<double> expected = balanced_law(counted_scores(law, scores), base, made, epsilon);
    SOTTO_EXPECT_PASSES(chi_squared_test(counts, expected, 1e-6));
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

// The balanced law in operations on tensors: the integers that its guarantee rests on, for
// scores of all kinds, and how near it is to the law.
#include "lm/torch/device_law.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lm/balanced_reference.hpp"
#include "lm/failure.hpp"
#include "lm/hostile_scores.hpp"
#include "lm/masked_mechanism.hpp"
#include "lm/torch/tested_device.hpp"
#include "random/bit_sources.hpp"
#include "random/integer_samplers.hpp"
#include "support/one_pass_checkpoint.hpp"
#include "support/statistics.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::lm;
using Weights = std::vector<std::uint64_t>;

at::Device tested_device() {
  return tested_on_gpu() ? at::kCUDA : at::kCPU;
}

at::Tensor matrix_of(std::span<const Scores> rows) {
  const auto size = static_cast<std::int64_t>(rows[0].size());
  at::Tensor matrix = at::empty({static_cast<std::int64_t>(rows.size()), size}, at::kFloat);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(), matrix.data_ptr<float>() + static_cast<std::int64_t>(i) * size);
  return matrix.to(tested_device());
}

at::Tensor ones(std::size_t rows) {
  return at::ones({static_cast<std::int64_t>(rows), 1}, at::kFloat).to(tested_device());
}

std::vector<Weights> rows_of(const at::Tensor& weights) {
  const at::Tensor matrix = weights.cpu();
  std::vector<Weights> rows;
  const auto* row = matrix.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < matrix.size(0); ++i, row += matrix.size(1))
    rows.emplace_back(row, row + matrix.size(1));
  return rows;
}

/// The device's weights for rows of scores, computed together.
std::vector<Weights> device_weights(const BalancedLaw& law, std::span<const Scores> rows) {
  const DeviceLaw device(law.public_numbers(), tested_device());
  return rows_of(device.weights(matrix_of(rows), ones(rows.size())));
}

/// Every weight is between its public bounds, and each row has the public total: both without tolerance.
void expect_public(const BalancedLaw& law, std::span<const Weights> rows) {
  const PublicLaw known = law.public_numbers();
  for (const Weights& row : rows) {
    ASSERT_EQ(row.size(), law.size());
    Wide sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      ASSERT_GE(row[i], static_cast<std::uint64_t>(known.low[i]));
      ASSERT_LE(row[i], static_cast<std::uint64_t>(known.high[i]));
      sum += row[i];
    }
    ASSERT_TRUE(sum == law.total());
  }
}

/// Between any two rows, so it suffices to compare the largest weight of an outcome with its smallest.
void expect_epsilon(const BalancedLaw& law, std::span<const Weights> rows) {
  const ExpEpsilon exp_epsilon(law.epsilon());
  for (std::size_t i = 0; i < law.size(); ++i) {
    std::uint64_t least = rows[0][i];
    std::uint64_t most = least;
    for (const Weights& row : rows) {
      least = std::min(least, row[i]);
      most = std::max(most, row[i]);
    }
    ASSERT_GE(least, 1U);
    ASSERT_TRUE(exp_epsilon.allows(most, least)) << i << ": " << most << " " << least;
  }
}

/// Public numbers of which no sum fits 63 bits are among these.
std::vector<HostileWorld> worlds() {
  std::vector<HostileWorld> made;
  for (const std::size_t size : {1U, 2U, 12U, 33U, 501U})
    for (const double epsilon : {1e-9, 1.0, 10.0, 25.0, 44.0, 1e6})
      for (const double share : {1e-4, 0.5, 0.999})
        for (const float width : {0.0F, 10.0F, 690.0F})
          if (size < 100 || (share == 0.5 && width <= 10)) made.push_back({size, epsilon, share, width});
  return made;
}

TEST(DeviceLaw, HostileScoresKeepToPublicBoundsAndTotal) {
  for (const HostileWorld& world : worlds()) {
    SCOPED_TRACE(fmt::format("{} outcomes, epsilon {}, share {}, base {}", world.size, world.epsilon,
                             world.share, world.base_width));
    std::mt19937_64 engine(world.size);
    const BalancedLaw law = law_of(world, engine);
    const std::vector<Weights> rows = device_weights(law, hostile_scores(world.size, engine));
    expect_public(law, rows);
    expect_epsilon(law, rows);
    if (HasFatalFailure()) return;
  }
}

TEST(DeviceLaw, BrokenFloatsKeepToPublicBoundsAndTotal) {
  // Whatever the factor makes of the scores, and where the law's public numbers leave no room at all.
  std::mt19937_64 engine(1);
  for (const double epsilon : {1e-9, 5.0, 25.0, 1e6}) {
    const BalancedLaw law = law_of({12, epsilon, 0.5, 5}, engine);
    const std::vector<Scores> scores = hostile_scores(12, engine);
    for (const float factor : {0.5F, 3.0F, 1e30F}) {
      const DeviceLaw device(law.public_numbers(), tested_device());
      const std::vector<Weights> rows =
          rows_of(device.weights(matrix_of(scores), ones(scores.size()).mul_(factor)));
      expect_public(law, rows);
      expect_epsilon(law, rows);
    }
  }
}

TEST(DeviceLaw, AWrongSolutionIsStillPrivate) {
  // A law whose floats say something else than its integers: the solver then makes weights that are all too
  // heavy, or all too light, by any factor; sums of what it makes exceed 64 bits.
  std::mt19937_64 engine(2);
  for (const double epsilon : {1.0, 25.0, 44.0, 1e6}) {
    for (const std::size_t size : {1U, 2U, 12U, 3001U}) {
      const BalancedLaw law = law_of({size, epsilon, 0.5, 3}, engine);
      std::vector<Scores> scores = hostile_scores(size, engine);
      for (const double wrong : {1e-300, 1e-9, 0.25, 4.0, 1e9, 1e300}) {
        PublicLaw known = law.public_numbers();
        std::vector<double> base(known.base.begin(), known.base.end());
        for (double& b : base) b *= wrong;
        known.base = base;
        const DeviceLaw device(known, tested_device());
        const std::vector<Weights> rows = rows_of(device.weights(matrix_of(scores), ones(scores.size())));
        expect_public(law, rows);
        expect_epsilon(law, rows);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(DeviceLaw, AnyNanIsRefused) {
  std::mt19937_64 engine(3);
  const BalancedLaw law = law_of({33, 5, 0.5, 5}, engine);
  for (const std::size_t place : {0U, 16U, 32U})
    for (const float other : {0.0F, kMost, INFINITY, -INFINITY}) {
      std::vector<Scores> scores(3, Scores(33, 1.0F));
      scores[1].assign(33, other);
      scores[1][place] = std::nanf("");
      try {
        device_weights(law, scores);
        ADD_FAILURE() << "NaN was weighed";
      } catch (const Failure& failure) {
        EXPECT_EQ(failure.error().code, Errc::bad_format);
        EXPECT_NE(failure.error().message.find("a logit that is not a number"), std::string::npos);
      }
    }
}

Scores ordinary_scores(std::size_t size, float peak, std::mt19937_64& engine) {
  std::normal_distribution<float> normal;
  Scores scores(size);
  for (float& score : scores) score = 4 * normal(engine);
  for (std::size_t i = 0; i < 7; ++i) scores[engine() % size] += peak;
  return scores;
}

struct Laws {
  BoundedHead head;
  std::vector<float> base;
  BalancedLaw law;
};

Laws laws(double epsilon, std::size_t size, std::mt19937_64& engine) {
  BoundedHead head;
  head.reach = static_cast<float>(std::min(epsilon, 125.0));
  head.slope = static_cast<float>(4 / std::clamp(epsilon, 1.25, 125.0));
  head.log_total = 0.5F * head.reach;
  std::vector<float> base(size);
  for (float& b : base) b = -static_cast<float>(engine() % 1000) / 200;
  std::vector<std::uint32_t> outcomes(size);
  std::iota(outcomes.begin(), outcomes.end(), 0U);
  BalancedLaw law = BalancedLaw::make(head, epsilon, outcomes, base).value();
  return {head, base, std::move(law)};
}

double share_of(const Weights& weights, const BalancedLaw& law, std::size_t i) {
  return static_cast<double>(weights[i]) / static_cast<double>(law.total());
}

// How far the device's probabilities may be from the law, in total variation. While the shift moves by ds,
// each ln w(i) changes by r·u·(1−u) ds and ln Σw by their mean G under w, so the law w/Σw moves by at most
// G ds: together no more than ln Σw, which the solver leaves within 2^−15 of 0. An exponent of at most 125
// is the rounded sum of a rounded product and a logarithm: off by 2^−16 at most, and rounding moves the law
// by as much, and the heaviest weight by as much again.
constexpr double kDeviceTolerance = 0x1p-14;

TEST(DeviceLaw, WeightsAreTheLaw) {
  constexpr std::size_t kSize = 3000;
  std::mt19937_64 engine(4);
  for (const double epsilon : {1.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0}) {
    const Laws made = laws(epsilon, kSize, engine);
    std::vector<Scores> scores;
    for (const float peak : {0.0F, 8.0F, 25.0F, 100.0F})
      scores.push_back(ordinary_scores(kSize, peak, engine));
    const std::vector<Weights> device = device_weights(made.law, scores);
    expect_public(made.law, device);
    for (std::size_t row = 0; row < scores.size(); ++row) {
      const std::vector<double> law = balanced_law(scores[row], made.base, made.head, epsilon);
      Weights host;
      ASSERT_TRUE(made.law.weights(scores[row], host));
      double to_law = 0;
      double to_host = 0;
      for (std::size_t i = 0; i < kSize; ++i) {
        const double share = share_of(device[row], made.law, i);
        to_law += std::abs(share - law[i]) / 2;
        to_host += std::abs(share - share_of(host, made.law, i)) / 2;
      }
      EXPECT_LE(to_law, kDeviceTolerance) << epsilon << " " << row;
      // The host leaves out what the device computes.
      EXPECT_LE(to_host, BalancedLaw::kLeftOut + kDeviceTolerance) << epsilon << " " << row;
    }
  }
}

TEST(DeviceLaw, ARowDoesNotDependOnOthers) {
  // Among scores that take long to solve or cannot be, the ordinary row keeps its law up to rounding in sums
  // of 32-bit numbers.
  constexpr std::size_t kSize = 800;
  std::mt19937_64 engine(5);
  for (const double epsilon : {1.0, 25.0, 250.0}) {
    const Laws made = laws(epsilon, kSize, engine);
    const Scores scores = ordinary_scores(kSize, 8, engine);
    const Weights alone = device_weights(made.law, {&scores, 1})[0];
    std::vector<Scores> many = hostile_scores(kSize, engine);
    many.insert(many.begin() + 5, scores);
    const Weights among = device_weights(made.law, many)[5];
    double distance = 0;
    for (std::size_t i = 0; i < kSize; ++i)
      distance += std::abs(share_of(alone, made.law, i) - share_of(among, made.law, i)) / 2;
    EXPECT_LE(distance, 1e-5) << epsilon;
  }
}

TEST(DeviceLaw, OutcomesFollowTheWeightsAtEveryBoundary) {
  std::mt19937_64 engine(6);
  const BalancedLaw law = law_of({40, 25, 0.5, 5}, engine);
  const DeviceLaw device(law.public_numbers(), tested_device());
  const std::vector<Scores> scores = {ordinary_scores(40, 8, engine)};
  const at::Tensor matrix = device.weights(matrix_of(scores), ones(1));
  const Weights weights = rows_of(matrix)[0];
  std::uint64_t begin = 0;
  for (std::size_t outcome = 0; outcome < 40; ++outcome) {
    for (const std::uint64_t point : {begin, begin + weights[outcome] - 1}) {
      const at::Tensor points =
          at::full({1, 1}, static_cast<std::int64_t>(point), at::kLong).to(tested_device());
      EXPECT_EQ(device.outcomes(matrix, points).item<std::int64_t>(), outcome);
    }
    begin += weights[outcome];
  }
  EXPECT_EQ(begin, law.total());
}

TEST(DeviceLaw, RefusesSumsThatAreNotTheTotal) {
  std::mt19937_64 engine(7);
  const BalancedLaw law = law_of({40, 25, 0.5, 5}, engine);
  const DeviceLaw device(law.public_numbers(), tested_device());
  const std::vector<Scores> scores(2, Scores(40, 0.0F));
  at::Tensor weights = device.weights(matrix_of(scores), ones(2));
  weights[1][3].add_(1);
  EXPECT_THROW(device.outcomes(weights, at::zeros({2, 1}, at::kLong).to(tested_device())), Failure);
}

TEST(DeviceLaw, IsSampled) {
  // 300 outcomes, n = 200,000 draws per ε, α = 1e-6, against an independent computation of the law.
  constexpr std::size_t kSize = 300;
  constexpr std::int64_t kDraws = 200'000;
  std::mt19937_64 engine(8);
  for (const double epsilon : {1.0, 5.0, 10.0, 25.0, 100.0}) {
    const Laws made = laws(epsilon, kSize, engine);
    const std::vector<Scores> scores = {ordinary_scores(kSize, 4, engine)};
    const DeviceLaw device(made.law.public_numbers(), tested_device());
    const at::Tensor weights = device.weights(matrix_of(scores), ones(1));
    random::ChaChaBitSource bits(random::key_from_seed(static_cast<std::uint64_t>(epsilon)));
    at::Tensor points = at::empty({1, kDraws}, at::kLong);
    for (std::int64_t i = 0; i < kDraws; ++i)
      points.data_ptr<std::int64_t>()[i] =
          static_cast<std::int64_t>(random::uniform_below(bits, made.law.total()));
    const at::Tensor outcomes = device.outcomes(weights, points.to(tested_device())).cpu();
    std::vector<std::uint64_t> counts(kSize);
    for (std::int64_t i = 0; i < kDraws; ++i)
      ++counts[static_cast<std::size_t>(outcomes.data_ptr<std::int64_t>()[i])];
    SOTTO_EXPECT_PASSES(
        chi_squared_test(counts, balanced_law(scores[0], made.base, made.head, epsilon), 1e-6));
  }
}

TEST(DeviceLaw, NoTwoTextsOfASmallWorldLoseMoreThanEpsilon) {
  // Every text of one or two of twelve words, scored by a model whose scores are far apart, at both ends of
  // the wander: every pair of places and every output, in integers.
  const std::vector<std::string> words = {"cat", "cats", "dog", "dogs", "walk", "walks",
                                          "the", "not",  "is",  "anna", "otto", "rome"};
  const TemporaryFolder folder;
  OnePassCheckpoint(words).write(folder.path());
  const auto filler = WordFiller::open(folder.path(), {Device::cpu, Precision::automatic, 1}).value();
  const MaskedInput input = MaskedInput::make(*filler, true, 0).value();
  std::vector<std::string> texts = words;
  for (const std::string& first : words)
    for (const std::string& second : words) texts.push_back(fmt::format("{} {}", first, second));
  for (const double epsilon : {0.5, 5.0, 16.0}) {
    for (const double wander : {0.0, 1.0}) {
      const auto model = filler->model().at_reach(epsilon, wander).value();
      const BalancedLaw law =
          BalancedLaw::make(*model->bounded_head(), epsilon, filler->logits(), model->log_base()).value();
      std::vector<Scores> scores;
      for (std::string& text : texts) {
        text.reserve(text.size() + 64);
        std::vector<Token> tokens;
        tokenize(text, tokens);
        const MaskedText masked(*filler, text, tokens);
        Sequence sequence;
        const std::vector<std::uint32_t> places = masked.read(masked.window_of(input, 0), sequence).words;
        for (const std::uint32_t place : places) {
          scores.emplace_back(words.size());
          ASSERT_TRUE(model->logits({&sequence, 1}, {&place, 1}, scores.back()));
        }
      }
      const std::vector<Weights> rows = device_weights(law, scores);
      EXPECT_EQ(rows.size(), 12U + 2 * 144U);
      expect_public(law, rows);
      expect_epsilon(law, rows);
    }
  }
}

}  // namespace
}  // namespace sotto::testing

// The balanced law with scores that an opponent chooses. All that the guarantee rests on is integers, so all
// is compared as integers.
#include "hostile_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "random/integer_samplers.hpp"
#include "support/result_matchers.hpp"
#include "support/sanitized.hpp"
#include "support/scripted_bit_source.hpp"

namespace sotto {
namespace {

using namespace sotto::lm;
using testing::ExpEpsilon;
using testing::hostile_scores;
using testing::HostileWorld;
using testing::kMost;
using testing::Scores;
using testing::Wide;

std::vector<HostileWorld> hostile_worlds() {
  std::vector<HostileWorld> worlds;
  for (const std::size_t size : {1U, 2U, 15U, 16U, 17U, 33U, testing::kSanitized ? 500U : 3001U})
    for (const double epsilon : {1e-9, 1e-3, 1.0, 10.0, 42.0, 44.0, 1e6})
      for (const double share : {1e-4, 0.5, 0.999})
        for (const float width : {0.0F, 10.0F, 690.0F})
          if (size < 100 || (share == 0.5 && width <= 10)) worlds.push_back({size, epsilon, share, width});
  return worlds;
}

template <class Body>
void for_each_world(const Body& body) {
  for (const HostileWorld& world : hostile_worlds()) {
    SCOPED_TRACE(fmt::format("{} outcomes, epsilon {}, share {}, base {}", world.size, world.epsilon,
                             world.share, world.base_width));
    std::mt19937_64 engine(world.size);
    body(testing::law_of(world, engine), engine);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(HostileScores, WeightsKeepToPublicBoundsAndTotal) {
  for_each_world([](const BalancedLaw& law, std::mt19937_64& engine) {
    const std::size_t size = law.size();
    std::vector<std::uint64_t> least(size, std::numeric_limits<std::uint64_t>::max()), most(size),
        unlisted(size);
    LawMemory memory;  // of one text after another
    DrawWeights drawn;
    std::vector<std::uint64_t> weights;
    for (const Scores& scores : hostile_scores(size, engine)) {
      ASSERT_TRUE(law.weigh({scores}, memory, drawn));
      law.spread(drawn, weights);
      ASSERT_EQ(weights.size(), size);
      ASSERT_FALSE(drawn.listed.empty());
      ASSERT_EQ(drawn.listed.size(), drawn.weights.size());
      ASSERT_EQ(std::adjacent_find(drawn.listed.begin(), drawn.listed.end(), std::greater_equal<>()),
                drawn.listed.end());
      ASSERT_LT(drawn.listed.back(), size);
      const auto sum = [](const auto& numbers) {
        return std::accumulate(numbers.begin(), numbers.end(), Wide{0});
      };
      ASSERT_TRUE(sum(weights) == law.total());
      ASSERT_TRUE(sum(drawn.weights) + drawn.rest == law.total());
      for (std::size_t i = 0; i < size; ++i) {
        least[i] = std::min(least[i], weights[i]);
        most[i] = std::max(most[i], weights[i]);
        if (std::binary_search(drawn.listed.begin(), drawn.listed.end(), i)) continue;
        // What is not listed has one weight, whatever the text.
        if (unlisted[i] == 0) unlisted[i] = weights[i];
        ASSERT_EQ(weights[i], unlisted[i]);
      }
    }
    // No two of the texts lose more than ε: it suffices to compare the largest weight with the smallest.
    const ExpEpsilon exp_epsilon(law.epsilon());
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_GE(least[i], 1U);
      ASSERT_TRUE(exp_epsilon.allows(most[i], least[i])) << most[i] << " " << least[i];
      if (unlisted[i] != 0) {
        ASSERT_EQ(least[i], unlisted[i]);
      }
    }
  });
}

TEST(HostileScores, EveryDrawTakesAsMuchRandomness) {
  // The numbers that uniform_below takes depend on the total, which is public, and on the numbers themselves.
  // The same ones go to every text here: the ends of the range, and such as one total would reject.
  for_each_world([](const BalancedLaw& law, std::mt19937_64& engine) {
    const std::vector<std::uint64_t> words = {
        0, std::numeric_limits<std::uint64_t>::max(), 1, engine(), engine(), engine()};
    for (std::size_t first = 0; first < words.size(); ++first) {
      std::vector<std::uint64_t> script(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
      script.insert(script.end(), {engine(), engine(), engine()});
      testing::ScriptedBitSource expected(script);
      random::uniform_below(expected, law.total());
      for (const Scores& scores : hostile_scores(law.size(), engine)) {
        LawMemory memory;
        DrawWeights drawn;
        ASSERT_TRUE(law.weigh({scores}, memory, drawn));
        testing::ScriptedBitSource bits(script);
        ASSERT_LT(law.sample(drawn, bits), law.size());
        ASSERT_EQ(bits.words_drawn(), expected.words_drawn());
      }
    }
  });
}

TEST(HostileScores, AnyNanIsRefused) {
  for_each_world([](const BalancedLaw& law, std::mt19937_64&) {
    for (const std::size_t place : {std::size_t{0}, law.size() / 2, law.size() - 1})
      for (const float other : {0.0F, kMost, -INFINITY}) {
        Scores scores(law.size(), other);
        scores[place] = std::nanf("");
        std::vector<std::uint64_t> weights;
        testing::expect_error(law.weights(scores, weights), Errc::bad_format, {"not a number"});
      }
  });
}

}  // namespace
}  // namespace sotto

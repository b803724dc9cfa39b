// Typical distances, against what the definitions give when every pair is looked at.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <sotto/model.hpp>

#include "support/folder_test.hpp"
#include "support/list_set.hpp"
#include "support/result_matchers.hpp"
#include "support/tiny_model.hpp"

namespace sotto::testing {
namespace {

using TypicalDistancesTest = FolderTest;

double distance(const Model& model, TokenId a, TokenId b) {
  return model.scale() * std::sqrt(static_cast<double>(model.squared_distance(a, b)));
}

/// The share of words that santext leaves as they are.
double stays(const Model& model, double epsilon) {
  double sum = 0;
  for (TokenId word = 0; word < model.size(); ++word) {
    double weights = 0;
    for (TokenId other = 0; other < model.size(); ++other)
      weights += std::exp(-0.5 * epsilon * distance(model, word, other));
    sum += 1 / weights;
  }
  return sum / model.size();
}

TEST_F(TypicalDistancesTest, AreThoseOfAllPairs) {
  const auto model = write_tiny_model(folder_.path() / "tiny.safetensors");
  const auto typical = typical_distances(*model, 2);
  ASSERT_TRUE(typical) << typical.error().message;
  EXPECT_EQ(typical->sample, model->size()) << "so few that all are examined";
  std::vector<double> nearest;
  double farthest = 0;
  for (TokenId word = 0; word < model->size(); ++word) {
    double least = INFINITY;
    for (TokenId other = 0; other < model->size(); ++other) {
      if (other != word) least = std::min(least, distance(*model, word, other));
      farthest = std::max(farthest, distance(*model, word, other));
    }
    nearest.push_back(least);
  }
  std::sort(nearest.begin(), nearest.end());
  EXPECT_GE(typical->nearest, nearest[5] * 0.999);
  EXPECT_LE(typical->nearest, nearest[6] * 1.001);
  EXPECT_GE(typical->random_pair, nearest.front());
  EXPECT_LE(typical->random_pair, farthest * 1.001);
  EXPECT_NEAR(stays(*model, typical->selection.low), 0.05, 0.05) << "12 words: at ε = 0 a twelfth stays";
  EXPECT_NEAR(stays(*model, typical->selection.high), 0.95, 0.005);
  EXPECT_LT(typical->noise.low, typical->noise.high);
}

TEST_F(TypicalDistancesTest, DoNotDependOnThreads) {
  const auto model = write_tiny_model(folder_.path() / "tiny.safetensors");
  const TypicalDistances one = typical_distances(*model, 1).value();
  const TypicalDistances three = typical_distances(*model, 3).value();
  EXPECT_EQ(one.nearest, three.nearest);
  EXPECT_EQ(one.random_pair, three.random_pair);
  EXPECT_EQ(one.noise.low, three.noise.low);
  EXPECT_EQ(one.selection.high, three.selection.high);
}

// ε·d has no unit: twice the distances, half the ε.
TEST_F(TypicalDistancesTest, EpsilonFollowsTheScale) {
  VectorModel given{{"a", "b", "c", "d"}, {0, 0, 100, 0, 0, 70, 30, 30}};
  const TypicalDistances single =
      typical_distances(*write_vector_model(folder_.path() / "one.safetensors", given)).value();
  given.scale = 2;
  const TypicalDistances twice =
      typical_distances(*write_vector_model(folder_.path() / "two.safetensors", given)).value();
  EXPECT_NEAR(twice.nearest, 2 * single.nearest, 1e-9);
  EXPECT_NEAR(twice.selection.high, single.selection.high / 2, 1e-6);
  EXPECT_NEAR(twice.noise.high, single.noise.high / 2, 1e-9);
}

TEST_F(TypicalDistancesTest, NeedTwoWordsWithVectors) {
  const auto one = write_vector_model(folder_.path() / "one.safetensors", {{"a"}, {1, 2}});
  expect_error(typical_distances(*one), Errc::invalid_argument, {"one", "fewer than two words"});
  const auto lists =
      write_list_set(folder_.path() / "lists.safetensors", letter_words(5), {{"one", stepping_order(5, 1)}});
  expect_error(typical_distances(*lists), Errc::invalid_argument, {"lists", "no vectors"});
  // Equal vectors: no distance at all, and still an answer.
  const auto equal = write_vector_model(folder_.path() / "equal.safetensors", {{"a", "b"}, {5, 5, 5, 5}});
  const auto typical = typical_distances(*equal);
  ASSERT_TRUE(typical) << typical.error().message;
  EXPECT_EQ(typical->nearest, 0);
  EXPECT_TRUE(std::isfinite(typical->selection.high));
}

}  // namespace
}  // namespace sotto::testing

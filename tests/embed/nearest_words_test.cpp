#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <sotto/model.hpp>

#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto {
namespace {

class NearestWordsTest : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
};

TEST_F(NearestWordsTest, AgreesWithTheDefinition) {
  const testing::VectorModel parts = testing::tiny_model_parts();
  const auto model = testing::write_tiny_model(folder_.path() / "m.safetensors");
  const std::size_t n = parts.words.size(), dimension = parts.vectors.size() / n;
  std::vector<TokenId> all(n);
  for (TokenId id = 0; id < n; ++id) all[id] = id;
  const auto near = nearest_words(*model, all, 4);
  ASSERT_TRUE(near);
  for (TokenId word = 0; word < n; ++word) {
    std::vector<std::pair<double, TokenId>> expected;
    for (TokenId other = 0; other < n; ++other) {
      double sum = 0;
      for (std::size_t i = 0; i < dimension; ++i)
        sum += std::pow(
            parts.scale * (parts.vectors[word * dimension + i] - parts.vectors[other * dimension + i]), 2);
      if (other != word) expected.emplace_back(std::sqrt(sum), other);
    }
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ((*near)[word].size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      const NearWord& found = (*near)[word][i];
      EXPECT_EQ(found.id, expected[i].second);
      EXPECT_NEAR(found.distance, expected[i].first, 1e-9);
      double product = 0, left = 0, right = 0;
      for (std::size_t c = 0; c < dimension; ++c) {
        const double x = parts.vectors[word * dimension + c], y = parts.vectors[found.id * dimension + c];
        product += x * y;
        left += x * x;
        right += y * y;
      }
      EXPECT_NEAR(found.cosine, product / std::sqrt(left * right), 1e-12);
    }
  }
}

TEST_F(NearestWordsTest, EqualAndZeroVectors) {
  const auto model = testing::write_vector_model(folder_.path() / "m.safetensors",
                                                 {{"a", "b", "c", "zero"}, {3, 4, 3, 4, 3, 4, 0, 0}});
  const std::vector<TokenId> words = {2, 3};
  const auto near = nearest_words(*model, words, 1);
  ASSERT_TRUE(near);
  // The word itself is the third of three at distance 0, and still not its own neighbour.
  EXPECT_EQ((*near)[0].front().id, 0U);
  EXPECT_EQ((*near)[0].front().distance, 0);
  EXPECT_DOUBLE_EQ((*near)[0].front().cosine, 1);
  EXPECT_EQ((*near)[1].front().distance, 5);
  EXPECT_EQ((*near)[1].front().cosine, 0);
  const auto more = nearest_words(*model, words, std::numeric_limits<std::size_t>::max());
  ASSERT_TRUE(more);
  EXPECT_EQ(more->front().size(), 3U);
}

TEST_F(NearestWordsTest, RefusesWhatIsNotThere) {
  const auto model = testing::write_tiny_model(folder_.path() / "m.safetensors");
  const TokenId bottom = model->bottom();
  testing::expect_error(nearest_words(*model, std::span(&bottom, 1), 3), Errc::invalid_argument, {"12"});
}

}  // namespace
}  // namespace sotto

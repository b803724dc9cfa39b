// Rows of inputs: those of words, and that of ⊙, whose place is drawn uniformly.
#include "mechanisms/word_row.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "mechanisms/every_mechanism.hpp"

namespace sotto {
namespace {

using namespace sotto::mechanism;
using namespace sotto::testing;

class WordRowTest : public EveryMechanismTest {
 protected:
  std::vector<OpenMechanism> every(double epsilon) const {
    std::vector<OpenMechanism> made;
    for (const MechanismInfo& info : mechanisms())
      if (info.kind == MechanismKind::word_by_word && info.name != "gumbel")
        made.push_back(open_mechanism({.name = info.name,
                                       .epsilon = epsilon,
                                       .parameters = parameters_for(info.name),
                                       .model = model_for(info.name)->path().string()})
                           .value());
    return made;
  }
};

TEST_F(WordRowTest, TheRowOfAUniformPlaceIsTheMeanOfAllRows) {
  std::size_t exact = 0;
  for (const double epsilon : {0.01, 1.0, 40.0})
    for (const OpenMechanism& open : every(epsilon)) {
      SCOPED_TRACE(open.spec.name);
      const std::size_t words = open.model->size();
      const std::vector<double> found = open.mechanism->mean_row();
      EXPECT_EQ(found.empty(), open.mechanism->row(0).empty());
      if (found.empty()) continue;
      ++exact;
      ASSERT_EQ(found.size(), words);
      for (TokenId y = 0; y < words; ++y) {
        double mean = 0;
        for (TokenId z = 0; z < words; ++z) mean += open.mechanism->row(z)[y] / static_cast<double>(words);
        EXPECT_NEAR(found[y], mean, 1e-12 * mean) << y;
      }
      EXPECT_EQ(word_row(*open.mechanism, uniform_input(words), words, 1).probabilities, found);
    }
  EXPECT_EQ(exact, 3 * 7U);
}

TEST_F(WordRowTest, AColumnIsThatOfTheRows) {
  std::size_t exact = 0;
  for (const double epsilon : {0.01, 1.0, 40.0})
    for (const OpenMechanism& open : every(epsilon)) {
      SCOPED_TRACE(open.spec.name);
      const std::size_t words = open.model->size();
      const bool has_rows = !open.mechanism->row(0).empty();
      exact += has_rows;
      for (TokenId y = 0; y < words; ++y) {
        const std::vector<double> found = open.mechanism->column(y);
        ASSERT_EQ(found.size(), has_rows ? words : 0);
        for (TokenId z = 0; z < found.size(); ++z) EXPECT_DOUBLE_EQ(found[z], open.mechanism->row(z)[y]) << z;
      }
    }
  EXPECT_EQ(exact, 3 * 7U);
}

TEST_F(WordRowTest, AModelOfOneWordHasOneRow) {
  const auto one =
      write_list_set(folder_.path() / "one.safetensors", {"only"}, {{"a", stepping_order(1, 1)}});
  for (const std::string name : {"diffractor-geometric", "diffractor-tem"}) {
    const auto open = open_mechanism({.name = name, .epsilon = 1}, one).value();
    EXPECT_EQ(open.mechanism->mean_row(), std::vector<double>{1.0}) << name;
    EXPECT_EQ(open.mechanism->column(0), std::vector<double>{1.0}) << name;
  }
}

TEST_F(WordRowTest, AUniformPlaceIsAsFarAsTheFarthestWord) {
  for (const OpenMechanism& open : every(3)) {
    SCOPED_TRACE(open.spec.name);
    const std::size_t words = open.model->size();
    const TokenId uniform = uniform_input(words);
    EXPECT_EQ(input_distance(*open.mechanism, uniform, uniform, words), 0);
    for (TokenId w = 0; w < words; w += 7) {
      double farthest = 0;
      for (TokenId z = 0; z < words; ++z) farthest = std::max(farthest, open.mechanism->distance(w, z));
      EXPECT_EQ(input_distance(*open.mechanism, w, uniform, words), farthest);
      EXPECT_EQ(input_distance(*open.mechanism, uniform, w, words), farthest);
      EXPECT_EQ(input_distance(*open.mechanism, w, 1, words), open.mechanism->distance(w, 1));
    }
  }
}

// With so little noise that a word stays, counts show the places: n = 61,000 draws over 61 words, each count
// binomial with mean 1,000 and deviation below 31.5. A union bound over 61 two-sided tests at α = 1e-6 asks
// for 5.9 deviations.
TEST_F(WordRowTest, SampledPlacesAreUniform) {
  const auto open = open_mechanism({.name = "cmp", .epsilon = 1e5}, vectors_).value();
  const auto counts = sampled_counts(*open.mechanism, uniform_input(61), 61, 61'000);
  double farthest = 0;
  for (const std::uint64_t count : counts)
    farthest = std::max(farthest, std::abs(static_cast<double>(count) - 1000));
  EXPECT_LT(farthest, 5.9 * 31.5) << "the critical value is " << 5.9 * 31.5;
  RecordProperty("largest_deviation", std::to_string(farthest));
}

}  // namespace
}  // namespace sotto

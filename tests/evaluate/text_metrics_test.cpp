#include "evaluate/metrics/text_metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/list_set.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"
#include "support/tiny_wordnet.hpp"
#include "text/wordnet.hpp"

namespace sotto {
namespace {

using namespace sotto::evaluate;
using namespace sotto::testing;
using ::testing::ElementsAre;

Share perturbed(std::string_view original, std::string_view privatized) {
  return perturbed_words({original, privatized});
}

TEST(TextMetrics, WordsAndTokens) {
  EXPECT_THAT(words_of("Don’t eat 12 Pizzas, EVER!"), ElementsAre("don't", "eat", "12", "pizzas", "ever"));
  EXPECT_THAT(tokens_of("No, no."), ElementsAre("no", ",", "no", "."));
  EXPECT_TRUE(words_of("").empty());
  EXPECT_TRUE(words_of("...").empty());
  EXPECT_EQ(words_of("a \xFF b").size(), 3U);  // an invalid byte is a token of its own
}

TEST(TextMetrics, PerturbedByPlace) {
  const Share share = perturbed("The dog ate my soup.", "A dog ate his Soup!");
  EXPECT_EQ(share.part, 2U);
  EXPECT_EQ(share.whole, 5U);
  // Not treated as a shift: word-level mechanisms keep positions.
  EXPECT_DOUBLE_EQ(perturbed("a b a b", "b a b a").value(), 1);
}

TEST(TextMetrics, PerturbedByCommonSubsequence) {
  EXPECT_EQ(perturbed("the old dog ate soup", "the dog ate a hot soup").part, 1U);  // old
  EXPECT_EQ(perturbed("a b c d e", "e d c b a x").part, 4U);
  EXPECT_EQ(perturbed("a a a", "a a").part, 1U);
  EXPECT_EQ(perturbed("a a", "a a a").part, 0U);
  EXPECT_EQ(perturbed("x a b c y", "a q b q c q q").part, 2U);
}

TEST(TextMetrics, EmptyTexts) {
  EXPECT_EQ(perturbed("", "").value(), 0);
  EXPECT_EQ(perturbed("", "a b").whole, 0U);
  EXPECT_EQ(perturbed("a b", "").value(), 1);
  EXPECT_EQ(least_occurring_words({}, {}), 0);
  const std::vector<std::string> empty = {""};
  EXPECT_EQ(least_occurring_words(empty, empty), 0);
  EXPECT_EQ(known_words("", [](std::string_view) { return true; }).value(), 0);
  EXPECT_EQ(length_change({"", ""}).length_ratio(), 1);
  EXPECT_EQ(LengthChange{}.mean_absolute_change(), 0);
}

TEST(TextMetrics, SharesAddUp) {
  Share sum = perturbed("a b", "a c");
  sum += perturbed("a b c", "a b c");
  EXPECT_DOUBLE_EQ(sum.value(), 0.2);
}

TEST(TextMetrics, LengthChange) {
  LengthChange change = length_change({"a b c.", "a"});
  change += length_change({"a b", "a b, c d"});
  EXPECT_EQ(change.texts, 2U);
  EXPECT_DOUBLE_EQ(change.mean_absolute_change(), 3);
  EXPECT_DOUBLE_EQ(change.length_ratio(), 1);
  EXPECT_DOUBLE_EQ(length_change({"a b c d", "a"}).mean_absolute_change(), 3);
}

// Counts: a 3, b 2, c 2, d 1, e 1, f 1. Privatized: a c e survive.
TEST(TextMetrics, LeastOccurringWords) {
  const std::vector<std::string> originals = {"a b c d", "A b c e", "a, f."};
  const std::vector<std::string> privatized = {"x a y", "C", "e z"};
  EXPECT_DOUBLE_EQ(least_occurring_words(originals, privatized, 3), 1.0 / 3);
  EXPECT_DOUBLE_EQ(least_occurring_words(originals, privatized, 2), 1.0 / 3);  // any two of the three
  EXPECT_DOUBLE_EQ(least_occurring_words(originals, privatized, 4), (1 + 0.5) / 4);
  EXPECT_DOUBLE_EQ(least_occurring_words(originals, privatized, 1000), 0.5);
  EXPECT_DOUBLE_EQ(least_occurring_words(originals, originals), 1);
}

TEST(TextMetrics, KnownWords) {
  const std::vector<std::string> list = {"Soup", "the"};
  const Share share = known_words("The soup, 12 zzqx!", word_test(list));
  EXPECT_EQ(share.part, 2U);
  EXPECT_EQ(share.whole, 3U);

  const TemporaryFolder folder;
  const auto model = write_tiny_model(folder.path() / "m.safetensors");
  EXPECT_DOUBLE_EQ(known_words("The pizza, the Qzqx", word_test(*model)).value(), 0.75);

  write_tiny_wordnet(folder.path(), {{'n', {"goose"}}, {'v', {"eat"}}}, {{'n', "geese goose\n"}});
  const text::WordNet wordnet = text::WordNet::open(folder.path()).value();
  EXPECT_EQ(known_words("The geese eats qzqx", word_test(wordnet)).part, 3U);
}

class AverageVectors : public ::testing::Test {
 protected:
  std::vector<double> similarities(const std::vector<RewrittenText>& pairs, int bits = 16) const {
    const VectorModel parts = {
        {"east", "north", "west", "zero"}, {3, 0, 0, 4, -5, 0, 0, 0}, {}, 1.0 / 8, bits};
    const auto model = write_vector_model(folder_.path() / "m.safetensors", parts);
    return make_average_vector_similarity(model, 2).value()->similarities(pairs).value();
  }

  TemporaryFolder folder_;
};

TEST_F(AverageVectors, CosineOfTheMeans) {
  for (const int bits : {8, 16}) {
    const std::vector<double> cosines = similarities(
        {{"East", "east unknown"}, {"east", "north"}, {"east", "west"}, {"east north", "east"}}, bits);
    EXPECT_NEAR(cosines[0], 1, 1e-15);
    EXPECT_NEAR(cosines[1], 0, 1e-15);
    EXPECT_NEAR(cosines[2], -1, 1e-15);
    EXPECT_NEAR(cosines[3], 0.6, 1e-15);  // (3, 4) and (3, 0)
  }
}

TEST_F(AverageVectors, TextsWithoutAVector) {
  const std::vector<double> cosines =
      similarities({{"", ""}, {"unknown", "."}, {"east", ""}, {"zero", "east"}, {"zero", ""}});
  EXPECT_THAT(cosines, ElementsAre(1, 1, 0, 0, 0));
}

TEST_F(AverageVectors, RefusesAListSet) {
  const std::vector<std::string> words = {"a", "b", "c"};
  const auto lists =
      write_list_set(folder_.path() / "lists.safetensors", words, {{"l", stepping_order(3, 1)}});
  expect_error(make_average_vector_similarity(lists), Errc::invalid_argument, {"'lists'", "no vectors"});
}

}  // namespace
}  // namespace sotto

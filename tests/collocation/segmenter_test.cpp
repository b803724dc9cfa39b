#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sotto/budget.hpp>

#include "collocation/segment_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::collocation;
using ::testing::ElementsAre;
using testing::segment;
using testing::TemporaryFolder;
using testing::write_table;

/// Scores with the sums of the figure: i_think + therefore_i = 7.53, i_think + i_am = 12.43.
std::vector<ScoredPhrase> figure_phrases() {
  return {{"i_think", 4.20, 50}, {"therefore_i", 3.33, 20}, {"i_am", 8.23, 90}};
}

double token_budget(BudgetStrategy strategy, std::uint64_t tokens, std::uint64_t words) {
  return share_budget(strategy, 10, {tokens, words}).value().front();
}

// Figure 1 of "A Collocation-based Method for Addressing Challenges in Word-level Metric Differential
// Privacy".
TEST(Segmenter, FigureOneOfThePaper) {
  const TemporaryFolder folder;
  const auto table = write_table(folder, figure_phrases());
  const std::string text = "I think, therefore I am";
  constexpr double kUnit = 3.0 / 65536;  // three scores, each rounded

  const auto words = segment(table, Segmentation::none, text);
  EXPECT_THAT(words.tokens, ElementsAre("i", "think", ",", "therefore", "i", "am"));

  const auto gst = segment(table, Segmentation::gst, text);
  EXPECT_THAT(gst.tokens, ElementsAre("i_think", ",", "therefore_i", "am"));
  EXPECT_NEAR(gst.sum, 7.53, kUnit);

  for (const Segmentation method : {Segmentation::mst, Segmentation::optimal}) {
    const auto mst = segment(table, method, text);
    EXPECT_THAT(mst.tokens, ElementsAre("i_think", ",", "therefore", "i_am"));
    EXPECT_NEAR(mst.sum, 12.43, kUnit);
  }

  // The figure counts the comma as a token with a share of its own.
  EXPECT_NEAR(token_budget(BudgetStrategy::even, 6, 6), 1.67, 0.005);   // S1
  EXPECT_NEAR(token_budget(BudgetStrategy::words, 4, 6), 1.67, 0.005);  // S2
  EXPECT_NEAR(token_budget(BudgetStrategy::even, 4, 6), 2.5, 1e-9);     // S3 and S4
}

TEST(Segmenter, EveryWordIsInOnePieceAfterThreeWords) {
  const TemporaryFolder folder;
  const auto table = write_table(folder, {{"that_may_be", 5, 9}, {"be_abused", 6, 9}, {"may_be", 2, 9}});
  const std::string text = "That may be abused.";
  EXPECT_THAT(segment(table, Segmentation::gst, text).tokens, ElementsAre("that_may_be", "abused", "."));
  EXPECT_THAT(segment(table, Segmentation::mst, text).tokens, ElementsAre("that", "may", "be_abused", "."));
  EXPECT_THAT(segment(table, Segmentation::optimal, text).tokens,
              ElementsAre("that", "may", "be_abused", "."));
}

TEST(Segmenter, RepeatedWordsAreToldApartByPosition) {
  const TemporaryFolder folder;
  const auto table = write_table(folder, {{"new_york", 9, 9}, {"york_new", 3, 9}, {"very_very", 2, 9}});
  for (const Segmentation method : {Segmentation::gst, Segmentation::mst, Segmentation::optimal}) {
    EXPECT_THAT(segment(table, method, "new york new york new york").tokens,
                ElementsAre("new_york", "new_york", "new_york"));
    EXPECT_THAT(segment(table, method, "very very very").tokens, ElementsAre("very_very", "very"));
    EXPECT_THAT(segment(table, method, "new york, the new new york").tokens,
                ElementsAre("new_york", ",", "the", "new", "new_york"));
  }
}

TEST(Segmenter, MstCanBeBelowTheOptimum) {
  const TemporaryFolder folder;
  const auto table = write_table(folder, {{"a_b", 4, 9}, {"b_c", 5, 9}, {"c_d", 4, 9}});
  const auto mst = segment(table, Segmentation::mst, "a b c d");
  EXPECT_THAT(mst.tokens, ElementsAre("a", "b_c", "d"));
  EXPECT_EQ(mst.sum, 5);
  const auto optimal = segment(table, Segmentation::optimal, "a b c d");
  EXPECT_THAT(optimal.tokens, ElementsAre("a_b", "c_d"));
  EXPECT_EQ(optimal.sum, 8);
}

TEST(Segmenter, TiesAreBrokenAsStated) {
  const TemporaryFolder folder;
  const auto table = write_table(folder, {{"a_b", 4, 1},
                                          {"b_c", 4, 1},
                                          {"a_b_c", 4, 1},
                                          {"d_e", 2, 1},
                                          {"e_f", 2, 1},
                                          {"g_h_g", 3, 1},
                                          {"g_h", 3, 1},
                                          {"x_y", 0, 1},
                                          {"x_z", -1, 1}});
  for (const Segmentation method : {Segmentation::mst, Segmentation::optimal}) {
    EXPECT_THAT(segment(table, method, "a b c").tokens, ElementsAre("a_b_c"));
    EXPECT_THAT(segment(table, method, "d e f").tokens, ElementsAre("d_e", "f"));
    EXPECT_THAT(segment(table, method, "g h g").tokens, ElementsAre("g_h_g"));
    EXPECT_THAT(segment(table, method, "x y").tokens, ElementsAre("x_y"));
    EXPECT_THAT(segment(table, method, "x z").tokens, ElementsAre("x", "z"));
  }
  EXPECT_THAT(segment(table, Segmentation::gst, "x z").tokens, ElementsAre("x_z"));
}

TEST(Segmenter, NothingButWhitespaceInsideAPhraseAndNoSentenceEnd) {
  const TemporaryFolder folder;
  const auto table = write_table(folder, {{"new_york", 9, 9}, {"new_york_city", 9, 9}});
  const auto tokens = [&](std::string_view text) { return segment(table, Segmentation::gst, text).tokens; };
  EXPECT_THAT(tokens("New  \t York\nCity"), ElementsAre("new_york_city"));
  EXPECT_THAT(tokens("new, york"), ElementsAre("new", ",", "york"));
  EXPECT_THAT(tokens("Something new. York is old."),
              ElementsAre("something", "new", ".", "york", "is", "old", "."));
  EXPECT_THAT(tokens("new\n\nyork"), ElementsAre("new", "york"));
  EXPECT_THAT(tokens("new york\n\ncity"), ElementsAre("new_york", "city"));
  EXPECT_THAT(tokens("new 7 york"), ElementsAre("new", "7", "york"));
  EXPECT_THAT(tokens("new-york new"), ElementsAre("new-york", "new"));
  EXPECT_THAT(tokens(""), ElementsAre());
}

TEST(Segmenter, WordsCountInTheFormTheyAreLookedUp) {
  const TemporaryFolder folder;
  const auto table = write_table(
      folder, {{"don't_know", 3, 9}, {"café_crème", 3, 9}, {"internationalization-minded_people", 3, 9}});
  const auto pieces = [&](std::string_view text) {
    return segment(table, Segmentation::mst, text).pieces.size();
  };
  EXPECT_EQ(pieces("I DON\u2019T know"), 2U);
  EXPECT_EQ(pieces("Cafe\u0301 CRÈME"), 1U);
  EXPECT_EQ(pieces("Internationalization-Minded People"), 1U);
  EXPECT_EQ(pieces("Internationalization-Mindes People"), 2U);
}

TEST(Segmenter, OnlyAllowedPhrasesAreFormed) {
  const TemporaryFolder folder;
  const auto table = write_table(folder, {{"a_b", 4, 9}, {"a_b_c", 6, 9}, {"b_c", 5, 9}});
  std::vector<bool> allowed(table->size(), true);
  allowed[table->find("a_b_c")] = false;
  for (const Segmentation method : {Segmentation::mst, Segmentation::optimal})
    EXPECT_THAT(segment(table, method, "a b c", &allowed).tokens, ElementsAre("a", "b_c"));
  EXPECT_THAT(segment(table, Segmentation::gst, "a b c", &allowed).tokens, ElementsAre("a_b", "c"));
}

TEST(Segmenter, ASegmenterIsUsedForManyTexts) {
  const TemporaryFolder folder;
  const auto table = write_table(folder, {{"a_b", 4, 9}});
  Segmenter segmenter(table, Segmentation::optimal);
  std::vector<Token> tokens;
  std::vector<Piece> pieces;
  for (const std::string text : {"a b a b a b", "a", "", "b a b"}) {
    tokenize(text, tokens);
    segmenter.segment(text, tokens, pieces);
    EXPECT_EQ(pieces.size(), (tokens.size() + 1) / 2) << text;
  }
}

TEST(Segmenter, NamesOfMethods) {
  EXPECT_EQ(parse_segmentation("method", "gst", false), Segmentation::gst);
  EXPECT_EQ(parse_segmentation("method", "mst", false), Segmentation::mst);
  EXPECT_EQ(parse_segmentation("method", "optimal", false), Segmentation::optimal);
  EXPECT_EQ(parse_segmentation("method", "none", true), Segmentation::none);
  testing::expect_error(parse_segmentation("method", "none", false), Errc::invalid_argument, "method",
                        {"none", "gst", "mst", "optimal"});
  for (const Segmentation method :
       {Segmentation::none, Segmentation::gst, Segmentation::mst, Segmentation::optimal})
    EXPECT_EQ(parse_segmentation("method", to_string(method), true), method);
}

}  // namespace
}  // namespace sotto

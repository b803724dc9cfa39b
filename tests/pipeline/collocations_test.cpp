// Texts segmented into phrases on their way through the pipeline.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sotto/explain.hpp>

#include "pipeline/phrase_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

using Collocations = PhrasePipelineTest;

TEST_F(Collocations, TokensByHand) {
  const std::string text = "I think, therefore I am";
  const auto tokens = [&](Segmentation method) {
    Counts counts;
    EXPECT_EQ(rewrite(text, phrase_options(method), &counts), text);
    EXPECT_EQ(counts.words, counts.privatized);  // after segmentation
    EXPECT_EQ(counts.statistics.privatized_words, 5U);
    EXPECT_EQ(counts.statistics.output_words, 5U);
    EXPECT_EQ(counts.statistics.largest_document_words, 5U);
    EXPECT_EQ(counts.statistics.changed + counts.statistics.bottom, 0U);
    EXPECT_EQ(counts.statistics.output_phrases, counts.statistics.phrases);
    return std::pair(counts.privatized, counts.statistics.phrases);
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(tokens(Segmentation::none), Pair(5, 0));
  EXPECT_EQ(tokens(Segmentation::gst), Pair(3, 2));  // i_think , therefore_i am
  EXPECT_EQ(tokens(Segmentation::mst), Pair(3, 2));  // i_think , therefore i_am
  EXPECT_EQ(tokens(Segmentation::optimal), Pair(3, 2));
}

TEST_F(Collocations, OnlyPhrasesOfTheModelAreFormed) {
  auto phrases = few_phrases();
  phrases.push_back({"cold_soup", 20, 99});  // not a word of the model
  ASSERT_TRUE(write_phrase_table(path("table"), phrases, {}));
  PrivatizeOptions with = phrase_options(Segmentation::gst);
  with.phrases = path("table");
  Counts counts;
  EXPECT_EQ(rewrite("Cold soup new york", with, &counts), "Cold soup New York");
  EXPECT_EQ(counts.statistics.phrases, 1U);
  EXPECT_EQ(counts.privatized, 3U);
}

TEST_F(Collocations, WithNoiseEveryTokenIsReplacedAndLengthsVary) {
  Counts counts;
  std::string text;
  for (int i = 0; i < 200; ++i) text += "new york soup. ";
  const std::string out = rewrite(text, phrase_options(Segmentation::gst, 0.5), &counts);
  EXPECT_EQ(counts.privatized, 400U);
  EXPECT_EQ(counts.statistics.phrases, 200U);
  EXPECT_GT(counts.statistics.output_phrases, 50U);
  EXPECT_EQ(out.find('_'), std::string::npos);
  const auto words = static_cast<std::uint64_t>(std::count(out.begin(), out.end(), ' '));
  EXPECT_EQ(words, counts.statistics.output_words);  // one blank after each
}

TEST_F(Collocations, AModelWithPhrasesShowsBlanksWithoutTheOptionToo) {
  const std::string out = rewrite(
      "soup soup soup soup soup soup soup soup soup soup soup soup soup soup soup soup soup soup soup soup",
      phrase_options(Segmentation::none, 0.1));
  EXPECT_EQ(out.find('_'), std::string::npos);
  // A model whose words merely contain underscores keeps them.
  write_vector_model(path("plain.safetensors"), phrase_model_parts());
  PrivatizeOptions plain = phrase_options(Segmentation::none, 0.1);
  plain.mechanism.model = path("plain.safetensors").string();
  std::string text = "soup";
  for (int i = 0; i < 100; ++i) text += " soup";
  EXPECT_NE(rewrite(text, plain).find('_'), std::string::npos);
}

TEST_F(Collocations, JoinsAndCase) {
  const auto stays = [&](const std::string& text, const std::string& expected, CasePolicy letter_case) {
    PrivatizeOptions with = phrase_options(Segmentation::gst);
    with.policy.letter_case = letter_case;
    EXPECT_EQ(rewrite(text, with), expected);
  };
  const auto position = CasePolicy::position;
  stays("\"New York\", we think.", "\"New york\", we think.", position);
  stays("we (new york)!", "We (new york)!", position);
  stays("we - new york - soup", "We - new york - soup", position);
  stays("new\nyork", "New york", position);
  stays("new \t york\nsoup", "New york\nsoup", position);
  stays("was cold. new york city, we", "Was cold. New york city, we", position);
  stays("we think i think i am cold", "We think I think I am cold", position);
  stays("NEW YORK I THINK", "new york i think", CasePolicy::lower);
  stays("we New York NEW YORK new york New york", "we New York NEW YORK new york New york", CasePolicy::keep);
  stays("new\xC2\xA0york", "New york", position);
  stays("we think NEW YORK was cold", "We think New York was cold", CasePolicy::natural);
}

TEST_F(Collocations, CaseIsKeptWordByWord) {
  // A model of two words, one of them a phrase: any output that is not the input is the other one.
  VectorModel parts{{"paris", "new_york"}, {1000, 0, 0, 1000}, {}, 1.0 / 4096};
  write_phrase_model(path("two.safetensors"), parts, few_phrases());
  PrivatizeOptions with = phrase_options(Segmentation::gst, 0.001);
  with.mechanism.model = path("two.safetensors").string();
  with.policy.letter_case = CasePolicy::keep;
  const auto has = [&](const std::string& text, const std::string& expected) {
    std::string all;
    for (int i = 0; i < 40; ++i) all += text + "\n\n";
    EXPECT_NE(rewrite(all, with).find(expected), std::string::npos) << rewrite(all, with);
  };
  has("New York", "Paris\n");
  has("NEW YORK", "PARIS\n");
  has("Paris", "New york\n");  // at the beginning of a sentence
  has("(so) paris, Paris", "New York\n");
  has("PARIS", "NEW YORK\n");
}

TEST_F(Collocations, StopwordsAreKeptOnlyAlone) {
  PrivatizeOptions with = phrase_options(Segmentation::gst, 0.01);
  with.policy.stopwords = StopwordPolicy::keep;
  Counts counts;
  rewrite("i am. i was i think", with, &counts);  // i_am . i was i_think
  EXPECT_EQ(counts.statistics.phrases, 2U);
  EXPECT_EQ(counts.clear_stopwords, 2U);
  EXPECT_EQ(counts.privatized, 2U);
}

TEST_F(Collocations, WhatDecidesTheTokensDecidesTheNoise) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "the soup was cold ";  // no phrases in it
  const std::string base = rewrite(text, phrase_options(Segmentation::none, 1));
  const std::string gst = rewrite(text, phrase_options(Segmentation::gst, 1));
  EXPECT_NE(gst, base);
  EXPECT_NE(rewrite(text, phrase_options(Segmentation::mst, 1)), gst);
  ASSERT_TRUE(write_phrase_table(path("table"), few_phrases(), {}));
  PrivatizeOptions other = phrase_options(Segmentation::gst, 1);
  other.phrases = path("table");
  EXPECT_NE(rewrite(text, other), gst);
}

TEST_F(Collocations, WhatCannotWorkIsRefused) {
  PrivatizeOptions with = options();
  with.collocations = Segmentation::gst;
  expect_error(Privatizer::make(with), Errc::invalid_argument, "collocations", {"'lists'", "phrases"});
  ASSERT_TRUE(write_phrase_table(path("table"), few_phrases(), {}));
  with.phrases = path("table");
  expect_error(Privatizer::make(with), Errc::invalid_argument, {"none of the 6 phrases", "'lists'"});
  with.collocations = Segmentation::none;
  expect_error(Privatizer::make(with), Errc::invalid_argument, "phrases", {"needs collocations"});
}

TEST_F(Collocations, ReceiptSaysWhatHoldsAndWhatIsRevealed) {
  write("in.txt", "I think, therefore I am\nthe soup of new york city\n");
  const Receipt receipt =
      privatize_files(phrase_options(Segmentation::gst, 2), files("in.txt", "out.txt")).value();
  const auto json = nlohmann::json::parse(to_json(receipt));
  EXPECT_EQ(json["collocations"]["method"], "gst");
  EXPECT_EQ(json["collocations"]["phrases"], 6);
  EXPECT_EQ(json["collocations"]["phrases_digest"], json["model"]["digest"]);
  EXPECT_EQ(json["counts"]["largest_document"], 4);
  EXPECT_FALSE(json["collocations"].contains("input_phrases"));
  EXPECT_EQ(json["counts"]["tokens"]["word"], json["counts"]["privatized"]);
  EXPECT_NE(json["guarantee"]["adjacency"].dump().find("segmentation into tokens"), std::string::npos);
  EXPECT_EQ(json["guarantee"]["document"]["epsilon_sum_max"], 8);
  EXPECT_NE(json["leaks"].dump().find("cut into tokens"), std::string::npos);
  EXPECT_FALSE(json.contains("budget"));
}

TEST_F(Collocations, ExplainFindsAPhraseAsItIsRead) {
  ExplainOptions with;
  with.mechanism.name = "santext";
  with.mechanism.epsilon = 100;
  with.mechanism.model = path("phrases.safetensors").string();
  const Explanation read = explain("New York", with).value();
  EXPECT_TRUE(read.in_vocabulary);
  EXPECT_EQ(read.top.front().word, "new_york");
  EXPECT_EQ(explain("new_york", with).value().stays, read.stays);
  expect_error(explain("cold soup", with), Errc::invalid_argument, {"no phrase of the model"});
  EXPECT_EQ(explain("yorrk", with).value().entry, (WordEntry{EntryPath::corrected, "york"}));
}

}  // namespace
}  // namespace sotto

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include <sotto/explain.hpp>

#include "pipeline/word_entry.hpp"
#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"
#include "support/table_map.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class Explain : public PipelineTest {
 protected:
  Explanation about(std::string_view word, double epsilon, std::size_t top,
                    OovPolicy oov = OovPolicy::nearest) const {
    ExplainOptions with;
    with.mechanism.epsilon = epsilon;
    with.mechanism.model = path("lists.safetensors").string();
    with.top = top;
    with.oov = oov;
    return explain(word, with).value();
  }
};

TEST_F(Explain, AgreesWithTheLaw) {
  const double epsilon = 1;
  const Explanation e = about("Soup", epsilon, 1'000'000);
  ASSERT_EQ(e.top.size(), words_.size());
  EXPECT_TRUE(e.in_vocabulary);
  EXPECT_EQ(e.top.front().word, "soup");
  const double q = std::exp(-epsilon);
  EXPECT_NEAR(e.stays, (1 - q) / (1 + q), 1e-12);
  double sum = 0, distinct = 0;
  for (const Outcome& outcome : e.top) {
    sum += outcome.probability;
    distinct += 1 - std::pow(1 - outcome.probability, 100);
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(e.distinct_in_100, distinct, 1e-9);
  double mass = 0;
  for (std::size_t i = 0; i + 1 < e.words_for_95_percent; ++i) mass += e.top[i].probability;
  EXPECT_LT(mass, 0.95);
  EXPECT_GE(mass + e.top[e.words_for_95_percent - 1].probability, 0.95);
}

TEST_F(Explain, AnOpenMechanismGivesTheSame) {
  ExplainOptions with;
  with.mechanism = {.name = "diffractor-tem",
                    .epsilon = 0.5,
                    .parameters = {{"gamma", "3"}},
                    .model = path("lists.safetensors").string()};
  with.top = 7;
  const OpenMechanism open = open_mechanism(with.mechanism).value();
  ExplainOptions other = with;
  other.mechanism = {.name = "absent", .epsilon = 9, .model = "absent"};
  for (const char* const word : {"soup", "Waiter", "Zanzibar"})
    EXPECT_EQ(to_json(explain(word, open, other).value()), to_json(explain(word, with).value())) << word;
  EXPECT_EQ(explain("soup", open).value().top.size(), 10U) << "by default";
}

TEST_F(Explain, UnknownWordsEnterAsBottomIfAsked) {
  const Explanation e = about("Zanzibar", 1, 3, OovPolicy::bottom);
  EXPECT_FALSE(e.in_vocabulary);
  EXPECT_EQ(e.entry, (WordEntry{EntryPath::bottom, ""}));
  EXPECT_EQ(e.stays, 0);
  EXPECT_EQ(e.top.size(), 3U);
  EXPECT_EQ(e.guarantee.statement.find("mapped"), std::string::npos);
}

TEST_F(Explain, AMappedWordHasTheRowOfItsWord) {
  const Explanation soup = about("soup", 1, 600);
  EXPECT_EQ(soup.entry, (WordEntry{EntryPath::vocabulary, "soup"}));
  for (const auto& [word, path] : {std::pair("So\u00fcp", EntryPath::folded),
                                   {"soooup", EntryPath::folded},
                                   {"(soupp!)", EntryPath::corrected}}) {
    const Explanation e = about(word, 1, 600);
    EXPECT_EQ(e.word, word);
    EXPECT_FALSE(e.in_vocabulary);
    EXPECT_EQ(e.entry, (WordEntry{path, "soup"})) << word;
    EXPECT_EQ(e.stays, soup.stays);
    ASSERT_EQ(e.top.size(), soup.top.size());
    for (std::size_t i = 0; i < e.top.size(); ++i) EXPECT_EQ(e.top[i].probability, soup.top[i].probability);
    EXPECT_NE(e.guarantee.statement.find("the promise is about the mapped words"), std::string::npos);
  }
  EXPECT_EQ(about("\"Soup!", 1, 1).entry, soup.entry) << "punctuation does not matter";
  EXPECT_EQ(about("Waitr", 1, 1).entry, (WordEntry{EntryPath::corrected, "waiter"}));
}

TEST_F(Explain, WhatHasNoPlaceHasTheMeanOfAllRows) {
  const OpenMechanism open =
      open_mechanism({.epsilon = 0.3, .model = path("lists.safetensors").string()}).value();
  std::map<std::string, double> mean;
  for (TokenId z = 0; z < words_.size(); ++z) {
    const std::vector<double> row = open.mechanism->row(z);
    for (TokenId y = 0; y < words_.size(); ++y) mean[std::string(open.model->word(y))] += row[y];
  }
  for (const char* const word :
       {"https://x.org/a?b", "jane@example.org", "b2b4", "\u5317\u4eac", "\xe9", "@ann92"}) {
    const Explanation e = about(word, 0.3, 1000);
    EXPECT_EQ(e.entry, (WordEntry{EntryPath::uniform, ""})) << word;
    EXPECT_EQ(e.draws, 0U);
    EXPECT_EQ(e.stays, 0);
    ASSERT_EQ(e.top.size(), words_.size());
    for (const Outcome& outcome : e.top)
      EXPECT_NEAR(outcome.probability, mean[outcome.word] / static_cast<double>(words_.size()), 1e-15);
  }
}

TEST_F(Explain, WhatIsNoTokenOfAMechanismIsRefused) {
  ExplainOptions with;
  with.mechanism.epsilon = 1;
  with.mechanism.model = path("lists.safetensors").string();
  for (const OovPolicy oov : {OovPolicy::nearest, OovPolicy::bottom}) {
    with.oov = oov;
    expect_error(explain("cold soup", with), Errc::invalid_argument, {"'cold soup' is 2 words"});
    expect_error(explain("12.5", with), Errc::invalid_argument, {"'12.5' is not a word"});
    expect_error(explain("...", with), Errc::invalid_argument, {"'...' is not a word"});
    expect_error(explain("", with), Errc::invalid_argument, {"'' is not a word"});
  }
  for (const OovPolicy oov : {OovPolicy::keep, OovPolicy::drop}) {
    with.oov = oov;
    expect_error(explain("soup", with), Errc::invalid_argument, "oov", {to_string(oov), "nearest or bottom"});
  }
}

// The candidates of a map that the model lacks are passed over, and phrases are not among them.
TEST_F(Explain, TheMapsCandidatesAreTriedInTurn) {
  const auto map = table_map({{"broth", {embed::WordPath::subword, {"unknownword", "cold_soup", "soup"}}},
                              {"stew", {embed::WordPath::corrected, {"unknownword"}}}});
  const auto entry = [&](std::string_view word) {
    return pipeline::find_input(word, *model_, OovPolicy::nearest, map).value();
  };
  EXPECT_EQ(entry("broth").id, model_->find("soup"));
  EXPECT_EQ(entry("broth").entry, (WordEntry{EntryPath::subword, "soup"}));
  EXPECT_EQ(entry("stew").entry, (WordEntry{EntryPath::uniform, ""}));
  EXPECT_EQ(entry("SOUP").entry, (WordEntry{EntryPath::vocabulary, "soup"}));
}

}  // namespace
}  // namespace sotto

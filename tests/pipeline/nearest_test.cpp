// Words outside the vocabulary under the policy nearest: what each becomes, from which law it is drawn, and
// what that promises.
#include <thread>

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pipeline/phrase_fixture.hpp"
#include "pipeline/rewrite/rewriter.hpp"
#include "pipeline/rewrite/word_text_mechanism.hpp"
#include "random/integer_samplers.hpp"
#include "support/result_matchers.hpp"
#include "support/table_map.hpp"
#include "support/tiny_model.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto {
namespace {

using namespace sotto::pipeline;
using namespace sotto::testing;

const MapTable kTable = {{"caf\u00e9", {embed::WordPath::folded, {"soup"}}},
                         {"soooup", {embed::WordPath::folded, {"soup"}}},
                         {"colld", {embed::WordPath::corrected, {"unknownword", "cold", "soup"}}},
                         {"waitress", {embed::WordPath::subword, {"waiter"}}},
                         {"doggy", {embed::WordPath::subword, {"dog", "wd"}}},
                         {"nowhere", {embed::WordPath::subword, {"unknownword"}}}};

class NearestTest : public PhrasePipelineTest {
 protected:
  struct Run {
    std::string text;
    Counts counts;
  };

  static std::shared_ptr<const RewriteContext> context(const PrivatizeOptions& with,
                                                       std::shared_ptr<const PinnedWordMap> map) {
    auto made = RewriteContext::make(with, std::move(map));
    EXPECT_TRUE(made) << (made ? "" : describe(made.error()));
    return made.value();
  }

  static Result<Run> try_run(const std::shared_ptr<const RewriteContext>& context, const std::string& text) {
    Rewriter rewriter(context);
    text::OutputBuffer out;
    Run run;
    rewriter.start(out, run.counts);
    const std::string padded = text + std::string(64, '\0');
    SOTTO_TRY(rewriter.rewrite(context->streams("set").value(), kDocument, "text",
                               std::string_view(padded).substr(0, text.size()), Rewriter::Lifetime::call));
    SOTTO_TRY(rewriter.finish());
    run.text = std::string(out.view());
    return run;
  }

  /// With so little noise that every word stays, unless the options say otherwise.
  Run run_with(const PrivatizeOptions& with, const std::string& text) const {
    return try_run(context(with, table_map(kTable)), text).value();
  }

  static constexpr random::DocumentId kDocument{std::nullopt, 1};
};

TEST_F(NearestTest, TokensTakeTheWordTheyAreMappedTo) {
  const Run run = run_with(options(1e6), "the caf\u00e9 was soooup colld waitress");
  EXPECT_EQ(run.text, "The soup was soup cold waiter");
  const Statistics& statistics = run.counts.statistics;
  EXPECT_EQ(statistics.folded, 2U);
  EXPECT_EQ(statistics.corrected, 1U);
  EXPECT_EQ(statistics.subword, 1U);
  EXPECT_EQ(statistics.uniform + statistics.bottom + statistics.changed, 0U);
  EXPECT_EQ(run.counts.privatized, 6U);
}

// Links, addresses, numbers glued to letters, emoji and other scripts, and tokens whose candidates the model
// lacks: none passes, none has a word of its own, and they spread over the whole vocabulary.
TEST_F(NearestTest, WhatHasNoPlaceIsDrawnFromAnyWord) {
  const std::vector<std::string> outside = {"https://x.org/a?b", "jane@example.com", "B2B",
                                            "\U0001F600",        "\u5317\u4eac",     "nowhere"};
  std::string text = "the";
  for (int i = 0; i < 500; ++i) text += " " + outside[i % outside.size()];
  const Run run = run_with(options(1e6), text);
  EXPECT_EQ(run.counts.statistics.uniform, 500U);
  EXPECT_EQ(run.counts.statistics.changed, 500U) << "whatever comes out, it is not what was written";
  for (const std::string& token : outside) EXPECT_EQ(run.text.find(token), std::string::npos);
  std::istringstream words(run.text);
  std::map<std::string, int> seen;
  for (std::string word; words >> word;) ++seen[word];
  // 500 uniform draws from 510 words: some 319 distinct ones, and no word more than 12 times (the chance of
  // that is below 510 · C(500, 13) / 510^13 < 2e-10).
  EXPECT_GT(seen.size(), 260U);
  for (const auto& [word, count] : seen) EXPECT_LE(count, 12) << word;
}

struct LawCase {
  std::string mechanism;
  double epsilon = 2;
  ParameterValues parameters = {};
};

/// On twelve or thirteen words, for every mechanism.
class NearestLaw : public NearestTest {
 protected:
  NearestLaw() {
    write_tiny_model(path("tiny.safetensors"));
    write_list_set(path("short.safetensors"), letter_words(13),
                   {{"a", stepping_order(13, 1)}, {"b", stepping_order(13, 5)}});
    std::filesystem::create_directory(path("wordnet"));
    write_tiny_wordnet(path("wordnet"), {{'n', {"dog", "cat"}}, {'n', {"pizza", "pasta"}}});
  }

  std::vector<LawCase> cases() const {
    std::vector<LawCase> cases;
    for (const MechanismInfo& info : mechanisms())
      if (info.kind == MechanismKind::word_by_word) cases.push_back({info.name});
    cases.push_back({"syntf", 2, {{"candidates", "vocabulary"}}});
    cases.push_back({"tem", 2, {{"gamma", "0.8"}}});
    cases.push_back({"santext", 2, {{"selection", "permute-and-flip"}}});
    cases.push_back({"custext", 2, {{"k", "4"}}});
    cases.push_back({"diffractor-geometric", 0.3, {{"lists", "L2"}}});
    cases.push_back({"diffractor-tem", 0.5, {{"gamma", "3"}}});
    for (LawCase& law : cases)
      if (law.mechanism == "syntf") law.parameters["wordnet"] = path("wordnet").string();
    return cases;
  }

  PrivatizeOptions options_for(const LawCase& law) const {
    PrivatizeOptions with = options(law.epsilon);
    with.mechanism.name = law.mechanism;
    with.mechanism.parameters = law.parameters;
    with.mechanism.model =
        path(law.mechanism.starts_with("diffractor") ? "short.safetensors" : "tiny.safetensors").string();
    with.policy.letter_case = CasePolicy::lower;
    with.policy.articles = ArticlePolicy::keep;
    return with;
  }

  /// The ids that a text's tokens enter as, the places of those without one drawn from `bits`.
  static std::vector<TokenId> expected_inputs(const std::vector<std::string>& tokens, const Model& model,
                                              BitSource& bits) {
    std::vector<TokenId> inputs;
    std::vector<std::size_t> unplaced;
    for (const std::string& token : tokens) {
      TokenId id = model.find(token);
      if (const auto mapped = kTable.find(token); id == model.bottom() && mapped != kTable.end())
        for (const std::string& word : mapped->second.candidates)
          if (id == model.bottom()) id = model.find(word);
      if (id == model.bottom()) unplaced.push_back(inputs.size());
      inputs.push_back(id);
    }
    for (const std::size_t i : unplaced)
      inputs[i] = static_cast<TokenId>(random::uniform_below(bits, model.size()));
    return inputs;
  }
};

const std::vector<std::string> kLawTokens = {
    "dog", "doggy", "https://x.org", "wd",  "nowhere",         "pizza",
    "B2B", "wa",    "soooup",        "cat", "jane@example.com"};

// What a document releases is, bit by bit, what the mechanism draws from the mapped words after one exact
// uniform draw for each token without a place. So the law of a mapped word is the row of its word, and the
// law of the others is the mean of all rows, for noise mechanisms too.
TEST_F(NearestLaw, EveryMechanismDrawsFromTheMappedWordOrAUniformOne) {
  for (const LawCase& law : cases()) {
    SCOPED_TRACE(fmt::format("{} {}", law.mechanism, law.parameters));
    const auto made = context(options_for(law), table_map(kTable));
    const auto& words = dynamic_cast<const WordTextMechanism&>(*made->mechanism);
    for (std::size_t shift = 0; shift < 8; ++shift) {
      std::vector<std::string> tokens;
      for (std::size_t i = 0; i < 100; ++i) tokens.push_back(kLawTokens[(i * i + shift) % kLawTokens.size()]);
      const std::string text = fmt::format("{}", fmt::join(tokens, " "));
      random::ChaChaBitSource bits(made->streams("set").value().stream_key(kDocument, "text", text));
      std::vector<TokenId> ids = expected_inputs(tokens, *words.model, bits);
      words.mechanism->privatize(ids, ids, bits);
      std::vector<std::string> expected;
      for (const TokenId id : ids) expected.emplace_back(words.model->word(id));
      EXPECT_EQ(try_run(made, text).value().text, fmt::format("{}", fmt::join(expected, " ")));
    }
  }
}

// The same with a budget per document: each token has its share, the places cost nothing.
TEST_F(NearestLaw, BudgetsPerDocumentChangeOnlyTheEpsilon) {
  for (const LawCase& law : cases()) {
    SCOPED_TRACE(fmt::format("{} {}", law.mechanism, law.parameters));
    PrivatizeOptions with = options_for(law);
    with.mechanism.epsilon = 0;
    with.document_budget.emplace().epsilon = 22;
    const auto made = context(with, table_map(kTable));
    const auto& words = dynamic_cast<const WordTextMechanism&>(*made->mechanism);
    const std::string text = fmt::format("{}", fmt::join(kLawTokens, " "));
    const Run run = try_run(made, text).value();
    random::ChaChaBitSource bits(made->streams("set").value().stream_key(kDocument, "text", text));
    std::vector<TokenId> ids = expected_inputs(kLawTokens, *words.model, bits);
    const auto share = words.bank->at(run.counts.largest_share).value();
    share->privatize(ids, ids, bits);
    std::vector<std::string> expected;
    for (const TokenId id : ids) expected.emplace_back(words.model->word(id));
    EXPECT_EQ(run.text, fmt::format("{}", fmt::join(expected, " ")));
    EXPECT_EQ(run.counts.smallest_share, run.counts.largest_share);
    EXPECT_LE(run.counts.epsilon_sum, 22 * (1 + 1e-9));
  }
}

// The mean of all rows against each row, for every output: at most ε times the distance of the farthest word
// (and the additive term). Rows are doubles here, so the comparison has their rounding; integers without
// tolerance are in tests/mechanisms/exact_bound_test.cpp.
TEST_F(NearestLaw, TheMeanOfAllRowsKeepsThePromise) {
  std::size_t enumerated = 0;
  for (const LawCase& law : cases()) {
    SCOPED_TRACE(fmt::format("{} {}", law.mechanism, law.parameters));
    const auto made = context(options_for(law), table_map(kTable));
    const auto& words = dynamic_cast<const WordTextMechanism&>(*made->mechanism);
    const Mechanism& mechanism = *words.mechanism;
    const Guarantee guarantee = mechanism.guarantee();
    const std::uint32_t size = words.model->size();
    if (mechanism.row(0).empty() || guarantee.kind == GuaranteeKind::none) continue;
    ++enumerated;
    std::vector<double> mean(size);
    for (TokenId z = 0; z < size; ++z)
      for (TokenId y = 0; y < size; ++y) mean[y] += mechanism.row(z)[y] / size;
    bool promised = false;
    for (TokenId w = 0; w < size; ++w) {
      double farthest = 0;
      for (TokenId z = 0; z < size; ++z) farthest = std::max(farthest, mechanism.distance(w, z));
      if (!std::isfinite(farthest)) continue;
      promised = true;
      const double allowed = guarantee.epsilon * farthest + guarantee.additive;
      for (TokenId y = 0; y < size; ++y)
        if (mechanism.covers(y)) {
          EXPECT_LE(std::abs(std::log(mean[y] / mechanism.row(w)[y])), allowed * (1 + 1e-12) + 1e-12);
        }
    }
    EXPECT_EQ(promised, guarantee.scope != GuaranteeScope::group || law.parameters.empty())
        << "groups: nothing, unless there is only one";
  }
  EXPECT_EQ(enumerated, 12U);
}

TEST_F(NearestTest, OnlyWordsLeftSingleAreMappedAndToSingleWords) {
  MapTable table = {{"nyc", {embed::WordPath::subword, {"new_york_city", "new_york", "city"}}},
                    {"yorc", {embed::WordPath::corrected, {"york"}}},
                    {"soups", {embed::WordPath::folded, {"soup"}}}};
  const auto made = context(phrase_options(Segmentation::optimal), table_map(table));
  // "new yorc" is not a phrase: segmentation sees what is written.
  const Run run = try_run(made, "nyc new york soups new yorc").value();
  EXPECT_EQ(run.text, "City New York soup new York");
  EXPECT_EQ(run.counts.statistics.phrases, 1U);
  EXPECT_EQ(run.counts.privatized, 5U);
  EXPECT_EQ(run.counts.statistics.outside(), 3U);
}

TEST_F(NearestTest, KeptStopwordsAreThoseThatAreWritten) {
  PrivatizeOptions keep = options(1e6);
  keep.policy.stopwords = StopwordPolicy::keep;
  const auto made = context(keep, table_map({{"teh", {embed::WordPath::corrected, {"the"}}}}));
  const Run run = try_run(made, "the teh soup yours").value();
  EXPECT_EQ(run.counts.clear_stopwords, 2U) << "the, and yours, which the model lacks";
  EXPECT_EQ(run.counts.statistics.corrected, 1U);
  EXPECT_EQ(run.counts.privatized, 2U);
}

TEST_F(NearestTest, TheMapIsOpenedOnceAndOnlyIfNeeded) {
  std::atomic<int> opened = 0;
  const auto made = context(options(1e6), table_map(kTable, "map 1", "map 1", &opened));
  EXPECT_EQ(try_run(made, "the soup was 12 cold!").value().text.substr(0, 8), "The soup");
  EXPECT_EQ(opened, 0) << "a text without unknown words needs no map";
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { EXPECT_EQ(try_run(made, "waitress").value().text, "Waiter"); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(opened, 1);
}

TEST_F(NearestTest, AnotherMapThanThePinnedOneIsRefused) {
  const auto exchanged = context(options(), table_map(kTable, "map 1", "map 2"));
  EXPECT_TRUE(try_run(exchanged, "the soup"));
  for (int i = 0; i < 2; ++i)
    expect_error(try_run(exchanged, "the soooup"), Errc::bad_format, "oov", {"map 1", "map 2", "bottom"});
  const auto missing = context(
      options(), std::make_shared<const PinnedWordMap>("map 1", []() -> Result<PinnedWordMap::Opened> {
        return fail(Errc::not_found, "no such file");
      }));
  expect_error(try_run(missing, "soooup"), Errc::not_found, {"no such file"});
}

TEST_F(NearestTest, TheConfigurationNamesTheMapOnlyWhereItMatters) {
  const auto digest = [&](const PrivatizeOptions& with, const std::string& map) {
    return context(with, table_map(kTable, map, map))->configuration;
  };
  EXPECT_NE(digest(options(), "map 1"), digest(options(), "map 2"));
  PrivatizeOptions bottom = options();
  bottom.policy.oov = OovPolicy::bottom;
  EXPECT_EQ(digest(bottom, "map 1"), digest(bottom, "map 2"));
  EXPECT_NE(digest(bottom, "map 1"), digest(options(), "map 1"));
}

TEST_F(NearestTest, RememberedPlacesAreTheSame) {
  MapTable table = kTable;
  for (std::size_t size = 8; size < 40; ++size)  // some are too long to be remembered
    table[std::string(size, 'l')] = {embed::WordPath::folded, {size % 2 == 0 ? "soup" : "cold"}};
  const auto map = table_map(table);
  const OutsideWords words(*model_, map);
  RecentPlaces recent(words);
  for (int round = 0; round < 2; ++round) {
    for (const auto& [token, mapped] : table) {
      const OutsidePlace place = recent.find(token).value();
      EXPECT_EQ(place.word, words.find(token).value().word) << token;
      EXPECT_EQ(place.path, words.find(token).value().path) << token;
    }
    for (int i = 0; i < 40'000; ++i)
      ASSERT_EQ(recent.find(fmt::format("x{}", i)).value().path, embed::WordPath::none)
          << "tokens share entries";
  }
  EXPECT_EQ(recent.find(std::string(1000, 'z')).value().word, model_->bottom());
}

TEST_F(NearestTest, StatisticsCountByPathAndTheReceiptDoesNot) {
  const auto made = context(options(), table_map(kTable));
  const Run run = try_run(made, "the caf\u00e9 colld waitress waitress B2B").value();
  const Receipt receipt = made->receipt(run.counts);
  const auto statistics = nlohmann::json::parse(statistics_json(receipt))["privatized"];
  EXPECT_EQ(statistics["outside_vocabulary"], 5);
  EXPECT_EQ(statistics["paths"], (nlohmann::json{{"vocabulary", 1},
                                                 {"folded", 1},
                                                 {"corrected", 1},
                                                 {"subword", 2},
                                                 {"uniform", 1},
                                                 {"bottom", 0}}));
  // Another text of the same adjacency has the same receipt.
  const Run other = try_run(made, "the soup was cold soup the").value();
  EXPECT_EQ(to_json(receipt), to_json(made->receipt(other.counts)));
  const auto json = nlohmann::json::parse(to_json(receipt));
  EXPECT_EQ(json["policy"]["oov"], "nearest");
  EXPECT_EQ(json["word_map"]["digest"], "map 1");
  EXPECT_NE(json["leaks"].dump().find("hardly hidden"), std::string::npos);
  EXPECT_NE(std::string(json["guarantee"]["statement"]).find("mapped words"), std::string::npos);
}

}  // namespace
}  // namespace sotto

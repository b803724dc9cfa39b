// Receipts in sentences: those of real runs, and those that nobody should believe.
#include <functional>
#include <initializer_list>
#include <tuple>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sotto/receipt_description.hpp>

#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;
using Json = nlohmann::json;

class ReceiptDescriptions : public PipelineTest {
 protected:
  Json receipt(const PrivatizeOptions& with,
               const std::string& text = "the soup was cold\nI was bad\n") const {
    write("in.txt", text);
    FileOptions paths = files("in.txt", "out");
    paths.report = path("receipt.json");
    run(with, paths);
    return Json::parse(read("receipt.json"));
  }

  static std::string all_text(const ReceiptDescription& description) { return to_json(description); }
};

TEST_F(ReceiptDescriptions, ARunIsDescribed) {
  const auto description = describe_receipt(receipt(options(1)).dump()).value();
  EXPECT_EQ(description.title, "Privacy receipt: in.txt");
  EXPECT_TRUE(description.promises);
  EXPECT_NE(description.promise.find("exp(1 d)"), std::string::npos) << description.promise;
  ASSERT_EQ(description.examples.size(), 2U);
  EXPECT_NE(description.examples[0].find("at most 73.2% sure"), std::string::npos) << description.examples[0];
  EXPECT_NE(description.examples[1].find("4.6 on"), std::string::npos) << description.examples[1];  // ln 99
  EXPECT_FALSE(description.attacker);
  std::vector<std::string> titles;
  for (const DescribedSection& section : description.sections) titles.push_back(section.title);
  EXPECT_EQ(titles, (std::vector<std::string>{"What was done", "What is not hidden", "What was spent",
                                              "How it was checked"}));
  const std::string text = all_text(description);
  for (const char* const part :
       {"2 documents of in.txt", "7 words went through", "Per document: epsilon 4 at most", "proved on paper",
        "whitespace between tokens", "not signed"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

// A bound says what someone may conclude at most, not what they will.
TEST_F(ReceiptDescriptions, ExamplesAreWhatThePromiseAllows) {
  for (const auto& [epsilon, most] :
       {std::pair(1.0, "may afterwards be at most 73.2% sure, if"),
        std::pair(
            12.0,
            "may afterwards be practically certain at most (the promise allows more than 99.99%), if")}) {
    const auto description = describe_receipt(receipt(options(epsilon)).dump()).value();
    EXPECT_NE(description.examples[0].find(most), std::string::npos) << description.examples[0];
  }
}

// Nobody can run again under a key that was forgotten.
TEST_F(ReceiptDescriptions, OnlyAKeyThatLastsShowsWhetherATextChanged) {
  PrivatizeOptions with = options(1);
  const auto tells_changes = [&] {
    return receipt(with)["leaks"].dump().find("under one key") != std::string::npos;
  };
  EXPECT_TRUE(tells_changes());
  with.key_file.reset();
  EXPECT_FALSE(tells_changes());
  with.seed = 1;
  EXPECT_TRUE(tells_changes());
}

TEST_F(ReceiptDescriptions, WithoutAPromiseThereIsNoFigure) {
  PrivatizeOptions seeded = options(1);
  seeded.key_file.reset();
  seeded.seed = 1;
  const auto description = describe_receipt(receipt(seeded).dump()).value();
  EXPECT_FALSE(description.promises);
  EXPECT_EQ(description.promise.find("Nothing is promised"), 0U);
  EXPECT_TRUE(description.examples.empty());
  EXPECT_EQ(all_text(description).find("% sure"), std::string::npos);
}

TEST_F(ReceiptDescriptions, WhatPassedInClearIsSaid) {
  PrivatizeOptions paper = options(1);
  paper.policy = Policy::paper();
  const std::string text = all_text(describe_receipt(receipt(paper).dump()).value());
  EXPECT_NE(text.find("stopwords passed unchanged"), std::string::npos);
  EXPECT_NE(text.find("limited to: privatized words"), std::string::npos);
}

struct Forgery {
  const char* name;
  std::function<void(Json&)> forge;
  std::string part;
};

TEST_F(ReceiptDescriptions, WhatContradictsItselfIsRefused) {
  const Json sound = receipt(options(1));
  const Forgery forgeries[] = {
      {"seeded", [](Json& r) { r["seeded"] = true; }, "the noise was public"},
      {"none that holds", [](Json& r) { r["guarantee"]["kind"] = "none"; }, "kind 'none' that holds"},
      {"analytic that does not", [](Json& r) { r["guarantee"]["holds"] = false; }, "does not hold"},
      {"unknown kind", [](Json& r) { r["guarantee"]["kind"] = "blessed"; }, "'blessed'"},
      {"no certificate", [](Json& r) { r["guarantee"]["kind"] = "certified"; }, "certificate"},
      {"smaller epsilon", [](Json& r) { r["guarantee"]["epsilon_per_token"] = 0.01; }, "smaller epsilon"},
      {"smaller sum", [](Json& r) { r["guarantee"]["document"]["epsilon_sum_max"] = 1; },
       "less than the sum"},
      {"negative", [](Json& r) { r["guarantee"]["epsilon_per_token"] = -1; }, "not a number from 0"},
      {"negative count", [](Json& r) { r["counts"]["documents"] = -1; }, "'counts.documents' is not a count"},
      {"fraction", [](Json& r) { r["counts"]["documents"] = 1.5; }, "is not a count"},
      {"wrong type", [](Json& r) { r["mechanism"]["name"] = 7; }, "'mechanism.name' is not a text"},
      {"list", [](Json& r) { r["leaks"] = Json::array({1}); }, "'leaks' is not a list of texts"},
      {"missing", [](Json& r) { r.erase("counts"); }, "'counts.documents' is missing"},
      {"no promise", [](Json& r) { r["guarantee"] = "yes"; }, "'guarantee.holds' is missing"},
      {"later", [](Json& r) { r["versions"]["receipt"] = 99; }, "a receipt of version 99"},
      {"no version", [](Json& r) { r.erase("versions"); }, "not a receipt"},
      {"statistics",
       [](Json& r) {
         r["versions"] = {{"statistics", 1}};
       },
       "confidential statistics"},
  };
  EXPECT_TRUE(describe_receipt(sound.dump()));
  for (const Forgery& forgery : forgeries) {
    Json forged = sound;
    forgery.forge(forged);
    SCOPED_TRACE(forgery.name);
    expect_error(describe_receipt(forged.dump()), Errc::bad_format, {forgery.part});
  }
  const std::string whole = sound.dump(2);
  for (std::size_t size = 0; size < whole.size(); size += 97)
    expect_error(describe_receipt(whole.substr(0, size)), Errc::bad_format, {"not a receipt"});
  for (const char* const other : {"", "[]", "7", "null", "{}", "{\"a\": 1}", "soup", "\"sotto\""})
    expect_error(describe_receipt(other), Errc::bad_format, {"not a receipt"});
}

/// Changes single members of a sound receipt.
void expect_refused(const Json& sound,
                    std::initializer_list<std::tuple<const char*, Json, const char*>> changes) {
  EXPECT_TRUE(describe_receipt(sound.dump()));
  for (const auto& [member, value, part] : changes) {
    SCOPED_TRACE(member);
    Json forged = sound;
    ASSERT_TRUE(forged.contains(Json::json_pointer(member)));
    ASSERT_NE(forged[Json::json_pointer(member)], value);
    forged[Json::json_pointer(member)] = value;
    expect_error(describe_receipt(forged.dump()), Errc::bad_format, {part});
  }
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_F(ReceiptDescriptions, AChangedFigureContradictsTheOthers) {
  const Json sound = receipt(options(12), "the soup was 12 cold, 3\nI was bad\n");
  const std::string statement = sound["guarantee"]["statement"];
  expect_refused(sound,
                 {{"/mechanism/epsilon", 1, "another epsilon"},
                  {"/guarantee/epsilon_per_token", 13, "another epsilon"},
                  {"/guarantee/statement", replaced(statement, "exp(12 d)", "exp(2 d)"), "its statement"},
                  {"/guarantee/statement", replaced(statement, "exp(12 d)", "exp(12)"), "about a distance"},
                  {"/guarantee/statement", "Nothing leaks.", "no factor"},
                  {"/guarantee/document/epsilon_sum_max", 60, "not the sum"},
                  {"/guarantee/document/epsilon_sum_mean", 5, "do not add up"},
                  {"/guarantee/adjacency", Json::array({"kept numbers"}), "disagree about: kept numbers"},
                  {"/counts/privatized", 5, "do not add up"},
                  {"/counts/privatized", 9, "do not make up"},
                  {"/counts/documents", 1, "do not make up"},
                  {"/counts/largest_document", 8, "do not make up"},
                  {"/counts/tokens/word", 8, "words do not add up"},
                  {"/counts/tokens/number", 3, "numbers under the policy 'random'"},
                  {"/counts/randomized_numbers", 1, "numbers under the policy 'random'"},
                  {"/counts/passed_in_clear/stopwords", 1, "stopwords passed unchanged"},
                  {"/counts/passed_in_clear/out_of_vocabulary", 1, "does not keep them"},
                  {"/counts/passed_in_clear/punctuation", 0, "punctuation under the policy 'keep'"},
                  {"/counts/dropped", 1, "dropped tokens"},
                  {"/counts/documents", 1ULL << 60, "more than a run can count"},
                  {"/policy/numbers", "keep", "numbers under the policy 'keep'"},
                  {"/policy/numbers", "drop", "numbers under the policy 'drop'"},
                  {"/policy/punctuation", "drop", "punctuation under the policy 'drop'"},
                  {"/policy/stopwords", "keep", "disagree about: kept words"},
                  {"/policy/oov", "drop", "disagree about: places of dropped words"},
                  {"/policy/case", "keep", "disagree about: letter case"},
                  {"/policy/case", "upside-down", "not a policy of this kind"}});
}

TEST_F(ReceiptDescriptions, WithoutAPromiseCountsStillFollowThePolicy) {
  PrivatizeOptions seeded = options(1);
  seeded.key_file.reset();
  seeded.seed = 1;
  expect_refused(receipt(seeded, "the 12 soup\n"), {{"/policy/numbers", "keep", "numbers under the policy"},
                                                    {"/counts/tokens/word", 1, "do not add up"}});
}

TEST_F(ReceiptDescriptions, ABudgetBindsItsFigures) {
  PrivatizeOptions budgeted = options(0);
  budgeted.document_budget = DocumentBudget{BudgetStrategy::even, 8, {}};
  expect_refused(receipt(budgeted), {{"/budget/document_epsilon", 2, "more epsilon than its budget"},
                                     {"/budget/epsilon_per_token/largest", 1, "largest share"},
                                     {"/budget/epsilon_per_token/mean", 1, "not between"},
                                     {"/budget/epsilon_per_token/mean", 2.5, "do not add up"},
                                     {"/mechanism/epsilon", 1, "another epsilon"},
                                     {"/guarantee/document/epsilon_sum_mean", 6, "do not add up"}});
}

TEST_F(ReceiptDescriptions, HostileTextsAreVisibleAndShort) {
  Json hostile = receipt(options(1));
  const std::string evil = "\x1B[2J\u202E\nx";
  hostile["input"]["dataset"] = evil;
  hostile["mechanism"]["name"] = evil;
  hostile["model"]["name"] = std::string(100'000, 'm');
  hostile["leaks"] = Json::array();
  for (int i = 0; i < 100'000; ++i) hostile["leaks"].push_back(evil);
  const auto description = describe_receipt(hostile.dump()).value();
  const std::string text = all_text(description);
  EXPECT_LT(text.size(), 50'000U);
  EXPECT_NE(text.find("␛[2J<U+202E>␊x"), std::string::npos);
  EXPECT_EQ(text.find("\\u001b"), std::string::npos);
  EXPECT_NE(text.find("and 99900 more"), std::string::npos);
  EXPECT_NE(text.find("does not know"), std::string::npos);
}

}  // namespace
}  // namespace sotto

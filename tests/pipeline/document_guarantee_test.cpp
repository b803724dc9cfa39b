#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sotto/document_guarantee.hpp>

#include "support/pipeline_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

Guarantee analytic() {
  return {.kind = GuaranteeKind::analytic, .epsilon = 1, .rho = 0.125, .statement = "A sentence."};
}

Policy with(std::string_view part, std::string_view value) {
  Policy policy;
  EXPECT_TRUE(set_policy_part(policy, part, value));
  return policy;
}

bool has(const Guarantee& guarantee, SharedTrait trait) {
  return std::count(guarantee.adjacency.begin(), guarantee.adjacency.end(), trait) == 1;
}

TEST(DocumentGuaranteeTest, StrictTextsShareWhatTheOutputShows) {
  const Guarantee guarantee = guarantee_for_texts(analytic(), {});
  EXPECT_EQ(guarantee.scope, GuaranteeScope::all_inputs);
  EXPECT_EQ(join(guarantee.adjacency),
            "token classes, punctuation, whitespace and digit counts and separators of numbers");
}

TEST(DocumentGuaranteeTest, WhatThePolicyLetsThroughIsNamed) {
  const auto expect = [](std::string_view part, std::string_view value, SharedTrait trait,
                         GuaranteeScope scope) {
    for (const MechanismKind kind : {MechanismKind::word_by_word, MechanismKind::masked}) {
      const Guarantee guarantee =
          guarantee_for_texts(analytic(), {.kind = kind, .policy = with(part, value)});
      const bool words = scope == GuaranteeScope::privatized_words;
      if (kind == MechanismKind::masked && words) {
        EXPECT_EQ(guarantee.kind, GuaranteeKind::none) << part << " " << value;
        EXPECT_EQ(guarantee.rho, 0);
        continue;
      }
      EXPECT_EQ(guarantee.kind, GuaranteeKind::analytic);
      EXPECT_TRUE(has(guarantee, trait)) << part << " " << value;
      EXPECT_EQ(guarantee.scope, scope) << part << " " << value;
    }
  };
  expect("stopwords", "keep", SharedTrait::kept_words, GuaranteeScope::privatized_words);
  expect("oov", "keep", SharedTrait::kept_words, GuaranteeScope::privatized_words);
  expect("oov", "drop", SharedTrait::dropped_words, GuaranteeScope::privatized_words);
  expect("numbers", "keep", SharedTrait::kept_numbers, GuaranteeScope::all_inputs);
  expect("case", "keep", SharedTrait::letter_case, GuaranteeScope::all_inputs);
}

// What is promised for words outside the vocabulary depends on the unit and the scope, and is said.
TEST(DocumentGuaranteeTest, MappedWordsAreStated) {
  const auto statement = [](Guarantee token, std::string_view oov, MechanismKind kind) {
    return guarantee_for_texts(std::move(token), {.kind = kind, .policy = with("oov", oov)}).statement;
  };
  Guarantee metric = analytic(), group = analytic(), pure = analytic();
  metric.unit.metric = "a distance";
  group.scope = GuaranteeScope::group;
  const auto words = MechanismKind::word_by_word;
  EXPECT_NE(statement(metric, "nearest", words).find("about the mapped words"), std::string::npos);
  EXPECT_NE(statement(metric, "nearest", words).find("as far from a word as the word farthest from that"),
            std::string::npos);
  EXPECT_NE(statement(group, "nearest", words).find("nothing is promised between one of them and a word"),
            std::string::npos);
  EXPECT_NE(statement(pure, "nearest", words).find("as between two words"), std::string::npos);
  for (const Guarantee& token : {metric, group, pure}) {
    EXPECT_EQ(statement(token, "bottom", words), "A sentence.");
    EXPECT_EQ(statement(token, "nearest", MechanismKind::masked), "A sentence.");
  }
}

TEST(DocumentGuaranteeTest, ANarrowScopeIsNotWidened) {
  Guarantee group = analytic();
  group.scope = GuaranteeScope::group;
  const Guarantee kept = guarantee_for_texts(group, {.policy = Policy::paper()});
  EXPECT_EQ(kept.scope, GuaranteeScope::group);
  EXPECT_TRUE(has(kept, SharedTrait::kept_words));
  Guarantee none = analytic();
  none.kind = GuaranteeKind::none;
  EXPECT_EQ(guarantee_for_texts(none, {}).kind, GuaranteeKind::none);
}

TEST(DocumentGuaranteeTest, TextsWrittenAnewShareTheirLengthOnly) {
  const Guarantee guarantee = guarantee_for_texts(analytic(), {.kind = MechanismKind::generated});
  EXPECT_EQ(guarantee.adjacency, std::vector{SharedTrait::model_tokens});
}

TEST(DocumentGuaranteeTest, TokensOfSeveralWordsShareTheirSegmentation) {
  const Guarantee guarantee =
      guarantee_for_texts(analytic(), {.collocations = true, .shares_by_words = true});
  EXPECT_TRUE(has(guarantee, SharedTrait::segmentation));
  EXPECT_TRUE(has(guarantee, SharedTrait::word_count));
}

using PolicyGuaranteeTest = PipelineTest;

TEST_F(PolicyGuaranteeTest, ReceiptsAndLedgersReadIt) {
  PrivatizeOptions paper = options();
  paper.policy = Policy::paper();
  const auto receipt = nlohmann::json::parse(to_json(Privatizer::make(paper).value()->receipt()));
  EXPECT_EQ(receipt["guarantee"]["scope"], "privatized words");
  write("in.jsonl", R"({"who": "ann", "text": "the soup"})"
                    "\n");
  FileOptions over = files("in.jsonl", "out.jsonl");
  over.fields = {"text"};
  over.ledger = LedgerOptions{path("spent.ledger"), "who", 10};
  EXPECT_NE(run_error(paper, over).find("nothing for the words that the policy keeps or drops"),
            std::string::npos);
  EXPECT_FALSE(exists("spent.ledger"));
}

TEST_F(PolicyGuaranteeTest, ARecordCostsAllItsFields) {
  write("in.jsonl", R"({"a": "soup cold", "b": "the waiter was"})"
                    "\n"
                    R"({"a": "soup soup soup soup", "b": ""})"
                    "\n");
  FileOptions over = files("in.jsonl", "out.jsonl");
  over.fields = {"a", "b"};
  over.report = path("receipt.json");
  run(options(0.5), over);
  const auto guarantee = nlohmann::json::parse(read("receipt.json"))["guarantee"];
  EXPECT_EQ(guarantee["document"]["epsilon_sum_max"], 2.0);
  const double record = guarantee["record"]["epsilon_sum_max"];
  EXPECT_GE(record, 2.5);
  EXPECT_LT(record, 2.5 + 1e-9);
  over.fields = {"a"};
  run(options(0.5), over);
  EXPECT_FALSE(nlohmann::json::parse(read("receipt.json"))["guarantee"].contains("record"));
}

TEST_F(PolicyGuaranteeTest, ARecordsBudgetsAddUp) {
  write("in.jsonl", R"({"a": "soup cold", "b": "the waiter was"})"
                    "\n");
  PrivatizeOptions budgeted = options(0);
  budgeted.document_budget.emplace().epsilon = 6;
  FileOptions over = files("in.jsonl", "out.jsonl");
  over.fields = {"a", "b"};
  over.report = path("receipt.json");
  run(budgeted, over);
  const double record = nlohmann::json::parse(read("receipt.json"))["guarantee"]["record"]["epsilon_sum_max"];
  EXPECT_GE(record, 11.9);
  EXPECT_LE(record, 12.0 + 1e-9);
}

}  // namespace
}  // namespace sotto

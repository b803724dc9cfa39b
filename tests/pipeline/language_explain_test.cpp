// A word in its context, and the budget of texts, with the fake plugin of tests/support/fake_plugin.cpp.
#include <cmath>
#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

#include <sotto/budget_plan.hpp>
#include <sotto/explain.hpp>

#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using testing::expect_error;

// Must run before anything loads the plugin.
const int kPluginIsSet = ::setenv("SOTTO_PLUGINS", SOTTO_FAKE_PLUGIN, 1);

class LanguageExplain : public testing::PipelineTest {
 protected:
  LanguageExplain() {
    EXPECT_EQ(kPluginIsSet, 0);
    std::filesystem::create_directory(path("masked"));
    write("masked/config.json", R"({"model_type": "bert", "vocab_size": 22, "range": 10})");
    write("masked/vocab.txt",
          "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n.\n,\n!\n##a\n##b\n##c\n##d\n##x\nsoup\ncold\nwarm\nthe\nwas\n"
          "waiter\ni\ngood\nbad\n");
  }

  MechanismSpec masked(double epsilon, const std::string& name = "dp-mlm") const {
    return {.name = name, .epsilon = epsilon, .model = path("masked").string()};
  }
};

TEST_F(LanguageExplain, TheDistributionIsExactAndThatOfTheDraws) {
  ExplainOptions with;
  with.mechanism = masked(5);
  with.top = 100;
  const std::string text = "The soup, 12 was cold.";
  const Explanation e = explain(TextPlace{text, 2}, with).value();
  EXPECT_EQ(e.word, "soup");
  EXPECT_TRUE(e.in_vocabulary);
  EXPECT_EQ(e.draws, 0U);
  EXPECT_EQ(e.place->word, 2U);
  ASSERT_EQ(e.top.size(), 9U);
  double sum = 0;
  for (const Outcome& outcome : e.top) sum += outcome.probability;
  EXPECT_NEAR(sum, 1, 1e-9);
  // n = 4,000 draws of the second word through the pipeline, on a fixed seed; each of 9 frequencies within 6
  // standard errors (α below 1e-7).
  PrivatizeOptions options;
  options.mechanism = with.mechanism;
  options.policy.letter_case = CasePolicy::lower;
  options.seed = 1;
  const auto privatizer = Privatizer::make(options).value();
  constexpr int kDraws = 4000;
  std::vector<std::string> ids;
  for (int i = 0; i < kDraws; ++i) ids.push_back(std::to_string(i));
  std::vector<Document> documents;
  for (const std::string& id : ids) documents.push_back({{"set", id, ""}, text});
  std::vector<std::string> outputs(kDraws);
  Counts counts;
  ASSERT_TRUE(privatizer->privatize(documents, outputs, counts));
  std::map<std::string, double> frequency;
  for (const std::string& output : outputs) {
    const std::size_t begin = output.find(' ') + 1;
    frequency[output.substr(begin, output.find(',') - begin)] += 1.0 / kDraws;
  }
  for (const Outcome& outcome : e.top) {
    const double error = std::sqrt(outcome.probability * (1 - outcome.probability) / kDraws);
    EXPECT_NEAR(frequency[outcome.word], outcome.probability, 6 * error + 1e-9) << outcome.word;
  }
}

TEST_F(LanguageExplain, PlacesThatDoNotExistAreNamed) {
  ExplainOptions with;
  with.mechanism = masked(5);
  expect_error(explain(TextPlace{"the soup", 3}, with), Errc::invalid_argument, "word", {"'3'", "1 to 2"});
  expect_error(explain(TextPlace{"the soup", 0}, with), Errc::invalid_argument, "word", {"'0'"});
  expect_error(explain(TextPlace{"12, 13!", 1}, with), Errc::invalid_argument, "text", {"no word"});
  with.mechanism.name = "dp-prompt";
  expect_error(explain(TextPlace{"the soup", 1}, with), Errc::invalid_argument, "mechanism",
               {"no word has a place"});
  with.mechanism = {
      .name = "diffractor-geometric", .epsilon = 1, .model = path("lists.safetensors").string()};
  EXPECT_EQ(to_json(explain(TextPlace{"12 Soup!", 1}, with).value()), to_json(explain("Soup", with).value()));
}

TEST_F(LanguageExplain, BudgetsOfLanguageMechanisms) {
  BudgetPlanOptions with;
  with.mechanism = masked(10);
  with.shape = {40, 40};
  const BudgetPlan plan = plan_budget(with).value();
  EXPECT_EQ(plan.loss.draws, 40U);
  EXPECT_TRUE(plan.loss.unit.is_pure());
  EXPECT_NEAR(plan.loss.epsilon, 400, 1e-9);
  ASSERT_TRUE(plan.epsilon_at_delta);
  EXPECT_EQ(plan.quoted().epsilon, std::min(plan.loss.epsilon, *plan.epsilon_at_delta));
  EXPECT_EQ(plan.quoted().delta, plan.quoted().epsilon == plan.loss.epsilon ? 0 : with.delta);

  BudgetPlanOptions plus = with;
  plus.mechanism = masked(10, "dp-mlm-plus");
  plus.mechanism.parameters = {{"addition", "0.1"}, {"deletion", "0.3"}};
  const BudgetPlan at_most = plan_budget(plus).value();
  EXPECT_EQ(at_most.loss.draws, 80U);
  EXPECT_NEAR(at_most.mean_draws, 0.8 * 40, 1e-9);
  EXPECT_NEAR(at_most.loss.epsilon, 800, 1e-9);
  plus.mechanism.parameters["addition"] = "0";
  EXPECT_EQ(plan_budget(plus).value().loss.draws, 40U);
}

TEST_F(LanguageExplain, TheSmallerFigureIsQuoted) {
  BudgetPlanOptions with;
  with.mechanism = masked(0.01);
  for (const std::uint64_t tokens : {1, 10, 1000, 100'000}) {
    with.shape = {tokens, tokens};
    const BudgetPlan plan = plan_budget(with).value();
    const QuotedLoss quoted = plan.quoted();
    EXPECT_EQ(quoted.epsilon, std::min(plan.loss.epsilon, *plan.epsilon_at_delta)) << tokens;
    EXPECT_EQ(quoted.delta > 0, *plan.epsilon_at_delta < plan.loss.epsilon) << tokens;
  }
}

TEST_F(LanguageExplain, BudgetsThatMakeNoSenseAreRefused) {
  BudgetPlanOptions with;
  with.mechanism = masked(10);
  with.shape = {4, 4};
  with.strategy = BudgetStrategy::even;
  expect_error(plan_budget(with), Errc::invalid_argument, "budget", {"for each draw"});
  with.strategy = BudgetStrategy::token;
  with.shape.words = 5;
  expect_error(plan_budget(with), Errc::invalid_argument, "words", {"single words"});
  with.shape.words = 4;
  with.mechanism.epsilon = -1;
  expect_error(plan_budget(with), Errc::invalid_argument, "epsilon", {"-1"});
}

}  // namespace
}  // namespace sotto

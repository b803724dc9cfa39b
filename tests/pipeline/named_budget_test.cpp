// Budgets by name, applied directly and through options as JSON.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sotto/options_json.hpp>
#include <sotto/privatize_options.hpp>

#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

struct Meaning {
  const char* name;
  BudgetStrategy strategy;
  Segmentation collocations;
  StopwordPolicy stopwords;
};

// Under the policy strict, which privatizes stopwords.
const std::vector<Meaning> kMeanings = {
    {"even", BudgetStrategy::even, Segmentation::none, StopwordPolicy::privatize},
    {"words", BudgetStrategy::words, Segmentation::none, StopwordPolicy::privatize},
    {"positions", BudgetStrategy::positions, Segmentation::none, StopwordPolicy::privatize},
    {"S1", BudgetStrategy::even, Segmentation::none, StopwordPolicy::keep},
    {"S2", BudgetStrategy::words, Segmentation::gst, StopwordPolicy::privatize},
    {"S3", BudgetStrategy::even, Segmentation::gst, StopwordPolicy::privatize},
    {"S4", BudgetStrategy::even, Segmentation::mst, StopwordPolicy::privatize}};

void expect_meaning(const PrivatizeOptions& options, const Meaning& meaning) {
  ASSERT_TRUE(options.document_budget) << meaning.name;
  EXPECT_EQ(options.document_budget->strategy, meaning.strategy) << meaning.name;
  EXPECT_EQ(options.document_budget->epsilon, 7) << meaning.name;
  EXPECT_TRUE(options.document_budget->profile.empty()) << meaning.name;
  EXPECT_EQ(options.collocations, meaning.collocations) << meaning.name;
  EXPECT_EQ(options.policy.stopwords, meaning.stopwords) << meaning.name;
  EXPECT_EQ(options.mechanism.epsilon, 0) << meaning.name;
}

TEST(NamedBudgets, SetWhatTheNameDetermines) {
  for (const Meaning& meaning : kMeanings) {
    PrivatizeOptions options;
    ASSERT_TRUE(apply_named_budget(meaning.name, 7, options));
    expect_meaning(options, meaning);
  }
}

TEST(NamedBudgets, LeaveTheRestAlone) {
  PrivatizeOptions options;
  options.mechanism.epsilon = 3;
  options.collocations = Segmentation::optimal;
  options.policy.stopwords = StopwordPolicy::keep;
  ASSERT_TRUE(apply_named_budget("token", 0, options));
  EXPECT_FALSE(options.document_budget);
  ASSERT_TRUE(apply_named_budget("even", 7, options));
  EXPECT_EQ(options.mechanism.epsilon, 3);
  EXPECT_EQ(options.collocations, Segmentation::optimal);
  EXPECT_EQ(options.policy.stopwords, StopwordPolicy::keep);
  ASSERT_TRUE(apply_named_budget("S3", 7, options));
  EXPECT_EQ(options.collocations, Segmentation::gst);
  EXPECT_EQ(options.policy.stopwords, StopwordPolicy::privatize);
}

TEST(NamedBudgets, MeanTheSameInJson) {
  for (const Meaning& meaning : kMeanings) {
    const auto options = privatize_options_from_json(
        fmt::format(R"({{"budget": "{}", "document_epsilon": 7}})", meaning.name));
    ASSERT_TRUE(options) << options.error().message;
    expect_meaning(*options, meaning);
  }
  expect_meaning(privatize_options_from_json(R"({"document_epsilon": 7})").value(), kMeanings.front());
  const auto overridden = privatize_options_from_json(
      R"({"budget": "S3", "document_epsilon": 7, "collocations": "none", "stopwords": "keep"})");
  ASSERT_TRUE(overridden) << overridden.error().message;
  EXPECT_EQ(overridden->collocations, Segmentation::none);
  EXPECT_EQ(overridden->policy.stopwords, StopwordPolicy::keep);
}

TEST(NamedBudgets, NeedTheEpsilonThatTheyShare) {
  PrivatizeOptions options;
  expect_error(apply_named_budget("S9", 7, options), Errc::invalid_argument, "budget", {"'S9'", "S4"});
  expect_error(apply_named_budget("token", 7, options), Errc::invalid_argument, "budget",
               {"'token' is for epsilon", "S1 to S4"});
  expect_error(apply_named_budget("S3", 0, options), Errc::invalid_argument, "budget",
               {"'S3' needs document_epsilon"});
  EXPECT_FALSE(options.document_budget);
  EXPECT_EQ(options.collocations, Segmentation::none) << "a failure changes nothing";
  expect_error(privatize_options_from_json(R"({"budget": "S3", "epsilon": 1})"), Errc::invalid_argument,
               "budget", {"'S3' needs document_epsilon"});
  expect_error(privatize_options_from_json(R"({"budget": "token", "document_epsilon": 7})"),
               Errc::invalid_argument, "budget", {"'token' is for epsilon"});
}

}  // namespace
}  // namespace sotto

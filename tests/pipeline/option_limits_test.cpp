// What the command line would not let through is refused by the library as well.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <sotto/budget_plan.hpp>
#include <sotto/explain.hpp>
#include <sotto/text_values.hpp>

#include "base/parallel.hpp"
#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

using OptionLimits = PipelineTest;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST_F(OptionLimits, SizeOfADocument) {
  for (const std::uint64_t bytes : {std::uint64_t{0}, kLargestMaxDocumentBytes + 1, ~std::uint64_t{0}}) {
    PrivatizeOptions with = options();
    with.max_document_bytes = bytes;
    expect_error(Privatizer::make(with), Errc::invalid_argument, "max_document_bytes",
                 {"from 1 to 2147483648"});
  }
}

TEST_F(OptionLimits, Epsilon) {
  for (const double epsilon : {0.0, -1.0, 1e308, kInfinite, std::nan("")})
    expect_error(Privatizer::make(options(epsilon)), Errc::invalid_argument, "epsilon", {"1e-9 to 1e6"});
}

TEST_F(OptionLimits, NumberOfFields) {
  write("in.jsonl", "{\"a\": \"the soup\"}\n");
  FileOptions with = files("in.jsonl", "out");
  for (int i = 0; i < 1'000'000; ++i) with.fields.push_back(std::to_string(i));
  expect_error(privatize_files(options(), with), Errc::invalid_argument, "field", {"1000000 fields"});
}

TEST_F(OptionLimits, WaitingForALedger) {
  write("in.jsonl", "{\"a\": \"the soup\", \"who\": \"x\"}\n");
  FileOptions with = files("in.jsonl", "out");
  with.fields = {"a"};
  for (const double seconds : {-1.0, 1e308, std::nan("")}) {
    with.ledger =
        LedgerOptions{.file = path("ledger"), .subject_field = "who", .limit = 9, .wait_seconds = seconds};
    expect_error(privatize_files(options(), with), Errc::invalid_argument, "wait_seconds",
                 {"from 0 to 86400"});
  }
}

TEST_F(OptionLimits, Explanations) {
  ExplainOptions with{.mechanism = options().mechanism};
  with.draws = std::uint64_t{1} << 53;
  expect_error(explain("soup", with), Errc::invalid_argument, "draws", {"from 1 to 1000000000"});
  with.draws = 0;
  expect_error(explain("soup", with), Errc::invalid_argument, "draws", {"from 1 to 1000000000"});
  with.draws = 1;
  with.top = ~std::size_t{0};
  expect_error(explain("soup", with), Errc::invalid_argument, "top", {"from 1 to 1000000"});
}

TEST_F(OptionLimits, PlansOfBudgets) {
  BudgetPlanOptions plan;
  plan.mechanism = options().mechanism;
  plan.shape = {5, 5};
  EXPECT_TRUE(plan_budget(plan));
  plan.shape = {std::uint64_t{1} << 53, std::uint64_t{1} << 53};
  expect_error(plan_budget(plan), Errc::invalid_argument, "tokens", {"from 1 to 10000000"});
  plan.shape = {0, 0};
  expect_error(plan_budget(plan), Errc::invalid_argument, "tokens", {"from 1 to 10000000"});
  plan.shape = {5, 4};
  expect_error(plan_budget(plan), Errc::invalid_argument, "words", {"from 5 to 100000000"});
  plan.shape = {5, 5};
  plan.strategy = BudgetStrategy::positions;
  for (const double weight : {0.0, -1.0, 1e7, kInfinite, std::nan("")}) {
    plan.profile = {1, weight};
    expect_error(plan_budget(plan), Errc::invalid_argument, "profile", {"1e-06 to 1e+06"});
  }
}

TEST_F(OptionLimits, Threads) {
  EXPECT_EQ(base::thread_count(4'000'000'000), kMostThreads);
  EXPECT_EQ(base::thread_count(kMostThreads), kMostThreads);
  write("in.txt", "the soup was cold\n");
  FileOptions with = files("in.txt", "out");
  with.threads = 4'000'000'000;
  EXPECT_TRUE(privatize_files(options(), with));
}

}  // namespace
}  // namespace sotto

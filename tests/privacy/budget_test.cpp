#include <gtest/gtest.h>

#include <sotto/budget.hpp>
#include <sotto/composition.hpp>

#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using sotto::testing::expect_error;

double composed(const std::vector<double>& shares) {
  Composition composition;
  Guarantee guarantee;
  guarantee.kind = GuaranteeKind::analytic;
  for (const double share : shares) {
    guarantee.epsilon = share;
    EXPECT_TRUE(composition.add(guarantee, 1));
  }
  return composition.losses().front().epsilon;
}

// The example of figure 1: six words, four collocations, a document budget of 10.
TEST(Budget, SharesOfTheFourPublishedStrategies) {
  const DocumentShape words{6, 6};
  const DocumentShape collocations{4, 6};
  const auto first = [](std::string_view name, const DocumentShape& shape) {
    return share_budget(*parse_budget_strategy(name), 10, shape)->front();
  };
  EXPECT_NEAR(first("S1", words), 10.0 / 6, 1e-12);
  EXPECT_NEAR(first("S2", collocations), 10.0 / 6, 1e-12);
  EXPECT_NEAR(first("S3", collocations), 2.5, 1e-12);
  EXPECT_NEAR(first("S4", collocations), 2.5, 1e-12);
  EXPECT_EQ(first("token", collocations), 10);
}

TEST(Budget, SharesNeverAddUpToMoreThanTheDocumentHas) {
  for (const double epsilon : {1e-3, 0.1, 1.0, 7.0, 1000.0}) {
    for (const std::uint64_t tokens : {1, 2, 3, 7, 10, 49, 1000, 100'003}) {
      for (const BudgetStrategy strategy : {BudgetStrategy::even, BudgetStrategy::positions}) {
        const PositionProfile profile =
            strategy == BudgetStrategy::positions ? PositionProfile{3, 1, 0.7} : PositionProfile{};
        const auto shares = share_budget(strategy, epsilon, {tokens, tokens}, profile);
        ASSERT_TRUE(shares);
        ASSERT_EQ(shares->size(), tokens);
        const double sum = composed(*shares);
        EXPECT_LE(sum, epsilon) << tokens;
        EXPECT_GE(sum, epsilon * (1 - 1e-9)) << tokens;
      }
    }
  }
}

TEST(Budget, PositionsFollowTheProfile) {
  const auto shares = share_budget(BudgetStrategy::positions, 8, {4, 4}, {3, 1});
  ASSERT_TRUE(shares);
  EXPECT_NEAR((*shares)[0], 3, 1e-12);
  EXPECT_NEAR((*shares)[1], 3, 1e-12);
  EXPECT_NEAR((*shares)[2], 1, 1e-12);
  EXPECT_NEAR((*shares)[3], 1, 1e-12);
}

// An ε that depends on the word reveals something about it: two words a distance apart whose ε differ have a
// loss far above either (14.8 for 1 and 10).
TEST(Budget, StrategiesThatReadTheWordsAreRefusedWithTheReason) {
  for (const char* name : {"information", "part-of-speech", "rarity"})
    expect_error(parse_budget_strategy(name), Errc::invalid_argument, "budget",
                 {name, "private words", "positions"});
}

TEST(Budget, BadRequestsAreNamed) {
  expect_error(parse_budget_strategy("S5"), Errc::invalid_argument, "budget", {"S5", "token", "S4"});
  expect_error(parse_position_profile("1,,2"), Errc::invalid_argument, "profile", {});
  expect_error(parse_position_profile("1,-2"), Errc::invalid_argument, "profile", {"-2"});
  expect_error(share_budget(BudgetStrategy::even, 0, {1, 1}), Errc::invalid_argument, "epsilon", {});
  expect_error(share_budget(BudgetStrategy::words, 1, {3, 2}), Errc::invalid_argument, {"3", "2"});
  expect_error(share_budget(BudgetStrategy::positions, 1, {3, 3}), Errc::invalid_argument, "profile", {});
  expect_error(share_budget(BudgetStrategy::even, 1, {3, 3}, {1}), Errc::invalid_argument, "profile", {});
  EXPECT_TRUE(share_budget(BudgetStrategy::even, 1, {0, 0})->empty());
}

}  // namespace
}  // namespace sotto

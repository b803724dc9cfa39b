// Plans for mechanisms named and mechanisms open.
#include <gtest/gtest.h>

#include <sotto/budget_plan.hpp>

#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class BudgetPlans : public PipelineTest {
 protected:
  BudgetPlanOptions planned(BudgetStrategy strategy, double epsilon) const {
    BudgetPlanOptions with;
    with.mechanism = {.name = "diffractor-tem",
                      .epsilon = epsilon,
                      .parameters = {{"gamma", "3"}},
                      .model = path("lists.safetensors").string()};
    with.strategy = strategy;
    with.shape = {5, 7};
    if (strategy == BudgetStrategy::positions) with.profile = {3, 1};
    return with;
  }
};

TEST_F(BudgetPlans, AnOpenMechanismGivesTheSamePlan) {
  const OpenMechanism open = open_mechanism(planned(BudgetStrategy::token, 2).mechanism).value();
  for (const BudgetStrategy strategy :
       {BudgetStrategy::token, BudgetStrategy::even, BudgetStrategy::words, BudgetStrategy::positions})
    for (const double epsilon : {2.0, 10.0}) {  // that of the open mechanism, and another one
      const BudgetPlanOptions by_name = planned(strategy, epsilon);
      const auto expected = plan_budget(by_name);
      ASSERT_TRUE(expected) << expected.error().message;
      EXPECT_GT(expected->loss.epsilon, 0) << to_string(strategy);
      BudgetPlanOptions with = by_name;
      with.mechanism = {.name = "absent", .epsilon = epsilon, .model = "absent"};
      EXPECT_EQ(to_json(plan_budget(open, with).value()), to_json(*expected)) << to_string(strategy);
    }
}

TEST_F(BudgetPlans, ErrorsAreThoseOfTheMechanismByName) {
  const OpenMechanism open = open_mechanism(planned(BudgetStrategy::token, 2).mechanism).value();
  const BudgetPlanOptions negative = planned(BudgetStrategy::even, -1);
  expect_error(plan_budget(negative), Errc::invalid_argument, {"-1"});
  EXPECT_EQ(plan_budget(open, negative).error().message, plan_budget(negative).error().message);
  BudgetPlanOptions unknown = planned(BudgetStrategy::even, 2);
  unknown.mechanism.name = "dp-mlm";
  unknown.mechanism.parameters = {};
  expect_error(plan_budget(unknown), Errc::invalid_argument, "budget", {"for each draw"});
  unknown.mechanism.name = "absent";
  expect_error(plan_budget(unknown), Errc::invalid_argument, "mechanism", {"absent"});
}

}  // namespace
}  // namespace sotto

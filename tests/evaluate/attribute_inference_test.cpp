#include "evaluate/attribute_inference.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "evaluate/toy_task.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

RunOptions toy_options() {
  RunOptions options;
  options.parameters = toy_parameters();
  options.runs = 2;
  return options;
}

double accuracy(const RepeatedScores& scores) {
  return scores.spread.at("accuracy").mean;
}

TEST(AttributeInference, FindsWhatIsLeftInTheText) {
  const TaskData original = marked_task({"alpha", "beta"});
  const AttributeInference result = infer_attribute(original, original, toy_options()).value();
  EXPECT_GE(accuracy(result.unprotected), 0.95);
  EXPECT_GE(accuracy(result.static_attacker), 0.95);
  EXPECT_GE(accuracy(result.adaptive_attacker), 0.95);
  EXPECT_EQ(result.unprotected.runs.size(), 2U);
}

// The telltale word is always replaced by the same other word: only an attacker trained on privatized text
// sees through it.
TEST(AttributeInference, AConsistentReplacementFoolsOnlyTheStaticAttacker) {
  const TaskData original = marked_task({"alpha", "beta"});
  const TaskData privatized = marked_task({"gamma", "delta"});
  const AttributeInference result = infer_attribute(original, privatized, toy_options()).value();
  EXPECT_GE(accuracy(result.unprotected), 0.95);
  EXPECT_LE(accuracy(result.static_attacker), 0.7);
  EXPECT_GE(accuracy(result.adaptive_attacker), 0.95);
}

// The telltale word is gone. Labels are uniform and independent of what is left, so each of the 2 · 2 runs is
// right with probability ½ on each of n = 2,000 texts; by Hoeffding's inequality all stay within the bound
// with probability 1 − α, α = 1e-6.
TEST(AttributeInference, DoesNotFindWhatIsNotThere) {
  constexpr double kN = 2000;
  constexpr double kAlpha = 1e-6;
  const double bound = std::sqrt(std::log(2 * 4 / kAlpha) / (2 * kN));
  const TaskData original = marked_task({"alpha", "beta"}, static_cast<std::size_t>(kN));
  const TaskData privatized = marked_task({"same", "same"}, static_cast<std::size_t>(kN));
  const AttributeInference result = infer_attribute(original, privatized, toy_options()).value();
  for (const RepeatedScores* scores : {&result.static_attacker, &result.adaptive_attacker})
    for (const Scores& run : scores->runs) EXPECT_NEAR(run.at("accuracy"), 0.5, bound);
}

TEST(AttributeInference, MajorityIsThatOfTheTrainingPart) {
  TaskData data = marked_task({"alpha", "beta"}, 10);
  for (std::size_t i = 0; i < data.train.size(); ++i) data.train[i].label = i % 3 == 0 ? 0 : 1;
  for (std::size_t i = 0; i < data.test.size(); ++i) data.test[i].label = i < 7 ? 0 : 1;
  const AttributeInference result = infer_attribute(data, data, toy_options()).value();
  EXPECT_DOUBLE_EQ(result.majority.at("accuracy"), 0.3);
}

TEST(AttributeInference, RefusesWhatIsNotTheSameTexts) {
  const TaskData original = marked_task({"alpha", "beta"}, 20);
  TaskData shorter = original;
  shorter.test.pop_back();
  expect_error(infer_attribute(original, shorter, toy_options()), Errc::invalid_argument,
               {"test", "20 original", "19 privatized"});
  TaskData shifted = original;
  shifted.train[4].label = 1 - shifted.train[4].label;
  expect_error(infer_attribute(original, shifted, toy_options()), Errc::invalid_argument,
               {"training text 5", "same order"});
  TaskData renamed = original;
  renamed.task.class_names[0] = "other";
  expect_error(infer_attribute(original, renamed, toy_options()), Errc::invalid_argument, {"classes"});
  TaskData values = original;
  values.task.kind = TaskKind::regression;
  expect_error(infer_attribute(values, values, toy_options()), Errc::invalid_argument, {"classes"});
}

TEST(AttributeInference, ReportsProgressOfBothTrainings) {
  const TaskData data = marked_task({"alpha", "beta"}, 20);
  RunOptions options = toy_options();
  std::uint64_t last = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 4000U);
    EXPECT_GE(done, last);
    last = done;
    return true;
  };
  ASSERT_TRUE(infer_attribute(data, data, options).has_value());
  EXPECT_EQ(last, 4000U);
}

}  // namespace
}  // namespace sotto

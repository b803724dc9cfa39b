#include "evaluate/metrics/scores.hpp"

#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/reference.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::evaluate;
using testing::expect_error;
using testing::reference;

TEST(Scores, ClassesByHand) {
  const std::array<ClassIndex, 6> truth = {0, 0, 0, 1, 1, 2};
  const std::array<ClassIndex, 6> predicted = {0, 0, 1, 1, 2, 0};
  const ClassificationScores scores = score_classes(truth, predicted, 4).value();
  EXPECT_DOUBLE_EQ(scores.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(scores.micro_f1, 0.5);
  EXPECT_DOUBLE_EQ(scores.classes[0].precision, 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.classes[0].f1, 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.classes[1].f1, 0.5);
  EXPECT_DOUBLE_EQ(scores.classes[2].f1, 0);
  // The fourth class does not occur and does not count.
  EXPECT_DOUBLE_EQ(scores.macro_f1, (2.0 / 3 + 0.5) / 3);
}

TEST(Scores, MajorityIsThatOfTheTrainingPart) {
  const std::array<ClassIndex, 5> train = {1, 1, 0, 2, 1};
  const std::array<ClassIndex, 4> test = {0, 0, 0, 1};
  EXPECT_EQ(majority_class(train), 1U);
  EXPECT_DOUBLE_EQ(score_majority(train, test, 3)->accuracy, 0.25);
  EXPECT_DOUBLE_EQ(score_majority(train, test, 3)->macro_f1, 0.2);
}

TEST(Scores, RefusesWhatCannotBeScored) {
  const std::array<ClassIndex, 2> two = {0, 1};
  const std::array<ClassIndex, 1> one = {0};
  expect_error(score_classes(two, one, 2), Errc::invalid_argument, {"2 labels", "1 predictions"});
  expect_error(score_classes(two, two, 1), Errc::invalid_argument, {"class 1", "place 2", "1 classes"});
  expect_error(score_majority({}, one, 1), Errc::invalid_argument, {"majority"});
  const std::array single = {1.0};
  expect_error(score_values(single, single), Errc::invalid_argument, {"at least 2"});
  const std::array<double, 2> odd = {1.0, NAN};
  expect_error(score_values(odd, odd), Errc::invalid_argument, {"place 2"});
  expect_error(relative_gain(1, 0, 1, 1), Errc::invalid_argument, {"above 0"});
}

TEST(Scores, TiesShareTheirMeanRank) {
  const std::array values = {3.0, 1.0, 3.0, 2.0, 3.0};
  EXPECT_THAT(mean_ranks(values), ::testing::ElementsAre(4, 1, 4, 2, 4));
}

TEST(Scores, AConstantPredictionHasNoCorrelation) {
  const std::array truth = {1.0, 2.0, 4.0};
  const std::array constant = {0.1, 0.1, 0.1};
  EXPECT_EQ(score_values(truth, constant)->mean, 0);
}

TEST(Scores, ClassesEqualScikitLearn) {
  for (const auto& example : reference()["classification"]) {
    const auto truth = example["truth"].get<std::vector<ClassIndex>>();
    const auto predicted = example["predicted"].get<std::vector<ClassIndex>>();
    const ClassificationScores scores = score_classes(truth, predicted, example["classes"]).value();
    EXPECT_NEAR(scores.accuracy, example["accuracy"].get<double>(), 1e-12);
    EXPECT_NEAR(scores.micro_f1, example["micro_f1"].get<double>(), 1e-12);
    EXPECT_NEAR(scores.macro_f1, example["macro_f1"].get<double>(), 1e-12);
    for (std::size_t c = 0; c < scores.classes.size(); ++c)
      EXPECT_NEAR(scores.classes[c].f1, example["f1"][c].get<double>(), 1e-12);
  }
}

TEST(Scores, CorrelationsEqualScipy) {
  for (const auto& example : reference()["correlation"]) {
    const auto truth = example["truth"].get<std::vector<double>>();
    const auto predicted = example["predicted"].get<std::vector<double>>();
    const CorrelationScores scores = score_values(truth, predicted).value();
    EXPECT_NEAR(scores.pearson, example["pearson"].get<double>(), 1e-12);
    EXPECT_NEAR(scores.spearman, example["spearman"].get<double>(), 1e-12);
    EXPECT_NEAR(scores.mean, (scores.pearson + scores.spearman) / 2, 1e-15);
    EXPECT_EQ(mean_ranks(predicted), example["ranks"].get<std::vector<double>>());
  }
}

}  // namespace
}  // namespace sotto

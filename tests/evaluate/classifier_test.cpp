#include "evaluate/classifiers/classifier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/classifiers/repeated_runs.hpp"
#include "evaluate/toy_task.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::evaluate;
using namespace sotto::testing;

std::vector<Prediction> learn_and_predict(const TaskData& data, std::uint64_t seed) {
  const auto classifier = make_classifier("fasttext", toy_parameters()).value();
  const auto fitted = classifier->fit(data.task, data.train, {}, seed, {});
  EXPECT_TRUE(fitted.has_value()) << (fitted ? "" : fitted.error().message);
  return classifier->predict(data.test).value();
}

TEST(FasttextClassifier, LearnsAMarkedTask) {
  const TaskData data = marked_task({"alpha", "beta", "gamma"});
  const Scores scores = score_predictions(data.task, data.test, learn_and_predict(data, 1)).value();
  EXPECT_GE(scores.at("accuracy"), 0.95);
  EXPECT_GE(scores.at("macro_f1"), 0.95);
}

TEST(FasttextClassifier, TheSameSeedGivesTheSameModel) {
  const TaskData data = marked_task({"alpha", "beta"});
  const auto probabilities = [&](std::uint64_t seed) {
    std::vector<double> values;
    for (const Prediction& prediction : learn_and_predict(data, seed)) values.push_back(prediction.value);
    return values;
  };
  EXPECT_EQ(probabilities(1), probabilities(1));
  EXPECT_NE(probabilities(1), probabilities(2));
}

// The library reads texts in file order; sorted by class, they would teach it the last one.
TEST(FasttextClassifier, TheOrderOfTheTextsDoesNotMatter) {
  TaskData data = marked_task({"alpha", "beta", "gamma"});
  data.train = marked_texts(3000, {"alpha", "beta", "gamma"}, 1);
  std::stable_sort(data.train.begin(), data.train.end(),
                   [](const LabelledText& a, const LabelledText& b) { return a.label < b.label; });
  const auto classifier =
      make_classifier("fasttext", {{"dimension", "10"}, {"buckets", "1000"}, {"epochs", "3"}}).value();
  ASSERT_TRUE(classifier->fit(data.task, data.train, {}, 1, {}).has_value());
  const auto predictions = classifier->predict(data.test).value();
  EXPECT_GE(score_predictions(data.task, data.test, predictions)->at("accuracy"), 0.9);
}

TEST(FasttextClassifier, LabelsInATextAreText) {
  TaskData data = marked_task({"alpha", "beta"});
  for (LabelledText& text : data.train) text.text += " label:0 __label__0 </s> \x01 label:1";
  for (LabelledText& text : data.test) text.text += " label:0 label:9 </s>";
  const Scores scores = score_predictions(data.task, data.test, learn_and_predict(data, 1)).value();
  EXPECT_GE(scores.at("accuracy"), 0.95);
}

TEST(FasttextClassifier, EmptyTextsHaveAPrediction) {
  TaskData data = marked_task({"alpha", "beta"});
  data.train[0].text.clear();
  data.test = {LabelledText{}, LabelledText{"unknown", "", 0, 0}};
  const std::vector<Prediction> predictions = learn_and_predict(data, 1);
  ASSERT_EQ(predictions.size(), 2U);
  for (const Prediction& prediction : predictions) EXPECT_LT(prediction.label, 2U);
}

// Whether the second text repeats the word of the first: neither text alone tells.
TEST(FasttextClassifier, LearnsPairs) {
  TaskData data;
  data.task = {TaskKind::classification, {"different", "same"}, true};
  std::mt19937 generator(4);
  const auto make = [&](std::size_t count) {
    std::vector<LabelledText> texts;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t a = generator() % 10;
      const bool same = generator() % 2 == 0;
      const std::size_t b = same ? a : (a + 1 + generator() % 9) % 10;
      texts.push_back({fmt::format("word{}", static_cast<char>('a' + a)),
                       fmt::format("word{}", static_cast<char>('a' + b)), same ? 1U : 0U, 0});
    }
    return texts;
  };
  data.train = make(600);
  data.test = make(300);
  EXPECT_GE(score_predictions(data.task, data.test, learn_and_predict(data, 1))->at("accuracy"), 0.95);
}

TEST(FasttextClassifier, RefusesRegression) {
  Task task;
  task.kind = TaskKind::regression;
  const auto classifier = make_classifier("fasttext", {}).value();
  const std::vector<LabelledText> texts = {{"a", "b", 0, 2.5}};
  expect_error(classifier->fit(task, texts, {}, 1, {}), Errc::invalid_argument, {"fasttext", "regression"});
  expect_error(classifier->predict(texts), Errc::invalid_argument, {"nothing has been learnt"});
}

TEST(FasttextClassifier, CanBeStopped) {
  const TaskData data = marked_task({"alpha", "beta"});
  const auto classifier = make_classifier("fasttext", toy_parameters()).value();
  const auto stop = [](std::uint64_t, std::uint64_t) { return false; };
  expect_error(classifier->fit(data.task, data.train, {}, 1, stop), Errc::interrupted, {});
  expect_error(classifier->predict(data.test), Errc::invalid_argument, {"nothing has been learnt"});
}

TEST(FasttextClassifier, ParametersAreChecked) {
  expect_error(make_classifier("fastext", {}), Errc::not_found, {"'fastext'", "fasttext"});
  expect_error(make_classifier("fasttext", {{"dim", "3"}}), Errc::invalid_argument,
               {"classifier fasttext has no parameter 'dim'", "dimension", "epochs", "min_count"});
  const std::vector<ClassifierInfo> known = classifiers();
  const auto info = std::find_if(known.begin(), known.end(),
                                 [](const ClassifierInfo& each) { return each.name == "fasttext"; });
  ASSERT_NE(info, known.end());
  for (const ParameterInfo& parameter : info->parameters)
    expect_error(make_classifier("fasttext", {{parameter.name, "-1"}}), Errc::invalid_argument,
                 {"fasttext", parameter.name, "-1"});
}

/// Predicts class 0, and a value that depends on the seed.
class Parrot final : public Classifier {
 public:
  Result<void> fit(const Task&, std::span<const LabelledText>, std::span<const LabelledText>,
                   std::uint64_t seed, const ProgressCallback&) override {
    seed_ = seed;
    return {};
  }
  Result<std::vector<Prediction>> predict(std::span<const LabelledText> texts) override {
    std::vector<Prediction> predictions;
    for (const LabelledText& text : texts)
      predictions.push_back({0, text.value + static_cast<double>(seed_ * predictions.size())});
    return predictions;
  }

 private:
  std::uint64_t seed_ = 0;
};

TEST(Classifiers, OthersCanBeRegistered) {
  const std::size_t known = classifiers().size();
  register_classifier({"parrot", "for tests", {}},
                      [](const ParameterValues&) -> Result<std::unique_ptr<Classifier>> {
                        return std::make_unique<Parrot>();
                      });
  EXPECT_EQ(classifiers().size(), known + 1);
  TaskData data;
  data.task.kind = TaskKind::regression;
  data.train = data.test = {{"a", "", 0, 3}, {"b", "", 0, 1}, {"c", "", 0, 2}};
  RunOptions options;
  options.classifier = "parrot";
  const RepeatedScores scores = repeated_runs(data, options).value();
  ASSERT_EQ(scores.runs.size(), 3U);
  EXPECT_DOUBLE_EQ(scores.runs[0].at("pearson_spearman"), 1);  // seed 0: the values themselves
  EXPECT_LT(scores.runs[2].at("pearson"), 1);
  EXPECT_EQ(scores.spread.at("spearman").n, 3U);
}

TEST(RepeatedRuns, SpreadOverTheSeeds) {
  const RepeatedScores scores = summarize({{{"accuracy", 0.5}}, {{"accuracy", 0.7}}});
  EXPECT_DOUBLE_EQ(scores.spread.at("accuracy").mean, 0.6);
  EXPECT_NEAR(scores.spread.at("accuracy").standard_deviation, 0.2 / std::sqrt(2.0), 1e-15);
}

TEST(RepeatedRuns, ProgressAndStop) {
  const TaskData data = marked_task({"alpha", "beta"});
  RunOptions options;
  options.parameters = toy_parameters();
  options.runs = 2;
  std::uint64_t last = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 2000U);
    EXPECT_GE(done, last);
    last = done;
    return true;
  };
  ASSERT_TRUE(repeated_runs(data, options).has_value());
  EXPECT_EQ(last, 2000U);
  options.progress = [](std::uint64_t, std::uint64_t) { return false; };
  expect_error(repeated_runs(data, options), Errc::interrupted, {});
  options.runs = 0;
  expect_error(repeated_runs(data, options), Errc::invalid_argument, {"runs", "'0'"});
}

TEST(Tasks, AreChecked) {
  TaskData data = marked_task({"alpha", "beta"}, 5);
  EXPECT_TRUE(check_task(data).has_value());
  data.test[2].label = 2;
  expect_error(check_task(data), Errc::invalid_argument, {"test text 3", "label 2", "2 classes"});
  data.task.class_names.resize(1);
  expect_error(check_task(data), Errc::invalid_argument, {"1 classes"});
  data.test.clear();
  expect_error(check_task(data), Errc::invalid_argument, {"test part is empty"});
  data.train.clear();
  expect_error(check_task(data), Errc::invalid_argument, {"training part is empty"});
  data = {};
  data.task.kind = TaskKind::regression;
  data.train = data.test = {{"a", "", 0, std::numeric_limits<double>::quiet_NaN()}};
  expect_error(check_task(data), Errc::invalid_argument, {"training text 1", "nan"});
}

}  // namespace
}  // namespace sotto

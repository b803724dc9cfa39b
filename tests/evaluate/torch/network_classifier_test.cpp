// Each classifier learns a small task that neither chance nor a bag of words can solve.
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "evaluate/classifiers/classifier.hpp"
#include "evaluate/torch/networks_fixture.hpp"
#include "random/bit_sources.hpp"
#include "random/integer_samplers.hpp"
#include "support/result_matchers.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::evaluate;

const std::filesystem::path kTinyBert = SOTTO_TINY_BERT;

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : bits_(random::key_from_seed(seed)) {}
  std::size_t below(std::size_t bound) { return random::uniform_below(bits_, bound); }
  const std::string& one_of(const std::vector<std::string>& words) { return words[below(words.size())]; }

 private:
  random::ChaChaBitSource bits_;
};

/// Class 1 if the dog comes before Paris. Both classes have the same words with the same probabilities, so
/// only the order tells.
std::vector<LabelledText> order_texts(std::size_t count, std::uint64_t seed) {
  Draws draws(seed);
  std::vector<LabelledText> texts;
  for (std::size_t i = 0; i < count; ++i) {
    const bool first = draws.below(2) == 1;
    const auto filler = [&] {
      std::string words;
      for (std::size_t k = draws.below(5); k > 0; --k)
        words += draws.one_of({"the", "an", "pizza", "soup"}) + " ";
      return words;
    };
    texts.push_back(
        {filler() + (first ? "dog " : "paris ") + filler() + (first ? "paris " : "dog ") + filler(),
         {},
         first ? 1U : 0U});
  }
  return texts;
}

double accuracy(const Task& task, Classifier& classifier, const std::vector<LabelledText>& test) {
  const auto predictions = classifier.predict(test);
  EXPECT_TRUE(predictions.has_value()) << predictions.error().message;
  if (!predictions) return 0;
  return score_predictions(task, test, *predictions).value().at("accuracy");
}

class NetworkClassifierTest : public NetworkTest {
 protected:
  std::unique_ptr<Classifier> make(const std::string& name, ParameterValues parameters) {
    if (name != "transformer") {
      const std::filesystem::path file = folder_.path() / "tiny.safetensors";
      if (!std::filesystem::exists(file)) write_tiny_model(file);
      parameters.emplace("model", file.string());
    }
    auto made = make_classifier(name, parameters);
    EXPECT_TRUE(made.has_value()) << made.error().message;
    return made ? std::move(*made) : nullptr;
  }

  const Task order_{.class_names = {"Paris first", "dog first"}};

 private:
  TemporaryFolder folder_;
};

// The fastText model sees a bag of words and fails; the LSTMs do not.
TEST_F(NetworkClassifierTest, LstmLearnsTheOrderOfWords) {
  const auto train = order_texts(600, 1);
  const auto validation = order_texts(100, 2);
  const auto test = order_texts(200, 3);
  for (const char* const name : {"lstm", "bilstm"}) {
    const auto classifier =
        make(name, {{"hidden", "16"}, {"batch", "20"}, {"learning_rate", "0.01"}, {"epochs", "15"}});
    ASSERT_NE(classifier, nullptr);
    const auto fitted = classifier->fit(order_, train, validation, 5, {});
    ASSERT_TRUE(fitted.has_value()) << fitted.error().message;
    EXPECT_GE(accuracy(order_, *classifier, test), 0.95) << name;
  }
  const auto bag = make_classifier("fasttext", {{"word_ngrams", "1"}}).value();
  ASSERT_TRUE(bag->fit(order_, train, validation, 5, {}));
  EXPECT_LE(accuracy(order_, *bag, test), 0.65);
}

// n = 100 test pairs; a guess is right with probability 1/2, so 80 right ones have probability 6e-10.
TEST_F(NetworkClassifierTest, LstmReadsPairs) {
  const auto pairs = [](std::size_t count, std::uint64_t seed) {
    Draws draws(seed);
    const std::vector<std::string> words = {"the", "pizza", "dog", "paris"};
    std::vector<LabelledText> texts;
    for (std::size_t i = 0; i < count; ++i) {
      const bool same = draws.below(2) == 1;
      const std::size_t first = draws.below(4);
      const std::size_t second = same ? first : (first + 1 + draws.below(3)) % 4;
      texts.push_back({words[first], words[second], same ? 1U : 0U});
    }
    return texts;
  };
  const Task task{.class_names = {"different", "same"}, .pairs = true};
  const auto classifier =
      make("lstm", {{"hidden", "16"}, {"batch", "20"}, {"learning_rate", "0.01"}, {"epochs", "10"}});
  ASSERT_NE(classifier, nullptr);
  ASSERT_TRUE(classifier->fit(task, pairs(400, 1), {}, 0, {}));
  EXPECT_GE(accuracy(task, *classifier, pairs(100, 2)), 0.8);
}

/// Pairs of letters; class 1 if they are equal.
std::vector<LabelledText> letter_pairs(std::size_t count, std::uint64_t seed) {
  Draws draws(seed);
  const std::vector<std::string> letters = {"a", "b", "c", "d"};
  std::vector<LabelledText> texts;
  for (std::size_t i = 0; i < count; ++i) {
    const bool same = draws.below(2) == 1;
    const std::size_t first = draws.below(4);
    const std::size_t second = same ? first : (first + 1 + draws.below(3)) % 4;
    texts.push_back({letters[first], letters[second], same ? 1U : 0U});
  }
  return texts;
}

const ParameterValues kTinyTraining = {{"model", kTinyBert.string()}, {"epochs", "12"},   {"batch", "16"},
                                       {"learning_rate", "0.005"},    {"warm_up", "0.1"}, {"dropout", "0"},
                                       {"max_length", "32"}};

// As for the LSTM: 80 of 100 right by chance has probability 6e-10.
TEST_F(NetworkClassifierTest, TransformerReadsPairs) {
  const Task task{.class_names = {"different", "same"}, .pairs = true};
  for (const char* const pooling : {"first", "mean"}) {
    ParameterValues parameters = kTinyTraining;
    parameters["pooling"] = pooling;
    const auto classifier = make("transformer", parameters);
    ASSERT_NE(classifier, nullptr);
    const auto fitted = classifier->fit(task, letter_pairs(400, 1), letter_pairs(50, 3), 0, {});
    ASSERT_TRUE(fitted.has_value()) << fitted.error().message;
    EXPECT_GE(accuracy(task, *classifier, letter_pairs(100, 2)), 0.8) << pooling;
  }
}

/// The value is 10 plus the number of occurrences of "a".
std::vector<LabelledText> counted(std::size_t count, std::uint64_t seed) {
  Draws draws(seed);
  std::vector<LabelledText> texts;
  for (std::size_t i = 0; i < count; ++i) {
    LabelledText text{{}, {}, 0, 10};
    for (std::size_t k = 0; k < 8; ++k) {
      const bool hit = draws.below(3) == 0;
      text.text += hit ? "a " : "b ";
      text.value += hit ? 1 : 0;
    }
    texts.push_back(text);
  }
  return texts;
}

TEST_F(NetworkClassifierTest, ValuesAreLearnt) {
  const Task task{TaskKind::regression, {}};
  const auto test = counted(100, 2);
  const auto expect_learnt = [&](Classifier& classifier) {
    const auto fitted = classifier.fit(task, counted(400, 1), {}, 0, {});
    ASSERT_TRUE(fitted.has_value()) << fitted.error().message;
    const auto predictions = classifier.predict(test).value();
    EXPECT_GE(score_predictions(task, test, predictions).value().at("pearson"), 0.9);
    // Predictions are in the units of the task.
    double mean = 0;
    for (const Prediction& prediction : predictions) mean += prediction.value / 100;
    EXPECT_NEAR(mean, 10 + 8.0 / 3, 0.5);
  };
  expect_learnt(*make("transformer", kTinyTraining));
  expect_learnt(
      *make("lstm", {{"hidden", "16"}, {"batch", "20"}, {"learning_rate", "0.01"}, {"epochs", "20"}}));
}

std::vector<double> probabilities(Classifier& classifier, const std::vector<LabelledText>& texts) {
  std::vector<double> result;
  const auto predictions = classifier.predict(texts).value();
  for (const Prediction& prediction : predictions) result.push_back(prediction.label + prediction.value / 2);
  return result;
}

// To the last bit, with dropout, on any number of threads; and another seed gives another classifier.
TEST_F(NetworkClassifierTest, SeedDecidesEverything) {
  const auto train = order_texts(120, 1);
  const auto test = order_texts(40, 2);
  const std::map<std::string, ParameterValues> kinds = {
      {"bilstm",
       {{"hidden", "8"}, {"batch", "50"}, {"epochs", "2"}, {"layers", "2"}, {"vectors", "trained"}}},
      {"transformer",
       {{"model", kTinyBert.string()}, {"epochs", "2"}, {"batch", "24"}, {"max_length", "32"}}}};
  for (const auto& [name, given] : kinds) {
    std::vector<std::vector<double>> results;
    for (const auto& [threads, seed] :
         std::vector<std::pair<const char*, std::uint64_t>>{{"1", 7}, {"3", 7}, {"1", 8}}) {
      ParameterValues parameters = given;
      parameters["threads"] = threads;
      const auto classifier = make(name, parameters);
      ASSERT_NE(classifier, nullptr);
      ASSERT_TRUE(classifier->fit(order_, train, {}, seed, {}));
      results.push_back(probabilities(*classifier, test));
    }
    EXPECT_EQ(results[0], results[1]) << name;
    EXPECT_NE(results[0], results[2]) << name;
  }
}

TEST_F(NetworkClassifierTest, ReportsEpochsAndKeepsTheBest) {
  const auto validation = order_texts(60, 2);
  const auto classifier =
      make("lstm",
           {{"hidden", "8"}, {"batch", "20"}, {"learning_rate", "0.02"}, {"epochs", "8"}, {"patience", "0"}});
  ASSERT_NE(classifier, nullptr);
  std::uint64_t steps = 0;
  std::uint64_t all = 0;
  ASSERT_TRUE(classifier->fit(order_, order_texts(200, 1), validation, 1,
                              [&](std::uint64_t done, std::uint64_t total) {
                                EXPECT_EQ(done, ++steps);
                                all = total;
                                return true;
                              }));
  EXPECT_EQ(steps, 80U);
  EXPECT_EQ(all, 80U);
  ASSERT_EQ(classifier->epochs().size(), 8U);
  double highest = 0;
  double kept = 0;
  for (const EpochReport& report : classifier->epochs()) {
    highest = std::max(highest, *report.validation_score);
    if (report.best) kept = *report.validation_score;
  }
  EXPECT_EQ(kept, highest);
  EXPECT_LT(classifier->epochs().back().loss, classifier->epochs().front().loss);
  EXPECT_NEAR(accuracy(order_, *classifier, validation), kept, 1e-12);
}

TEST_F(NetworkClassifierTest, CanBeStopped) {
  const auto classifier = make("lstm", {{"hidden", "8"}, {"batch", "20"}});
  ASSERT_NE(classifier, nullptr);
  const auto train = order_texts(100, 1);
  expect_error(
      classifier->fit(order_, train, {}, 0, [](std::uint64_t done, std::uint64_t) { return done < 3; }),
      Errc::interrupted, {});
  expect_error(classifier->predict(train), Errc::invalid_argument, {"lstm", "nothing has been learnt"});
}

// Empty, long and malformed texts.
TEST_F(NetworkClassifierTest, ReadsWhateverThereIs) {
  std::vector<LabelledText> texts = order_texts(20, 1);
  texts[0].text.clear();
  texts[1].text = "\xFF\xFE \x80";
  texts[2].text = "... !!";
  for (int i = 0; i < 2000; ++i) texts[3].text += "dog ";
  texts[4].text = std::string(5000, 'x');
  for (const char* const model : {"lstm", "sotto-en-mlm", "bert"}) {
    const std::string name = model;
    if (kSanitized && name == "sotto-en-mlm")
      continue;  // fifteen million weights; its layers have tests of their own
    ParameterValues parameters = {{"epochs", "1"}, {"max_length", "32"}};
    if (name == "bert") parameters["model"] = kTinyBert.string();
    if (name == "sotto-en-mlm") parameters["model"] = name;
    const auto classifier = make(name == "lstm" ? "lstm" : "transformer", parameters);
    ASSERT_NE(classifier, nullptr);
    const auto fitted = classifier->fit(order_, texts, {}, 0, {});
    ASSERT_TRUE(fitted.has_value()) << fitted.error().message;
    const auto predictions = classifier->predict(texts);
    ASSERT_TRUE(predictions.has_value()) << predictions.error().message;
    for (const Prediction& prediction : *predictions)
      EXPECT_TRUE(prediction.value >= 0.5 && prediction.value <= 1);
  }
}

TEST_F(NetworkClassifierTest, WrongValuesAreRefused) {
  expect_error(make_classifier("lstm", {{"hidden", "0"}}), Errc::invalid_argument,
               {"lstm", "hidden", "'0'", "4096"});
  expect_error(make_classifier("lstm", {{"vectors", "none"}}), Errc::invalid_argument,
               {"vectors", "none", "trained"});
  expect_error(make_classifier("bilstm", {{"dropout", "1"}}), Errc::invalid_argument, {"bilstm", "dropout"});
  expect_error(make_classifier("lstm", {{"model", "sotto-en-lists"}}), Errc::invalid_argument,
               {"no vectors"});
  expect_error(make_classifier("transformer", {{"model", "no-such-model"}}), Errc::not_found,
               {"no-such-model"});
  expect_error(make_classifier("transformer", {{"pooling", "max"}}), Errc::invalid_argument,
               {"pooling", "max", "mean"});
}

}  // namespace
}  // namespace sotto::testing

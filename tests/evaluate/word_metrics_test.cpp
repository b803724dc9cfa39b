#include "evaluate/metrics/word_metrics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/list_set.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto {
namespace {

using namespace sotto::evaluate;
using namespace sotto::testing;

class WordMetricsTest : public ::testing::Test {
 protected:
  WordMetricsTest() : model_(write_tiny_model(folder_.path() / "tiny.safetensors")) {}

  std::unique_ptr<Mechanism> make(const std::string& name, double epsilon,
                                  const ParameterValues& parameters = {}) const {
    return make_mechanism(name, model_, epsilon, parameters).value();
  }

  std::vector<TokenId> all_words() const {
    std::vector<TokenId> words(model_->size());
    std::iota(words.begin(), words.end(), TokenId{0});
    return words;
  }

  TemporaryFolder folder_;
  std::shared_ptr<const Model> model_;
};

/// SanText's law from its definition.
std::vector<double> santext_row(const Model& model, TokenId word, double epsilon) {
  std::vector<double> row;
  for (TokenId y = 0; y < model.size(); ++y) {
    const double distance = model.scale() * std::sqrt(static_cast<double>(model.squared_distance(word, y)));
    row.push_back(std::exp(-0.5 * epsilon * distance));
  }
  const double total = std::accumulate(row.begin(), row.end(), 0.0);
  for (double& p : row) p /= total;
  return row;
}

/// The expected number of distinct outputs in three draws, over all 12³ sequences.
double distinct_in_three(const std::vector<double>& row) {
  double sum = 0;
  for (std::size_t a = 0; a < row.size(); ++a)
    for (std::size_t b = 0; b < row.size(); ++b)
      for (std::size_t c = 0; c < row.size(); ++c)
        sum += row[a] * row[b] * row[c] * static_cast<double>(std::set{a, b, c}.size());
  return sum;
}

/// The least number of words with a mass of 1 − η, over all 2¹² sets.
std::uint64_t smallest_set(const std::vector<double>& row, double eta) {
  std::uint64_t least = row.size();
  for (unsigned set = 0; set < 1U << row.size(); ++set) {
    double mass = 0;
    for (std::size_t i = 0; i < row.size(); ++i) mass += (set >> i & 1) != 0 ? row[i] : 0;
    if (mass >= 1 - eta) least = std::min<std::uint64_t>(least, static_cast<unsigned>(std::popcount(set)));
  }
  return least;
}

// A weight is rounded down by at most one part in 2^12. That bounds the distance of a probability, and with
// three draws of a third of S_w, from the definition.
constexpr double kRelative = 0x1p-12 + 0x1p-40;

TEST_F(WordMetricsTest, ExactEqualsBruteForce) {
  for (const double epsilon : {0.5, 3.0, 10.0}) {
    const auto mechanism = make("santext", epsilon);
    WordMetricOptions options;
    options.draws = 3;
    options.eta = 0.1;
    const WordMetricsReport report = word_metrics(*mechanism, *model_, all_words(), options).value();
    EXPECT_TRUE(report.exact);
    EXPECT_EQ(report.repetitions, 0U);
    double stays = 0;
    double distinct = 0;
    for (const WordMetrics& word : report.words) {
      const std::vector<double> row = santext_row(*model_, word.word, epsilon);
      EXPECT_NEAR(word.stays.value, row[word.word], row[word.word] * kRelative);
      EXPECT_NEAR(word.distinct.value, distinct_in_three(row), 3 * kRelative);
      EXPECT_EQ(word.support, smallest_set(row, 0.1));
      EXPECT_EQ(word.stays.low, word.stays.high);
      stays += word.stays.value / 12;
      distinct += word.distinct.value / 12;
    }
    EXPECT_NEAR(report.stays.value, stays, 1e-12);
    EXPECT_NEAR(report.distinct.value, distinct, 1e-12);
    EXPECT_NEAR(report.ratio(), stays / distinct, 1e-12);
  }
}

TEST_F(WordMetricsTest, AHundredDraws) {
  const auto mechanism = make("santext", 6);
  const WordMetricsReport report = word_metrics(*mechanism, *model_, all_words()).value();
  EXPECT_EQ(report.draws, 100U);
  for (const WordMetrics& word : report.words) {
    long double expected = 0;
    for (const double p : mechanism->row(word.word))
      expected += 1 - std::pow(1 - static_cast<long double>(p), 100);
    EXPECT_NEAR(word.distinct.value, static_cast<double>(expected), 1e-9);
  }
}

TEST_F(WordMetricsTest, BottomNeverComesOut) {
  const std::vector<TokenId> bottom = {model_->bottom()};
  for (const bool sample : {false, true}) {
    WordMetricOptions options;
    options.always_sample = sample;
    const auto report = word_metrics(*make("santext", 6), *model_, bottom, options).value();
    EXPECT_EQ(report.stays.value, 0);
    EXPECT_GT(report.distinct.value, 1);
  }
}

// 12 words, 100 repetitions of 100 draws each. Every interval covers with probability 1 − 1e-8, so all 26 do
// with more than 1 − 1e-6. The intervals must not be too wide either.
TEST_F(WordMetricsTest, SampledIntervalsHoldTheExactValues) {
  const auto mechanism = make("tem", 4);
  WordMetricOptions options;
  options.confidence = 1 - 1e-8;
  const WordMetricsReport exact = word_metrics(*mechanism, *model_, all_words(), options).value();
  options.always_sample = true;
  options.repetitions = 100;
  options.seed = 7;
  const WordMetricsReport sampled = word_metrics(*mechanism, *model_, all_words(), options).value();
  EXPECT_TRUE(exact.exact);
  EXPECT_FALSE(sampled.exact);
  const auto expect_covers = [](const Estimate& estimate, double value, double width) {
    EXPECT_LE(estimate.low, value);
    EXPECT_GE(estimate.high, value);
    EXPECT_LE(estimate.high - estimate.low, width);
  };
  for (std::size_t i = 0; i < exact.words.size(); ++i) {
    expect_covers(sampled.words[i].stays, exact.words[i].stays.value, 0.06);
    expect_covers(sampled.words[i].distinct, exact.words[i].distinct.value, 7);
  }
  expect_covers(sampled.stays, exact.stays.value, 0.02);
  expect_covers(sampled.distinct, exact.distinct.value, 2);
}

// In one dimension CMP's noise is Laplace noise: between neighbours at distances a and b the word stays with
// probability 1 − ½e^{−εa/2} − ½e^{−εb/2}. n = 20,000 draws, α = 1e-7.
TEST_F(WordMetricsTest, SampledWhereThereIsNoClosedForm) {
  const VectorModel parts = {{"left", "middle", "right"}, {-100, 0, 250}, {}, 1.0 / 100, 16};
  const auto line = write_vector_model(folder_.path() / "line.safetensors", parts);
  const auto mechanism = make_mechanism("cmp", line, 1.5, {}).value();
  WordMetricOptions options;
  options.repetitions = 200;
  options.confidence = 1 - 1e-7;
  options.seed = 3;
  const std::vector<TokenId> middle = {1};
  const WordMetricsReport report = word_metrics(*mechanism, *line, middle, options).value();
  EXPECT_FALSE(report.exact);
  const double stays = 1 - 0.5 * std::exp(-1.5 * 1.0 / 2) - 0.5 * std::exp(-1.5 * 2.5 / 2);
  EXPECT_LE(report.stays.low, stays);
  EXPECT_GE(report.stays.high, stays);
  EXPECT_LT(report.stays.high - report.stays.low, 0.04);
  EXPECT_NEAR(report.distinct.value, 3, 0.01);
  EXPECT_EQ(report.words[0].support, 3U);
}

bool operator==(const Estimate& a, const Estimate& b) {
  return a.value == b.value && a.low == b.low && a.high == b.high;
}

TEST_F(WordMetricsTest, TheSameForEveryNumberOfThreads) {
  const auto mechanism = make("vickrey", 5);
  WordMetricOptions options;
  options.seed = 11;
  options.threads = 1;
  const WordMetricsReport one = word_metrics(*mechanism, *model_, all_words(), options).value();
  options.threads = 4;
  const WordMetricsReport four = word_metrics(*mechanism, *model_, all_words(), options).value();
  options.seed = 12;
  const WordMetricsReport other = word_metrics(*mechanism, *model_, all_words(), options).value();
  std::vector<double> values;
  std::vector<double> other_values;
  for (std::size_t i = 0; i < one.words.size(); ++i) {
    EXPECT_TRUE(one.words[i].stays == four.words[i].stays);
    EXPECT_TRUE(one.words[i].distinct == four.words[i].distinct);
    EXPECT_EQ(one.words[i].support, four.words[i].support);
    values.push_back(one.words[i].stays.value);
    other_values.push_back(other.words[i].stays.value);
  }
  EXPECT_TRUE(one.stays == four.stays);
  EXPECT_NE(values, other_values);
}

// The draws of a word do not depend on which other words are requested.
TEST_F(WordMetricsTest, AWordHasItsOwnDraws) {
  const auto mechanism = make("cmp", 5);
  const std::vector<TokenId> alone = {4};
  const auto all = word_metrics(*mechanism, *model_, all_words()).value();
  EXPECT_TRUE(word_metrics(*mechanism, *model_, alone)->words[0].stays == all.words[4].stays);
}

TEST_F(WordMetricsTest, CanBeStopped) {
  WordMetricOptions options;
  options.threads = 1;
  int calls = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 12U);
    EXPECT_EQ(done, static_cast<std::uint64_t>(++calls));
    return done < 3;
  };
  expect_error(word_metrics(*make("santext", 1), *model_, all_words(), options), Errc::interrupted, {});
  EXPECT_EQ(calls, 3);
}

TEST_F(WordMetricsTest, RefusesWhatCannotBeMeasured) {
  const auto mechanism = make("santext", 1);
  expect_error(word_metrics(*mechanism, *model_, {}), Errc::invalid_argument, {"at least one"});
  const std::vector<TokenId> twice = {3, 3};
  expect_error(word_metrics(*mechanism, *model_, twice), Errc::invalid_argument, {"'pizza'", "twice"});
  const std::vector<TokenId> outside = {13};
  expect_error(word_metrics(*mechanism, *model_, outside), Errc::invalid_argument, {"13", "'tiny'"});
  WordMetricOptions options;
  options.eta = 1;
  expect_error(word_metrics(*mechanism, *model_, all_words(), options), Errc::invalid_argument,
               {"eta", "'1'"});
  options = {};
  options.draws = 0;
  expect_error(word_metrics(*mechanism, *model_, all_words(), options), Errc::invalid_argument, {"draws"});
  options = {};
  options.confidence = 1;
  expect_error(word_metrics(*mechanism, *model_, all_words(), options), Errc::invalid_argument,
               {"confidence"});
}

TEST(WordProtocols, AsInThePapers) {
  EXPECT_EQ(word_protocol("comparative")->words, 25U);
  EXPECT_TRUE(word_protocol("comparative")->from_texts);
  EXPECT_EQ(word_protocol("diffractor")->words, 100U);
  EXPECT_EQ(word_protocol("diffractor")->draws, 100U);
  expect_error(word_protocol("mine"), Errc::invalid_argument, {"'mine'", "comparative, diffractor"});
}

TEST(WordProtocols, RandomWords) {
  const TemporaryFolder folder;
  const auto model =
      write_list_set(folder.path() / "l.safetensors", letter_words(300), {{"a", stepping_order(300, 1)}});
  const std::vector<TokenId> words = random_words(*model, 100, 5);
  EXPECT_EQ(std::set(words.begin(), words.end()).size(), 100U);
  EXPECT_EQ(words, random_words(*model, 100, 5));
  EXPECT_NE(words, random_words(*model, 100, 6));
  EXPECT_EQ(random_words(*model, 1000, 5).size(), 300U);

  const std::vector<std::string> texts = {"Wa wb, wb.", "zzz wc WA"};
  std::vector<TokenId> of_texts = random_words(*model, texts, 25, 1);
  std::sort(of_texts.begin(), of_texts.end());
  EXPECT_THAT(of_texts, ::testing::ElementsAre(0, 1, 2));
  EXPECT_EQ(random_words(*model, texts, 2, 1).size(), 2U);
}

TEST(WordProtocols, GivenWords) {
  const TemporaryFolder folder;
  const auto model = write_tiny_model(folder.path() / "tiny.safetensors");
  const std::vector<std::string> words = {"Pizza", "dog"};
  EXPECT_THAT(find_words(*model, words).value(), ::testing::ElementsAre(3, 6));
  const std::vector<std::string> unknown = {"pizza", "qzqx"};
  expect_error(find_words(*model, unknown), Errc::not_found, {"'qzqx'", "'tiny'"});
}

}  // namespace
}  // namespace sotto

// E_M and L_M: exact values against the definitions, sampled values against exact ones, and shared noise
// against the mechanisms as they run in production.
#include "evaluate/tuning/inference_error.hpp"

#include <boost/math/distributions/binomial.hpp>

#include "evaluate/tuning/common_random_numbers.hpp"
#include "evaluate/word_task_fixture.hpp"
#include "random/continuous.hpp"
#include "support/result_matchers.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::evaluate;

struct Figures {
  double inference_error = 0;
  double best_guess_error = 1;
  double utility_loss = 0;
  double changed = 0;
};

/// The sums of the definitions, over secret, output and guess.
Figures by_definition(const WordTask& task, const std::vector<std::vector<double>>& rows) {
  Figures figures;
  const std::size_t secrets = task.secrets.words.size();
  for (TokenId y = 0; y < task.model->size(); ++y) {
    double column = 0;
    double best = 0;
    for (std::size_t w = 0; w < secrets; ++w) {
      column += task.secrets.prior[w] * rows[w][y];
      best = std::max(best, task.secrets.prior[w] * rows[w][y]);
    }
    figures.best_guess_error -= best;
    for (std::size_t w = 0; w < secrets; ++w) {
      const double joint = task.secrets.prior[w] * rows[w][y];
      figures.utility_loss += joint * task.losses(task.secrets.words[w], y);
      figures.changed += task.secrets.words[w] == y ? 0 : joint;
      for (std::size_t guess = 0; guess < secrets && column > 0; ++guess)
        figures.inference_error +=
            guess == w ? 0 : joint * task.secrets.prior[guess] * rows[guess][y] / column;
    }
  }
  return figures;
}

std::vector<std::vector<double>> rows_of(const WordTask& task, const Mechanism& mechanism) {
  std::vector<std::vector<double>> rows;
  for (const TokenId word : task.secrets.words) rows.push_back(mechanism.row(word));
  return rows;
}

using InferenceError = WordTaskTest;

TEST_F(InferenceError, ExactFiguresFollowTheDefinitions) {
  for (const std::string prior : {"list", "uniform", "counts"}) {
    for (const std::string outputs : {"list", "model"}) {
      WordTaskOptions options = labelled();
      options.prior = prior;
      options.outputs = outputs;
      if (outputs == "model") options.table = write("few.tsv", "the\tx\t2\npizza\ty\ncat\ty\nrome\tx\n");
      const WordTask read = task(options);
      const std::vector<MechanismVariant> variants = {
          {"santext", {}}, {"tem", {{"gamma", "0.5"}}}, {"custext", {{"k", "3"}}}};
      const std::vector<double> epsilons = {0.5, 4};
      const auto points = measure_inference_error(read, variants, epsilons, {});
      ASSERT_TRUE(points) << points.error().message;
      ASSERT_EQ(points->size(), 6U);
      for (std::size_t i = 0; i < 6; ++i) {
        const TradeOff& point = (*points)[i];
        EXPECT_EQ(point.mechanism, variants[i / 2].mechanism);
        EXPECT_EQ(point.epsilon, epsilons[i % 2]);
        EXPECT_TRUE(point.exact);
        const auto mechanism =
            make_mechanism(point.mechanism, read.model, point.epsilon, point.parameters).value();
        const Figures expected = by_definition(read, rows_of(read, *mechanism));
        EXPECT_NEAR(point.inference_error.value, expected.inference_error, 1e-12);
        EXPECT_NEAR(point.best_guess_error.value, expected.best_guess_error, 1e-12);
        EXPECT_NEAR(point.utility_loss.value, expected.utility_loss, 1e-12);
        EXPECT_NEAR(point.changed.value, expected.changed, 1e-12);
        EXPECT_EQ(point.inference_error.low, point.inference_error.high);
      }
    }
  }
}

/// Draws from known rows.
OutputTally tally_of(const std::vector<std::vector<double>>& rows, std::uint64_t draws, std::uint64_t seed) {
  random::ChaChaBitSource bits(random::key_from_seed(seed));
  OutputTally tally(rows.size(), draws);
  for (std::size_t w = 0; w < rows.size(); ++w) {
    std::vector<TokenId> outputs;
    for (std::uint64_t i = 0; i < draws; ++i) {
      double point = random::open_uniform(bits);
      TokenId y = 0;
      while (y + 1 < rows[w].size() && (point -= rows[w][y]) >= 0) ++y;
      outputs.push_back(y);
    }
    tally.set(w, outputs);
  }
  return tally;
}

bool covers(const Estimate& estimate, double truth) {
  return estimate.low <= truth && truth <= estimate.high;
}

// Intervals of confidence 0.9 from 300 samples. If each covers the truth with probability at least 0.85 (they
// are approximate), more misses than the critical value occur with probability α = 1e-6. The best guess is
// judged from above only: a guess learnt from draws errs more than the best one.
TEST_F(InferenceError, IntervalsHoldTheTruth) {
  constexpr int kSamples = 300;
  const boost::math::binomial law(kSamples, 0.15);
  const double critical = quantile(complement(law, 1e-6));
  const WordTask read = task(labelled());
  for (const double epsilon : {1.0, 6.0}) {
    const auto rows = rows_of(read, *make_mechanism("santext", read.model, epsilon, {}).value());
    const Figures truth = by_definition(read, rows);
    int misses[4] = {};
    double mean = 0;
    for (int sample = 0; sample < kSamples; ++sample) {
      TradeOff point;
      estimate_figures(read, tally_of(rows, 200, static_cast<std::uint64_t>(sample)), 0.9, point);
      misses[0] += covers(point.inference_error, truth.inference_error) ? 0 : 1;
      misses[1] += point.best_guess_error.high < truth.best_guess_error ? 1 : 0;
      misses[2] += covers(point.utility_loss, truth.utility_loss) ? 0 : 1;
      misses[3] += covers(point.changed, truth.changed) ? 0 : 1;
      mean += point.inference_error.value / kSamples;
    }
    for (const int count : misses) {
      std::cout << "    misses " << count << " of " << kSamples << ", critical value " << critical << "\n";
      EXPECT_LE(count, critical);
    }
    EXPECT_NEAR(mean, truth.inference_error, 0.004) << "no bias";
  }
}

// With two draws per word, the raw frequencies would say 1/2 where the truth is nearly 1: the adversary must
// not be judged by the draws it learnt from.
TEST_F(InferenceError, FewDrawsDoNotFlatterTheAdversary) {
  WordTaskOptions options = labelled();
  options.prior = "uniform";
  const WordTask read = task(options);
  const std::vector<std::vector<double>> rows(12, std::vector<double>(12, 1.0 / 12));
  double mean = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    TradeOff point;
    estimate_figures(read, tally_of(rows, 2, seed), 0.9, point);
    mean += point.inference_error.value / 2000;
  }
  EXPECT_GT(mean, 11.0 / 12);
  EXPECT_LT(mean, 0.96);
}

TEST_F(InferenceError, WithoutVariationIntervalsStillHaveAWidth) {
  const WordTask read = task(labelled());
  std::vector<std::vector<double>> rows(12, std::vector<double>(12, 0));
  for (std::size_t w = 0; w < 12; ++w) rows[w][w] = 1;
  TradeOff point;
  estimate_figures(read, tally_of(rows, 50, 1), 0.99, point);
  EXPECT_EQ(point.utility_loss.value, 0);
  EXPECT_EQ(point.utility_loss.low, 0);
  EXPECT_GT(point.utility_loss.high, 0.005);
  EXPECT_NEAR(point.inference_error.value, 0, 1e-12);
  EXPECT_GT(point.inference_error.high, 0.005);
}

class SharedNoise : public NoiseTest {};

// One noisy vector serves all mechanisms of a group, and each keeps its own law. 12 · 9 two-sample tests, n =
// 40,000 each, α = 1e-8.
TEST_F(SharedNoise, EveryMechanismKeepsItsLaw) {
  constexpr std::size_t kDraws = 20'000;
  const std::vector<std::pair<std::string, ParameterValues>> variants = {
      {"cmp", {}},
      {"vickrey", {{"t", "0.25"}}},
      {"vickrey", {{"t", "0.5"}}},
      {"vickrey", {{"t", "0.75"}}},
      {"vickrey", {{"t", "1"}}},
      {"vickrey", {{"t", "0.5"}, {"exclude_input", "true"}}},
      {"vickrey-k", {{"k", "4"}, {"t", "0.5"}}},
      {"vickrey-k", {{"k", "3"}, {"t", "1e6,1e6,0"}, {"exclude_input", "true"}}},
      {"mahalanobis", {}}};
  std::vector<std::unique_ptr<Mechanism>> mechanisms;
  std::vector<NamedMechanism> named;
  for (const auto& [name, parameters] : variants) {
    mechanisms.push_back(make(name, 1.5, parameters));
    named.push_back({mechanisms.back().get(), name});
  }
  const std::vector<DrawGroup> groups = group_by_noise(named);
  ASSERT_EQ(groups.size(), 2U) << "all but mahalanobis share";
  EXPECT_EQ(groups[0].size(), 8U);
  const std::vector<TokenId> words = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  for (const DrawGroup& group : groups) {
    std::vector<NamedMechanism> members;
    for (const std::size_t i : group) members.push_back(named[i]);
    SharedDrawOptions options;
    options.draws = kDraws;
    options.seed = 7;
    const auto tallies = draw_outputs(words, members, options);
    ASSERT_TRUE(tallies);
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const TokenId word : words) {
        Counts counts(12);
        for (const auto& [output, count] : (*tallies)[i].of(word)) counts[output] = count;
        const TestOutcome outcome =
            two_sample_test(counts, count_outputs(*members[i].mechanism, 12, word, kDraws, 100 + word), 1e-8);
        EXPECT_TRUE(outcome.passed()) << members[i].name << " " << word << ": " << outcome;
      }
    }
  }
}

TEST_F(SharedNoise, ThreadsAndCompanyDoNotMatter) {
  const auto cmp = make("cmp", 1.5);
  const auto vickrey = make("vickrey", 1.5);
  const std::vector<TokenId> words = {0, 3, 5, 7, 11, 2, 1, 6, 9, 10, 8, 4};
  const auto draw = [&](const std::vector<NamedMechanism>& group, unsigned threads) {
    return draw_outputs(words, group, {300, 5, threads, {}}).value().back();
  };
  const OutputTally alone = draw({{vickrey.get(), "v"}}, 1);
  const OutputTally together = draw({{cmp.get(), "c"}, {vickrey.get(), "v"}}, 3);
  for (std::size_t i = 0; i < words.size(); ++i) {
    ASSERT_EQ(alone.of(i).size(), together.of(i).size());
    for (std::size_t j = 0; j < alone.of(i).size(); ++j) {
      EXPECT_EQ(alone.of(i)[j].output, together.of(i)[j].output);
      EXPECT_EQ(alone.of(i)[j].count, together.of(i)[j].count);
    }
  }
}

// The shape of the paper's figure in a small world: with little noise Laplace reveals the word and Vickrey
// does not; t = 0 is Laplace.
TEST_F(InferenceError, VickreyHidesWhatLaplaceShows) {
  const WordTask read = task(labelled());
  const std::vector<MechanismVariant> variants = {
      {"cmp", {}}, {"vickrey", {{"t", "0"}}}, {"vickrey", {{"t", "0.75"}}}};
  const std::vector<double> epsilons = {1, 200};
  InferenceErrorOptions options;
  options.seed = 3;
  options.draws = 400;
  const auto points = measure_inference_error(read, variants, epsilons, options);
  ASSERT_TRUE(points);
  EXPECT_LT((*points)[1].inference_error.high, 0.1);
  EXPECT_GT((*points)[5].inference_error.low, 0.3);
  EXPECT_GE((*points)[4].inference_error.high, (*points)[0].inference_error.low);
  for (std::size_t e = 0; e < 2; ++e)
    EXPECT_EQ((*points)[e].inference_error.value, (*points)[2 + e].inference_error.value);
}

TEST_F(InferenceError, RefusalsAndErrors) {
  const WordTask read = task(labelled());
  const std::vector<double> epsilons = {1};
  const auto gumbel = std::vector<MechanismVariant>{{"gumbel", {{"calibration", "theorem"}}}, {"cmp", {}}};
  const auto points = measure_inference_error(read, gumbel, epsilons, {});
  ASSERT_TRUE(points) << points.error().message;
  ASSERT_TRUE((*points)[0].refusal);
  EXPECT_EQ((*points)[0].refusal->parameter, "epsilon");
  EXPECT_FALSE((*points)[1].refusal);
  const auto bad = std::vector<MechanismVariant>{{"vickrey", {{"t", "2"}}}};
  expect_error(measure_inference_error(read, bad, epsilons, {}), Errc::invalid_argument, {"t", "'2'"});
  InferenceErrorOptions options;
  options.draws = 1;
  expect_error(measure_inference_error(read, gumbel, epsilons, options), Errc::invalid_argument, "draws",
               {"'1'"});
  options = {};
  options.progress = [](std::uint64_t, std::uint64_t) { return false; };
  expect_error(measure_inference_error(read, gumbel, epsilons, options), Errc::interrupted, {});
}

}  // namespace
}  // namespace sotto::testing

#include "evaluate/metrics/scores.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace sotto::evaluate {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Result<void> check_lengths(std::size_t truth, std::size_t predicted, std::size_t least) {
  if (truth == predicted && truth >= least) return {};
  return fail(Errc::invalid_argument,
              fmt::format("scores: {} labels and {} predictions; give equally many, at "
                          "least {}",
                          truth, predicted, least));
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double pearson_correlation(std::span<const double> a, std::span<const double> b) {
  const double mean_a = mean_of(a);
  const double mean_b = mean_of(b);
  double product = 0;
  double square_a = 0;
  double square_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += (a[i] - mean_a) * (b[i] - mean_b);
    square_a += (a[i] - mean_a) * (a[i] - mean_a);
    square_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  if (square_a == 0 || square_b == 0) return 0;
  return std::clamp(product / std::sqrt(square_a) / std::sqrt(square_b), -1.0, 1.0);
}

bool is_constant(std::span<const double> values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

}  // namespace

Result<ClassificationScores> score_classes(std::span<const ClassIndex> truth,
                                           std::span<const ClassIndex> predicted, std::size_t classes) {
  SOTTO_TRY(check_lengths(truth.size(), predicted.size(), 1));
  ClassificationScores scores;
  scores.n = truth.size();
  scores.classes.resize(classes);
  std::vector<std::uint64_t> right(classes, 0);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] >= classes || predicted[i] >= classes)
      return fail(Errc::invalid_argument, fmt::format("scores: class {} in place {}; there are {} classes",
                                                      std::max(truth[i], predicted[i]), i + 1, classes));
    ++scores.classes[truth[i]].support;
    ++scores.classes[predicted[i]].predicted;
    if (truth[i] == predicted[i]) ++right[truth[i]];
  }
  std::size_t present = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    ClassScore& score = scores.classes[c];
    score.precision = ratio(right[c], score.predicted);
    score.recall = ratio(right[c], score.support);
    score.f1 = ratio(2 * right[c], score.support + score.predicted);
    scores.macro_f1 += score.f1;
    present += score.support + score.predicted > 0 ? 1 : 0;
  }
  scores.macro_f1 /= static_cast<double>(present);
  scores.accuracy = ratio(std::accumulate(right.begin(), right.end(), std::uint64_t{0}), scores.n);
  // Each wrong prediction is a false positive of one class and a false negative of another.
  scores.micro_f1 = scores.accuracy;
  return scores;
}

ClassIndex majority_class(std::span<const ClassIndex> labels) {
  assert(!labels.empty());
  std::vector<std::uint64_t> counts(*std::max_element(labels.begin(), labels.end()) + std::size_t{1}, 0);
  for (const ClassIndex label : labels) ++counts[label];
  return static_cast<ClassIndex>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

Result<ClassificationScores> score_majority(std::span<const ClassIndex> train,
                                            std::span<const ClassIndex> test, std::size_t classes) {
  if (train.empty())
    return fail(Errc::invalid_argument, "scores: no labels to take the majority of; give at least one");
  const std::vector<ClassIndex> guesses(test.size(), majority_class(train));
  return score_classes(test, guesses, classes);
}

std::vector<double> mean_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + 1 + end) / 2;
    for (; begin < end; ++begin) ranks[order[begin]] = rank;
  }
  return ranks;
}

Result<CorrelationScores> score_values(std::span<const double> truth, std::span<const double> predicted) {
  SOTTO_TRY(check_lengths(truth.size(), predicted.size(), 2));
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (!std::isfinite(truth[i]) || !std::isfinite(predicted[i]))
      return fail(Errc::invalid_argument,
                  fmt::format("scores: a value in place {} is not finite; correlations need numbers", i + 1));
  CorrelationScores scores;
  // Rounding may move the mean of equal values away from them, so constancy is checked first.
  if (is_constant(truth) || is_constant(predicted)) return scores;
  scores.pearson = pearson_correlation(truth, predicted);
  scores.spearman = pearson_correlation(mean_ranks(truth), mean_ranks(predicted));
  scores.mean = (scores.pearson + scores.spearman) / 2;
  return scores;
}

double points_over_majority(double score, double majority_score) {
  return 100 * (score - majority_score);
}

Result<double> relative_gain(double utility_private, double utility_original, double privacy_private,
                             double privacy_original) {
  if (!(utility_original > 0 && privacy_original > 0))
    return fail(Errc::invalid_argument,
                fmt::format("relative gain: the scores on original text are {} and {}; they must be above 0",
                            utility_original, privacy_original));
  return utility_private / utility_original - privacy_private / privacy_original;
}

}  // namespace sotto::evaluate

#include "evaluate/tuning/output_tally.hpp"

#include <algorithm>
#include <cmath>

#include "audit/distributions.hpp"
#include "audit/falsify/event.hpp"

namespace sotto::evaluate {
namespace {

/// For one output: sums over the secrets of the adversary's observations, π(w)·n.
struct Column {
  double sum = 0;
  double squares = 0;
  double best = 0;
  double second = 0;
  std::uint32_t best_secret = 0;
  std::uint32_t second_secret = 0;

  void add(std::uint32_t secret, double weight) {
    sum += weight;
    squares += weight * weight;
    if (weight > best) {
      second = best;
      second_secret = best_secret;
      best = weight;
      best_secret = secret;
    } else if (weight > second) {
      second = weight;
      second_secret = secret;
    }
  }
};

/// The mean of a figure over the draws, and its variance.
class FigureSums {
 public:
  /// One output of a secret: `share` of its draws; `value` enters the mean, `influence` the variance.
  void add(double share, double value, double influence) {
    value_ += share * value;
    sum_ += share * influence;
    squares_ += share * influence * influence;
  }

  /// The secret is complete.
  void close(std::uint64_t draws) {
    variance_ += std::max(0.0, squares_ - sum_ * sum_) / static_cast<double>(draws);
    sum_ = squares_ = 0;
  }

  /// Wilson's interval on [0, largest]; n is the effective number of draws, as if all had the same weight.
  Estimate estimate(double largest, double n, double deviations) const {
    if (largest <= 0) return {value_, value_, value_};
    const double p = std::min(1.0, value_ / largest);
    const double z = deviations * deviations / n;
    const double centre = (p + z / 2) / (1 + z);
    const double half = deviations / (1 + z) * std::sqrt(variance_ / (largest * largest) + z / (4 * n));
    return {value_, largest * std::clamp(centre - half, 0.0, p), largest * std::clamp(centre + half, p, 1.0)};
  }

 private:
  double value_ = 0;
  double variance_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

Estimate complement(const Estimate& success) {
  // A sum of shares may exceed 1 by rounding.
  return {std::max(0.0, 1 - success.value), 1 - success.high, 1 - success.low};
}

class Estimator {
 public:
  Estimator(const WordTask& task, const OutputTally& tally)
      : task_(task),
        tally_(tally),
        draws_(static_cast<double>(tally.draws())),
        columns_(task.model->size()),
        blind_(static_cast<std::uint32_t>(
            std::max_element(task.secrets.prior.begin(), task.secrets.prior.end()) -
            task.secrets.prior.begin())) {
    for (std::uint32_t secret = 0; secret < task.secrets.words.size(); ++secret)
      for (const OutputTally::Count& seen : tally.of(secret))
        columns_[seen.output].add(secret, task.secrets.prior[secret] * seen.count);
  }

  void run(double confidence, TradeOff& result) {
    double weights = 0;
    for (std::uint32_t secret = 0; secret < task_.secrets.words.size(); ++secret) {
      for (const OutputTally::Count& seen : tally_.of(secret)) take(secret, seen);
      for (FigureSums* figure : {&drawn_, &best_, &loss_, &changed_}) figure->close(tally_.draws());
      weights += task_.secrets.prior[secret] * task_.secrets.prior[secret];
    }
    const double n = draws_ / weights;
    const double deviations = audit::normal_quantile((1 - confidence) / 2);
    result.inference_error = complement(drawn_.estimate(1, n, deviations));
    result.best_guess_error = complement(best_.estimate(1, n, deviations));
    result.utility_loss = loss_.estimate(task_.losses.largest(), n, deviations);
    result.changed = changed_.estimate(1, n, deviations);
  }

 private:
  void take(std::uint32_t secret, const OutputTally::Count& seen) {
    const double prior = task_.secrets.prior[secret];
    const TokenId word = task_.secrets.words[secret];
    const Column& column = columns_[seen.output];
    const double share = seen.count / draws_;
    const double weight = prior * seen.count;
    const double without = prior * (seen.count - 1) * draws_ / (draws_ - 1);
    const double others = std::max(0.0, column.sum - weight);
    const bool unseen = seen.count == 1 && column.best <= weight && column.second <= 0;
    const double drawn = unseen ? prior : without / (without + others);
    const double slope = (2 * weight * column.sum - column.squares) / (column.sum * column.sum);
    drawn_.add(share, prior * drawn, prior * slope);
    const double hit = prior * (unseen ? secret == blind_ : beats_others(secret, without, column));
    best_.add(share, hit, hit);
    const double loss = prior * task_.losses(word, seen.output);
    loss_.add(share, loss, loss);
    const double other_word = word == seen.output ? 0 : prior;
    changed_.add(share, other_word, other_word);
  }

  /// Whether the secret is the best guess; among equal weights the first is.
  static bool beats_others(std::uint32_t secret, double weight, const Column& column) {
    const bool is_best = column.best_secret == secret;
    const double rival = is_best ? column.second : column.best;
    const std::uint32_t rival_secret = is_best ? column.second_secret : column.best_secret;
    return weight > rival || (weight == rival && weight > 0 && secret < rival_secret);
  }

  const WordTask& task_;
  const OutputTally& tally_;
  double draws_;
  std::vector<Column> columns_;
  std::uint32_t blind_;  ///< the likeliest secret
  FigureSums drawn_;
  FigureSums best_;
  FigureSums loss_;
  FigureSums changed_;
};

}  // namespace

void OutputTally::set(std::size_t secret, std::span<TokenId> outputs) {
  std::sort(outputs.begin(), outputs.end());
  std::vector<Count>& row = rows_[secret];
  for (const TokenId output : outputs) {
    if (row.empty() || row.back().output != output) row.push_back({output, 0});
    ++row.back().count;
  }
  row.shrink_to_fit();
}

void estimate_figures(const WordTask& task, const OutputTally& tally, double confidence, TradeOff& result) {
  Estimator(task, tally).run(confidence, result);
}

}  // namespace sotto::evaluate

#include "lm/balanced_law.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "lm/balanced_kernel.hpp"
#include "lm/float_mode.hpp"
#include "privacy/rounding.hpp"
#include "random/portable_math.hpp"

namespace sotto::lm {
namespace {

constexpr std::uint64_t kTotal = std::uint64_t{1} << 61;
// Bounds are integers in doubles; the exponential and the product behind them err by a few units of 2^−53.
constexpr double kRoundDown = 1 - 0x1p-48;
// Larger scores are as good as infinite; clamping them keeps the search for the shift short.
constexpr double kLargestScore = 1e4;
constexpr double kLargestExponent = 60;  // beyond this, the 61-bit integers set the bounds
constexpr double kLargestTotal = 700;    // ln; e^−700 · 2^61 is below 1
constexpr int kMostSteps = 100;
// Slope times change of the shift, times the reach: below this, the third order is below 1e-10.
constexpr double kSmallStep = 5e-4;
constexpr double kCoarselySolved = 1e-6;
constexpr std::size_t kBins = 512;

/// Where the shift is.
struct Bracket {
  double left;
  double right;

  /// The sum falls as the shift grows. False if nothing is left between the ends.
  bool narrow(double shift, double sum) {
    (sum > 1 ? left : right) = shift;
    return left < right;
  }
  double inside(double shift) const { return shift > left && shift < right ? shift : (left + right) / 2; }
};

/// The change of the shift that makes the sum 1, by its expansion to the second order.
double shift_change(const BalancedSum& sum) {
  const double missing = 1 - sum.weights;
  double change = missing / sum.first;
  for (int i = 0; i < 4; ++i) change = (missing - change * change / 2 * sum.second) / sum.first;
  return change;
}

/// Solves for outcomes in bins of equal scores, each in the middle of its own, so that few terms are left.
double coarse_shift(const BalancedTerms& terms, const ScoreRange& scores, Bracket bracket) {
  double base[kBins] = {};
  double moment[kBins] = {};
  const double width = std::max(scores.most - scores.least, 1e-9);
  const double factor = (kBins - 1) / width;
  for (std::size_t i = 0; i < terms.count; ++i) {
    const double above = std::max(0.0, terms.scores[i] - scores.least);
    const auto bin = std::min(kBins - 1, static_cast<std::size_t>(static_cast<std::int64_t>(above * factor)));
    base[bin] += terms.base[i];
    moment[bin] += terms.base[i] * above;
  }
  for (std::size_t i = 0; i < kBins; ++i)
    if (base[i] > 0) moment[i] = scores.least + moment[i] / base[i];
  const BalancedTerms bins{moment, base, kBins, terms.slope, terms.reach, terms.log_total};
  double shift = (bracket.left + bracket.right) / 2;
  for (int step = 0; step < kMostSteps; ++step) {
    const BalancedSum sum = balanced_sum(bins, shift);
    if (std::abs(sum.weights - 1) <= kCoarselySolved || !bracket.narrow(shift, sum.weights)) break;
    // A step of Newton's method on the logarithm of the sum, which is straighter than the sum.
    shift = bracket.inside(shift - random::portable_log(sum.weights) * sum.weights / sum.first);
  }
  return shift;
}

}  // namespace

Result<BalancedLaw> BalancedLaw::make(const BoundedHead& head, double epsilon,
                                      std::vector<std::uint32_t> outcomes, std::span<const float> log_base) {
  SOTTO_TRY(check_epsilon("epsilon", epsilon));
  if (outcomes.empty()) return fail(Errc::bad_format, "the model has no word that could come out");
  BalancedLaw law(epsilon, std::move(outcomes));
  law.reach_ = std::min(epsilon, static_cast<double>(head.reach));
  law.slope_ = head.slope;
  law.log_total_ = head.log_total;
  if (!(law.slope_ > 0) || !(law.log_total_ > 0 && law.log_total_ < law.reach_))
    return fail(Errc::bad_format,
                fmt::format("the model's weights are to add up to e^{:g}; for a reach of {:g} the exponent "
                            "must lie between 0 and it",
                            law.log_total_, law.reach_));
  SOTTO_ASSIGN(law.base_, base_shares(law.outcomes(), log_base));
  const double measure = std::accumulate(law.base_.begin(), law.base_.end(), 0.0);
  for (double& base : law.base_) base /= measure;
  law.make_bounds();
  law.base_.resize((law.size() + kBalancedLanes - 1) / kBalancedLanes * kBalancedLanes, 0.0);
  return law;
}

void BalancedLaw::make_bounds() {
  const double most = random::portable_exp(std::min(epsilon(), kLargestExponent)) * kRoundDown;
  const double least = random::portable_exp(-std::min(log_total_, kLargestTotal));
  Wide least_total = 0;
  Wide most_total = 0;
  for (const double base : base_) {
    const double low = std::max(1.0, std::ceil(base * least * static_cast<double>(kTotal)));
    const double high = std::min(static_cast<double>(kTotal), std::floor(low * most));
    low_.push_back(static_cast<std::uint64_t>(low));
    high_.push_back(std::max(low_.back(), static_cast<std::uint64_t>(high)));
    least_total += low_.back();
    most_total += high_.back();
  }
  total_ = static_cast<std::uint64_t>(std::clamp<Wide>(kTotal, least_total, most_total));
}

void BalancedLaw::solve(const BalancedTerms& terms, double* weights) const {
  const ScoreRange range = range_of(terms.scores, terms.count);
  // If all scores were equal, the solution would be here; so the two extremes bracket it for any scores.
  const double share = std::min(log_total_ / reach_, 1 - 0x1p-53);
  const double offset = random::portable_log(share / (1 - share)) / slope_;
  Bracket bracket{range.least - offset, range.most - offset};
  double shift = coarse_shift(terms, range, bracket);
  const auto shares = std::make_unique_for_overwrite<double[]>(terms.count);
  for (int step = 0; step < kMostSteps; ++step) {
    const BalancedSum sum = balanced_weights(terms, shift, weights, shares.get());
    const double change = shift_change(sum);
    if (std::abs(change) * slope_ * (1 + reach_) <= kSmallStep) {
      move_balanced_weights(terms, change, shares.get(), weights);
      return;
    }
    if (!bracket.narrow(shift, sum.weights)) return;
    shift = bracket.inside(shift + change);
  }
}

Result<void> BalancedLaw::weights(std::span<const float> scores, std::vector<std::uint64_t>& out) const {
  SOTTO_TRY(check_numbers(scores));
  const FloatMode mode;
  const auto z = std::make_unique_for_overwrite<double[]>(base_.size());
  const auto shares = std::make_unique_for_overwrite<double[]>(base_.size());
  for (std::size_t i = 0; i < size(); ++i)
    z[i] = std::clamp(static_cast<double>(scores[outcomes()[i]]), -kLargestScore, kLargestScore);
  std::fill(z.get() + size(), z.get() + base_.size(), z[0]);
  solve({z.get(), base_.data(), base_.size(), slope_, reach_, log_total_}, shares.get());
  const auto scale = static_cast<double>(total_);
  Wide sum = 0;
  out.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    // Conversion to a signed number is a single instruction.
    const auto weight = static_cast<std::int64_t>(std::min(scale * shares[i], static_cast<double>(kTotal)));
    out[i] = std::clamp(static_cast<std::uint64_t>(weight), low_[i], high_[i]);
    sum += out[i];
  }
  balance(sum, out);
  return {};
}

/// Starts at the heaviest weight, which is affected least, and stops when the sum is exact.
void BalancedLaw::balance(Wide sum, std::vector<std::uint64_t>& weights) const {
  if (sum == total_) return;
  std::uint64_t most = 0;
  for (const std::uint64_t weight : weights) most = std::max(most, weight);
  const auto heaviest = std::find(weights.begin(), weights.end(), most) - weights.begin();
  for (std::size_t n = 0; sum != total_; ++n) {
    const std::size_t i = (static_cast<std::size_t>(heaviest) + n) % weights.size();
    const std::uint64_t room = sum < total_ ? high_[i] - weights[i] : weights[i] - low_[i];
    const Wide missing = sum < total_ ? total_ - sum : sum - total_;
    const auto moved = static_cast<std::uint64_t>(std::min<Wide>(room, missing));
    weights[i] = sum < total_ ? weights[i] + moved : weights[i] - moved;
    sum = sum < total_ ? sum + moved : sum - moved;
  }
}

Guarantee BalancedLaw::guarantee() const {
  return pure_guarantee(privacy::multiply_up(epsilon(), epsilon()) / 2);
}

}  // namespace sotto::lm

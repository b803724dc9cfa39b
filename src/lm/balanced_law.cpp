#include "lm/balanced_law.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "lm/balanced_kernel.hpp"
#include "privacy/rounding.hpp"

namespace sotto::lm {
namespace {

using Wide = unsigned __int128;

constexpr std::uint64_t kTotal = std::uint64_t{1} << 61;
// Bounds are integers in doubles; the exponential and the product behind them err by a few units of 2^−53.
constexpr double kRoundDown = 1 - 0x1p-48;
// Larger scores are as good as infinite; clamping them keeps the search for the shift short.
constexpr double kLargestScore = 1e4;
constexpr double kLargestExponent = 60;  // beyond this, the 61-bit integers set the bounds
constexpr int kMostSteps = 100;
constexpr double kSolved = 1e-12;

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
  for (double& base : law.base_) base *= std::exp(-law.log_total_) / measure;
  law.make_bounds();
  law.base_.resize((law.size() + kBalancedLanes - 1) / kBalancedLanes * kBalancedLanes, 0.0);
  return law;
}

void BalancedLaw::make_bounds() {
  const double most = std::exp(std::min(epsilon(), kLargestExponent)) * kRoundDown;
  Wide least_total = 0;
  Wide most_total = 0;
  for (const double base : base_) {
    const double low = std::max(1.0, std::ceil(base * static_cast<double>(kTotal)));
    const double high = std::min(static_cast<double>(kTotal), std::floor(low * most));
    low_.push_back(static_cast<std::uint64_t>(low));
    high_.push_back(std::max(low_.back(), static_cast<std::uint64_t>(high)));
    least_total += low_.back();
    most_total += high_.back();
  }
  total_ = static_cast<std::uint64_t>(std::clamp<Wide>(kTotal, least_total, most_total));
}

/// Newton's method on the logarithm of the sum, which falls as the shift grows, within a bracket around the
/// solution; bisects when a step leaves the bracket.
double BalancedLaw::solve(const BalancedTerms& terms) const {
  const auto [least, most] = std::minmax_element(terms.scores, terms.scores + size());
  // If all scores were equal, the solution would be here; so the two extremes bracket it for any scores.
  const double share = log_total_ / reach_;
  const double offset = std::log(share / (1 - share)) / slope_;
  double left = *least - offset;
  double right = *most - offset;
  double shift = (left + right) / 2;
  for (int step = 0; step < kMostSteps && left < right; ++step) {
    const BalancedSum sum = balanced_sum(terms, shift);
    const double error = std::log(sum.weights);
    if (std::abs(error) <= kSolved) break;
    (error > 0 ? left : right) = shift;
    const double newton = shift - error * sum.weights / sum.derivative;
    shift = newton > left && newton < right ? newton : (left + right) / 2;
  }
  return shift;
}

Result<void> BalancedLaw::weights(std::span<const float> scores, std::vector<std::uint64_t>& out) const {
  SOTTO_TRY(check_numbers(scores));
  std::vector<double> z(base_.size());
  for (std::size_t i = 0; i < size(); ++i)
    z[i] = std::clamp(static_cast<double>(scores[outcomes()[i]]), -kLargestScore, kLargestScore);
  const BalancedTerms terms{z.data(), base_.data(), base_.size(), slope_, reach_};
  balanced_weights(terms, solve(terms), z.data());
  const auto scale = static_cast<double>(total_);
  out.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const auto weight = static_cast<std::uint64_t>(std::min(scale * z[i], static_cast<double>(kTotal)));
    out[i] = std::clamp(weight, low_[i], high_[i]);
  }
  balance(out);
  return {};
}

/// Starts at the heaviest weight, which is affected least, and stops when the sum is exact.
void BalancedLaw::balance(std::vector<std::uint64_t>& weights) const {
  Wide sum = 0;
  for (const std::uint64_t weight : weights) sum += weight;
  const auto heaviest = std::max_element(weights.begin(), weights.end()) - weights.begin();
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

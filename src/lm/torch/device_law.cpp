#include "lm/torch/device_law.hpp"

#include <cmath>
#include <vector>

#include "lm/torch/failure.hpp"

namespace sotto::lm {
namespace {

// As in BalancedLaw: larger scores are as good as infinite.
constexpr double kLargestScore = 1e4;
constexpr int kMostSteps = 100;
// Of the sum of weights from 1. Below it, rounding in 32 bits would decide.
constexpr double kSolved = 0x1p-15;
constexpr double kLargestWeight = 0x1p61;

// Integers are added in two halves where their sum may not fit 63 bits: up to 2^22 of them, up to 2^61 each.
constexpr std::int64_t kHalfBits = 31;
constexpr std::int64_t kHalf = std::int64_t{1} << kHalfBits;
constexpr std::int64_t kMostTogether = std::int64_t{1} << 62;

at::Tensor whole_numbers(std::span<const double> numbers, at::Device device) {
  const std::vector<std::int64_t> values(numbers.begin(), numbers.end());
  return at::tensor(values, at::TensorOptions(at::kLong)).to(device);
}

at::Tensor upper_half(const at::Tensor& numbers) {
  return at::bitwise_right_shift(numbers, kHalfBits);
}

at::Tensor lower_half(const at::Tensor& numbers) {
  return at::bitwise_and(numbers, kHalf - 1);
}

/// The sums of rows of numbers from 0 to 2^61 up to each element, or 2^62 if larger.
at::Tensor capped_sums(const at::Tensor& numbers) {
  at::Tensor upper = upper_half(numbers).cumsum(1);
  const at::Tensor lower = lower_half(numbers).cumsum(1);
  upper.add_(upper_half(lower));
  const at::Tensor fits = upper < kMostTogether / kHalf;
  const at::Tensor sum = at::bitwise_left_shift(at::where(fits, upper, at::zeros_like(upper)), kHalfBits);
  return at::where(fits, sum + lower_half(lower), at::full_like(sum, kMostTogether));
}

/// How an amount for each row, [n, 1], at most 2^62, is taken from the room of its elements: from the first
/// ones as much as they have.
at::Tensor taken(const at::Tensor& room, const at::Tensor& amount) {
  const at::Tensor before_and_here = at::minimum(capped_sums(room), amount);
  return at::diff(before_and_here, 1, 1, at::zeros_like(amount));
}

bool holds_anywhere(const at::Tensor& condition) {
  return condition.any().item<bool>();
}

}  // namespace

DeviceLaw::DeviceLaw(const PublicLaw& law, at::Device device)
    : low_(whole_numbers(law.low, device)),
      high_(whole_numbers(law.high, device)),
      total_(law.total),
      reach_(law.reach),
      slope_(law.slope),
      gap_(law.gap) {
  std::vector<float> log_base;
  for (const double base : law.base) log_base.push_back(static_cast<float>(std::log(base) - law.log_total));
  log_base_ = at::tensor(log_base, at::TensorOptions(at::kFloat)).to(device);
  const double share = law.log_total / law.reach;
  offset_ = std::log(share / (1 - share));
}

at::Tensor DeviceLaw::weights(const at::Tensor& scores, const at::Tensor& factors) const {
  scores.mul_(factors);
  if (holds_anywhere(scores.isnan()))
    refuse(Errc::bad_format, "the model answered with a logit that is not a number");
  const at::Tensor shares = solve(scores.clamp_(-kLargestScore, kLargestScore).mul_(slope_));
  return keep_total(keep_bounds(shares));
}

/// The weights as real numbers. A row that is solved keeps its shift while others go on, so that they do not
/// depend on each other.
at::Tensor DeviceLaw::solve(const at::Tensor& scores) const {
  const auto [least, most] = at::aminmax(scores, 1, true);
  at::Tensor left = least - offset_;
  at::Tensor right = most - offset_;
  const auto inside = [&](const at::Tensor& shift) {
    return at::where(at::logical_and(shift > left, shift < right), shift, (left + right) / 2);
  };
  at::Tensor shift = inside(most - gap_ * slope_);
  at::Tensor shares = at::empty_like(scores);
  at::Tensor weights = at::empty_like(scores);
  at::Tensor sum;
  at::Tensor solved = at::zeros_like(shift, at::kBool);
  for (int step = 0; step < kMostSteps; ++step) {
    at::sub_out(shares, scores, shift).sigmoid_();
    at::add_out(weights, log_base_, shares, reach_).exp_();
    sum = weights.sum(1, true);
    const at::Tensor slopes = at::sigmoid_backward(weights, shares).sum(1, true).mul_(reach_);
    left = at::where(sum > 1, shift, left);
    right = at::where(sum > 1, right, shift);
    // Newton's method on the logarithm of the sum, which is straighter than the sum.
    const at::Tensor next = inside(shift + sum.log() * sum / slopes);
    const at::Tensor exhausted = at::logical_or(next <= left, next >= right);
    solved.logical_or_((sum - 1).abs() <= kSolved).logical_or_(exhausted);
    if (!holds_anywhere(solved.logical_not())) break;
    shift = at::where(solved, shift, next);
  }
  return weights.mul_(static_cast<double>(total_) / sum.clamp(0.5, 2)).clamp_(0, kLargestWeight);
}

/// As integers, each between its bounds and so few of them large that their sum is below 2^63.
at::Tensor DeviceLaw::keep_bounds(const at::Tensor& weights) const {
  at::Tensor whole = weights.to(at::kLong);
  at::clamp_(whole, low_, high_);
  const at::Tensor too_large = upper_half(whole).sum(1, true) >= kMostTogether / kHalf;
  if (!holds_anywhere(too_large)) return whole;
  return at::where(too_large, low_, whole);
}

/// The same with the right sum. The heaviest weight, which is affected least, takes what rounding left; what
/// it has no room for goes to the others in order.
at::Tensor DeviceLaw::keep_total(const at::Tensor& weights) const {
  const at::Tensor missing = total_ - weights.sum(1, true);
  const at::Tensor heaviest = weights.argmax(1, true);
  const at::Tensor before = weights.gather(1, heaviest);
  const at::Tensor after =
      at::minimum(at::maximum(before + missing, low_.take(heaviest)), high_.take(heaviest));
  weights.scatter_(1, heaviest, after);
  const at::Tensor left = missing - (after - before);
  const at::Tensor rows = (left != 0).flatten().nonzero().flatten();
  if (rows.numel() == 0) return weights;
  const at::Tensor some = weights.index_select(0, rows);
  const at::Tensor amount = left.index_select(0, rows);
  const at::Tensor nothing = at::zeros_like(amount);
  return weights.index_copy_(0, rows,
                             some + taken(high_ - some, at::maximum(amount, nothing)) -
                                 taken(some - low_, at::maximum(-amount, nothing)));
}

at::Tensor DeviceLaw::outcomes(const at::Tensor& weights, const at::Tensor& points) const {
  const at::Tensor sums = weights.cumsum(1);
  if (holds_anywhere(sums.narrow(1, sums.size(1) - 1, 1) != total_))
    refuse(Errc::limit, "the device does not add integers up as it should; draw on the processor");
  return at::searchsorted(sums, points, false, true);
}

}  // namespace sotto::lm

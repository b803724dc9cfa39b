#include "lm/logit_law.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include <sotto/validate.hpp>

#include "random/integer_samplers.hpp"

namespace sotto {
namespace {

constexpr int kLargestBits = 50;
constexpr int kTotalBits = 62;
// From kLargestLoss on: ln w(i) is ln of a number that is cut off below at 1 and rounded up, which adds less
// than ln 2. Cutting off commutes with order and shrinks differences, so the range of ln w(i) − ln w′(i) over
// i stays that of the logits' exponents, ε, and rounding up adds less than 2·ln 2.
constexpr double kRangeOfRounding = 1.39;
constexpr double kSmallestExponent = -60;  // e^−60 < 2^−50: such a weight rounds up to 1 whatever it is

/// e^x for x in [kSmallestExponent, 0]: a polynomial that the compiler can compute several of at once. What
/// it errs by, a few units in the last place, changes weights but no promise, because weights are clamped.
inline double fast_exp(double x) {
  constexpr double kRound = 0x1.8p52;
  const double k = (x * 0x1.71547652b82fep0 + kRound) - kRound;
  const double r = (x - k * 0x1.62e42fefa3800p-1) - k * 0x1.ef35793c76730p-45;
  double sum = 1.0 / 479001600;
  sum = sum * r + 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1;
  sum = sum * r + 1;
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52);
}

Result<void> check(const LogitBounds& bounds) {
  if (std::isfinite(bounds.lowest) && std::isfinite(bounds.highest) && bounds.lowest < bounds.highest)
    return {};
  return fail(Errc::bad_format, fmt::format("the model's logits are said to lie between {} and {}; there "
                                            "must be room between two finite numbers",
                                            bounds.lowest, bounds.highest));
}

}  // namespace

Result<LogitLaw> LogitLaw::make(const LogitBounds& bounds, double epsilon,
                                std::vector<std::uint32_t> outcomes, std::span<const float> log_base) {
  SOTTO_TRY(validate_epsilon("--epsilon", epsilon));
  SOTTO_TRY(check(bounds));
  if (outcomes.empty()) return fail(Errc::bad_format, "the model has no word that could come out");
  LogitLaw law;
  law.epsilon_ = epsilon;
  law.lowest_ = bounds.lowest;
  law.highest_ = bounds.highest;
  law.slope_ = epsilon / 2 / (law.highest_ - law.lowest_);
  // The exponential may err in its last places; two more units make the bound one from above.
  if (epsilon < kLargestLoss) law.smallest_share_ = std::exp(-epsilon / 2) * (1 + 0x1p-50);
  const int bits = std::min(kLargestBits, kTotalBits - static_cast<int>(std::bit_width(outcomes.size() - 1)));
  law.full_ = std::ldexp(1.0, bits);
  double largest_base = -INFINITY;
  for (const std::uint32_t outcome : outcomes)
    if (!log_base.empty()) largest_base = std::max(largest_base, static_cast<double>(log_base[outcome]));
  if (!log_base.empty() && !std::isfinite(largest_base))
    return fail(Errc::bad_format, "the model's base measure is not finite");
  for (const std::uint32_t outcome : outcomes) {
    const double share = log_base.empty() ? 1 : std::exp(log_base[outcome] - largest_base);
    if (!(share >= 0)) return fail(Errc::bad_format, "the model's base measure is not finite");
    law.largest_.push_back(std::max(1.0, std::floor(share * law.full_)));
  }
  law.outcomes_ = std::move(outcomes);
  return law;
}

Result<void> LogitLaw::weights(std::span<const float> logits, std::vector<std::uint64_t>& out) const {
  out.resize(size());
  double best = -INFINITY;
  bool all_numbers = true;
  for (std::size_t i = 0; i < size(); ++i) {
    const float logit = logits[outcomes_[i]];
    all_numbers &= !std::isnan(logit);
    best = std::max(best, static_cast<double>(logit));
  }
  if (!all_numbers) return fail(Errc::bad_format, "the model answered with a logit that is not a number");
  // Without a promise to keep by it, the best outcome gets a full weight.
  const double top = smallest_share_ > 0 ? highest_ : std::clamp(best, lowest_, highest_);
  for (std::size_t i = 0; i < size(); ++i) {
    const double logit = std::clamp(static_cast<double>(logits[outcomes_[i]]), lowest_, highest_);
    const double share = fast_exp(std::clamp((logit - top) * slope_, kSmallestExponent, 0.0));
    const double c = largest_[i];
    const double least = std::max(1.0, std::ceil(c * smallest_share_));
    out[i] = static_cast<std::uint64_t>(std::clamp(std::ceil(c * share), least, std::max(least, c)));
  }
  return {};
}

Result<std::uint32_t> LogitLaw::draw(std::span<const float> logits, BitSource& bits,
                                     std::vector<std::uint64_t>& scratch) const {
  SOTTO_TRY(weights(logits, scratch));
  std::uint64_t total = 0;
  for (const std::uint64_t weight : scratch) total += weight;
  std::uint64_t left = uniform_below(bits, total);
  std::uint32_t outcome = 0;
  while (left >= scratch[outcome]) left -= scratch[outcome++];
  return outcome;
}

Guarantee LogitLaw::guarantee() const {
  Guarantee guarantee;
  guarantee.kind = GuaranteeKind::analytic;
  guarantee.epsilon = epsilon_;
  const double range = smallest_share_ > 0 ? epsilon_ : epsilon_ + kRangeOfRounding;
  guarantee.rho = range * range / 8;
  guarantee.assumptions = {"the keyed stream is indistinguishable from uniform bits"};
  return guarantee;
}

}  // namespace sotto

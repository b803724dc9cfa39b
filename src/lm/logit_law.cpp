#include "lm/logit_law.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "lm/fast_exp.hpp"
#include "lm/float_mode.hpp"
#include "privacy/rounding.hpp"
#include "random/portable_math.hpp"

namespace sotto::lm {
namespace {

constexpr int kLargestBits = 50;
constexpr int kTotalBits = 62;
// From kLargestLoss on, w(i) is a number clamped below at 1 and rounded up, which adds less than ln 2 to ln
// w(i). Clamping is monotone and shrinks differences, so the range of ln w(i) − ln w′(i) over i stays that of
// the logits' exponents, ε, and rounding up adds less than 2·ln 2.
constexpr double kRangeOfRounding = 1.39;
constexpr double kSmallestExponent = -60;  // e^−60 < 2^−50: such a weight always rounds up to 1

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
  SOTTO_TRY(check_epsilon("epsilon", epsilon));
  SOTTO_TRY(check(bounds));
  if (outcomes.empty()) return fail(Errc::bad_format, "the model has no word that could come out");
  LogitLaw law(epsilon, std::move(outcomes));
  law.lowest_ = bounds.lowest;
  law.highest_ = bounds.highest;
  law.slope_ = epsilon / 2 / (law.highest_ - law.lowest_);
  // The exponential may be off in its last places; the factor makes it an upper bound.
  if (epsilon < kLargestLoss) law.smallest_share_ = random::portable_exp(-epsilon / 2) * (1 + 0x1p-50);
  const int bits = std::min(kLargestBits, kTotalBits - static_cast<int>(std::bit_width(law.size() - 1)));
  law.full_ = std::ldexp(1.0, bits);
  SOTTO_ASSIGN(const std::vector<double> shares, base_shares(law.outcomes(), log_base));
  for (const double share : shares) law.largest_.push_back(std::max(1.0, std::floor(share * law.full_)));
  return law;
}

Result<void> LogitLaw::weigh(const ScaledAnswers& logits, LawMemory& memory, DrawWeights& out) const {
  const FloatMode mode;
  const std::span<const float> row = in_order(logits.answers, memory);
  bool all_numbers = true;
  float largest = -INFINITY;
  for (const float logit : row) {
    all_numbers &= logit == logit;
    largest = std::max(largest, logit * logits.factor);
  }
  if (!all_numbers) return not_a_number();
  const double best = std::clamp(static_cast<double>(largest), lowest_, highest_);
  // Where there is nothing to prove, the best outcome gets the full weight.
  const double top = smallest_share_ > 0 ? highest_ : best;
  out.listed.clear();
  out.weights.resize(size());
  out.rest = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const double logit = std::clamp(static_cast<double>(row[i] * logits.factor), lowest_, highest_);
    const double share = fast_exp(std::clamp((logit - top) * slope_, kSmallestExponent, 0.0));
    const double c = largest_[i];
    const double least = std::max(1.0, std::ceil(c * smallest_share_));
    out.weights[i] = static_cast<std::uint64_t>(std::clamp(std::ceil(c * share), least, std::max(least, c)));
  }
  return {};
}

Guarantee LogitLaw::guarantee() const {
  const double range = smallest_share_ > 0 ? epsilon() : privacy::add_up(epsilon(), kRangeOfRounding);
  return pure_guarantee(privacy::multiply_up(range, range) / 8);
}

}  // namespace sotto::lm

// Integer weights of the exponential mechanism, the same on every processor.
//
// weight(D) = ⌊2^k · exp(−min(½ε·d, c))⌋ with d = scale·√D, D an exact integer squared distance, and
// k = 62 − ⌈log₂ outcomes⌉, so that the weights of all outcomes add up to at most 2^62. The cap c is at most
// (k − 12)·ln 2: no weight is below 2^12, so rounding changes none by more than one part in 2^12. Without the
// cap a weight of 1 beside one of 2 makes two near words distinguishable (64-bit tables certify 51.7 instead
// of 6 for words 0.013 apart). min(d, 2c/ε) is a metric too, so the promise ε·d is not touched by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace sotto {

/// No weight is smaller.
inline constexpr std::uint64_t kSmallestWeight = std::uint64_t{1} << 12;

/// Bound on the relative error of 2^k·exp(−min(½ε·d, c)) before it is rounded down, as against exact
/// arithmetic. √ and the products ½ε·scale·√D (three roundings) leave a relative error of at most 4·2⁻⁵³ in
/// an exponent of at most 35, an absolute one below 2⁻⁴⁵·⅝. The exponential itself: the Taylor polynomial of
/// degree 13 on |r| ≤ 0.3466 is cut off at 0.3466¹⁴/14! < 2⁻⁵⁷, the reduction (ln 2 in two parts, the first
/// product and its difference exact) and the even and odd halves round less than four times at 2⁻⁵³ each.
inline constexpr double kWeightError = 0x1p-45;

/// What rounding to integers can add to the loss ln(P(y|x)/P(y|x′)) ≤ ε·d(x,x′) of the exponential mechanism:
/// rounding down takes at most one part in 2^12 from a weight and from a sum of weights, and each of the four
/// quantities in the ratio has the relative error kWeightError besides.
inline constexpr double kRoundingSlack = 0x1p-11 + 0x1p-42;

/// The weight as a function of the squared distance. It never increases, and depends on nothing else, so
/// equal distances have equal weights. Immutable, so safe to share between threads.
class DistanceWeights {
 public:
  /// Among `outcomes` >= 1 words; distances from `limit` on count as `limit`.
  DistanceWeights(std::size_t outcomes, double epsilon, double scale,
                  double limit = std::numeric_limits<double>::infinity());

  /// out[i] = weight of squared[i], each below 2^52.
  void weights(std::span<const std::int64_t> squared, std::span<std::uint64_t> out) const;

  /// out[i] = exp(−(exponent(squared[i]) − offset)), with relative error at most kWeightError; 0 <= offset <=
  /// every exponent.
  void exponentials(std::span<const std::int64_t> squared, double offset, std::span<double> out) const;

  /// min(½ε·d, c).
  double exponent(std::int64_t squared) const;
  /// ½ε·d, as if there were no cap.
  double uncapped_exponent(std::int64_t squared) const;

  /// ½ε·scale.
  double slope() const { return slope_; }
  /// ½ε times the distance that all greater ones count as.
  double cap() const { return cap_; }
  /// ½ε·limit where that is what the caller asked for; ∞ without a limit.
  double requested_cap() const { return requested_cap_; }
  /// The least squared distance that has far_weight(), which all greater ones share.
  std::int64_t far_from() const { return far_from_; }
  std::uint64_t far_weight() const { return far_weight_; }
  /// k.
  int bits() const { return bits_; }

 private:
  double slope_;  ///< exponent = slope · √D
  double cap_;
  double requested_cap_;
  int bits_;
  std::int64_t far_from_;
  std::uint64_t far_weight_ = 0;
};

}  // namespace sotto

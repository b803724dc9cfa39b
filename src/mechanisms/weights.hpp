// Integer weights of the exponential mechanism, identical on every processor, that satisfy its guarantee
// exactly.
//
// weight(D) = ⌊2^k · exp(−min(s·√D, c))⌋, where D is an exact integer squared distance and k = 62 − ⌈log₂
// outcomes⌉, so that the weights of all outcomes add up to at most 2^62. In exact arithmetic s = ½ε·scale
// would suffice. But weights are rounded: a weight of 1 next to one of 2 makes two close words
// distinguishable (64-bit tables certify 51.7 instead of 6 for words 0.013 apart). So the cap c keeps all
// weights large, and s is smaller than ½ε·scale by what rounding can add:
//
// Let x and x′ be inputs with different vectors, Δ >= 1 their squared distance, an integer, and D, D′ those
// of an output from them. min(d, c/s) is a metric, so the exponents at D and D′ differ by at most min(s·√Δ,
// c). A weight has a relative error η before it is rounded down, and no weight is below 2^k·exp(−c) = 1/u, so
//
//   ln(weight(D)/weight(D′))  <=  min(s·√Δ, c) + (u + 2η)·(1 + 2^-10)  =  min(s·√Δ, c) + slack.
//
// The ratio of the probabilities is that of the weights times that of the totals, which are sums of such
// weights, so its logarithm is at most twice that; drawing 128 bits adds less than 2^-75, which slack has
// room for. With s <= ½ε·scale − slack and c <= ½ε·limit − slack it is at most ε·min(d, limit), because √Δ >=
// 1. Inputs with equal vectors have the same row.
//
// The cap is chosen so that slack takes at most one part in 2^8 of ε; if the longest distance is known and
// not capped, it takes far less. If ε is so small that even weights of 2^k are too coarse, all weights are
// equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace sotto::mechanism {

/// The smallest possible weight.
inline constexpr std::uint64_t kSmallestWeight = std::uint64_t{1} << 12;

/// Bound on the relative error of 2^k·exp(−min(½ε·d, c)) before rounding down, compared with exact
/// arithmetic. √ and the products ½ε·scale·√D (three roundings) leave a relative error of at most 4·2⁻⁵³ in
/// an exponent of at most 35, an absolute error below 2⁻⁴⁵·⅝. In the exponential itself, the Taylor
/// polynomial of degree 13 on |r| ≤ 0.3466 has a truncation error of 0.3466¹⁴/14! < 2⁻⁵⁷; the reduction (ln 2
/// in two parts, the first product and its difference exact) and the even and odd halves round less than four
/// times at 2⁻⁵³ each.
inline constexpr double kWeightError = 0x1p-45;

/// The weight as a function of the squared distance. It never increases and depends on nothing else, so equal
/// distances have equal weights. Immutable, so safe to share between threads.
class DistanceWeights {
 public:
  /// For `outcomes` >= 1 words; distances from `limit` on count as `limit`. `error` is the η of the caller
  /// that turns exponentials() into weights; weights() has kWeightError.
  DistanceWeights(std::size_t outcomes, double epsilon, double scale,
                  double limit = std::numeric_limits<double>::infinity(), double error = kWeightError);

  /// out[i] = weight of squared[i], each below 2^52.
  void weights(std::span<const std::int64_t> squared, std::span<std::uint64_t> out) const;

  /// out[i] = exp(−(exponent(squared[i]) − offset)), with relative error at most kWeightError; 0 <= offset <=
  /// every exponent.
  void exponentials(std::span<const std::int64_t> squared, double offset, std::span<double> out) const;

  /// min(s·√D, c).
  double exponent(std::int64_t squared) const;
  /// ½ε·min(d, limit): the exponent without rounding.
  double nominal_exponent(std::int64_t squared) const;

  /// s.
  double slope() const { return slope_; }
  /// c.
  double cap() const { return cap_; }
  /// The smallest squared distance with far_weight(), which all greater ones share.
  std::int64_t far_from() const { return far_from_; }
  std::uint64_t far_weight() const { return far_weight_; }
  /// k.
  int bits() const { return bits_; }

 private:
  void make_room_for_rounding(double limit_in_units, double error);

  double nominal_slope_;  ///< ½ε·scale
  double nominal_cap_;    ///< ½ε·limit; ∞ without a limit
  int bits_;
  double slope_ = 0;
  double cap_ = 0;
  std::int64_t far_from_ = 0;
  std::uint64_t far_weight_ = 0;
};

}  // namespace sotto::mechanism

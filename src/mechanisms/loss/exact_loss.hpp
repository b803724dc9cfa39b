// Privacy losses as exact fractions of integers, and their logarithms rounded outward.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace sotto::mechanism {

/// P(y|x)/P(y|x′) with P(y|x) = weight/total and P(y|x′) = other_weight/other_total. All values are positive
/// and below 2^63.
struct LossFraction {
  std::uint64_t weight = 1;
  std::uint64_t total = 1;
  std::uint64_t other_weight = 1;
  std::uint64_t other_total = 1;
};

/// min(scale·√squared, limit), as a real number.
struct ExactDistance {
  double scale = 1;
  std::int64_t squared = 1;
  double limit = std::numeric_limits<double>::infinity();

  /// In floating point, accurate to a few units in the last place.
  double value() const;
};

/// In bits: enough that the logarithm of a fraction as close to 1 as 1 + 2^-126 keeps more than 100 of them.
inline constexpr int kLossPrecision = 256;

/// lower <= the real number <= upper.
struct Bounds {
  double lower = 0;
  double upper = 0;
};

/// How much drawing 128 uniform bits can add to or subtract from a loss: each probability is its fraction up
/// to a factor of 1 ± 2^-77 (see position_of and draw_position).
inline constexpr double kDrawSlack = 0x1p-75;

/// ln of the fraction, ± kDrawSlack.
Bounds loss_bounds(const LossFraction& fraction);

/// The same, divided by the distance, which must not be 0.
Bounds loss_per_distance(const LossFraction& fraction, const ExactDistance& distance);

/// ln(numerator/denominator) for sums of fractions, ± kDrawSlack, divided by the distance. Mixtures are such
/// sums: for the numerator only weight/total of a LossFraction counts, for the denominator only the other
/// two.
Bounds mixture_loss_per_distance(std::span<const LossFraction> parts, const ExactDistance& distance);

/// Whether a/b < c/d, for b, d > 0, all below 2^64.
inline bool less(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
  using Wide = unsigned __int128;
  return static_cast<Wide>(a) * d < static_cast<Wide>(c) * b;
}

/// The outputs that best distinguish two rows of positive weights, in each direction.
struct WorstOutputs {
  std::size_t forward = 0;   ///< where row[y]/other[y] is largest
  std::size_t backward = 0;  ///< where other[y]/row[y] is largest
};
WorstOutputs worst_outputs(std::span<const std::uint64_t> row, std::span<const std::uint64_t> other);

}  // namespace sotto::mechanism

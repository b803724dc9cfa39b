// Privacy losses as exact fractions of integers, and their logarithms rounded outward.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace sotto {

/// P(y|x)/P(y|x′) with P(y|x) = weight/total and P(y|x′) = other_weight/other_total. All are below 2^63 and
/// above 0.
struct LossFraction {
  std::uint64_t weight = 1;
  std::uint64_t total = 1;
  std::uint64_t other_weight = 1;
  std::uint64_t other_total = 1;
};

/// min(scale·√squared, limit) in real numbers.
struct ExactDistance {
  double scale = 1;
  std::int64_t squared = 1;
  double limit = std::numeric_limits<double>::infinity();

  /// In floating point, to a few units in the last place.
  double value() const;
};

/// Bits: enough that the logarithm of a fraction as near to 1 as 1 + 2^-126 keeps more than 100 of them.
inline constexpr int kLossPrecision = 256;

/// lower <= the real number <= upper.
struct Bounds {
  double lower = 0;
  double upper = 0;
};

/// What drawing 128 uniform bits can add to or take from a loss: each probability is its fraction up to the
/// factor 1 ± 2^-77 (see position_of and draw_position).
inline constexpr double kDrawSlack = 0x1p-75;

/// ln of the fraction, give or take kDrawSlack.
Bounds loss_bounds(const LossFraction& fraction);

/// That divided by the distance, which is not 0.
Bounds loss_per_distance(const LossFraction& fraction, const ExactDistance& distance);

/// ln(numerator/denominator) for sums of fractions, give or take kDrawSlack. Mixtures are such sums: of a
/// LossFraction only weight/total counts for the numerator, and only the other two for the denominator.
Bounds mixture_loss_per_distance(std::span<const LossFraction> parts, const ExactDistance& distance);

/// True when a/b < c/d, for b, d > 0, all below 2^64.
inline bool less(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
  using Wide = unsigned __int128;
  return static_cast<Wide>(a) * d < static_cast<Wide>(c) * b;
}

/// Which outputs tell two rows of positive weights apart best, either way.
struct WorstOutputs {
  std::size_t forward = 0;   ///< where row[y]/other[y] is largest
  std::size_t backward = 0;  ///< where other[y]/row[y] is largest
};
WorstOutputs worst_outputs(std::span<const std::uint64_t> row, std::span<const std::uint64_t> other);

}  // namespace sotto

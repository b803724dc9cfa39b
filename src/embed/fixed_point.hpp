// Rounding of vectors to integers with one global scale.
#pragma once

#include <cstdint>
#include <span>

namespace sotto::embed {

/// Multiplies by 1 / scale and rounds to the nearest integer, ties to even.
///
/// The scale is the smallest for which the largest value becomes at most 32767 (127 with 8 bits) and the
/// longest vector, including rounding, at most kLargestNorm. With that bound, squared norms and inner
/// products fit into 31 bits plus sign, so that 32-bit sums are exact (see nearest.hpp); with 8 bits it holds
/// anyway, as 127·√32768 < 46340.
class FixedPoint {
 public:
  /// `largest_value` and `largest_norm` must be positive and finite, `bits` 8 or 16.
  FixedPoint(int bits, std::size_t dimension, double largest_value, double largest_norm);

  double scale() const { return scale_; }

  /// Rounds one vector and returns the distance it moved. T is std::int8_t or std::int16_t.
  template <class T>
  double round(std::span<const float> values, std::span<T> out) const;

 private:
  double scale_;
};

}  // namespace sotto::embed

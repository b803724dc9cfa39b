#include "embed/fixed_point.hpp"

#include <algorithm>
#include <cmath>

#include "embed/nearest.hpp"

namespace sotto::embed {

FixedPoint::FixedPoint(int bits, std::size_t dimension, double largest_value, double largest_norm) {
  if (bits == 8) {
    scale_ = largest_value / 127;
    return;
  }
  // Rounding moves a vector by at most half a unit per coordinate.
  const double norm_limit =
      static_cast<double>(kLargestNorm) - 0.5 * std::sqrt(static_cast<double>(dimension));
  scale_ = std::max(largest_value / 32767, largest_norm / norm_limit);
}

template <class T>
double FixedPoint::round(std::span<const float> values, std::span<T> out) const {
  double squared_error = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = static_cast<double>(values[i]);
    const double rounded = std::nearbyint(value / scale_);
    out[i] = static_cast<T>(rounded);
    const double error = value - rounded * scale_;
    squared_error += error * error;
  }
  return std::sqrt(squared_error);
}

template double FixedPoint::round(std::span<const float>, std::span<std::int8_t>) const;
template double FixedPoint::round(std::span<const float>, std::span<std::int16_t>) const;

}  // namespace sotto::embed

// How varied the outputs of a word are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace sotto::mechanism {

/// The expected number of distinct outputs in `draws` independent draws from a row of probabilities:
/// Σ 1 − (1 − p)^draws.
inline double expected_distinct(std::span<const double> row, std::uint64_t draws) {
  double sum = 0;
  for (const double p : row) sum -= std::expm1(static_cast<double>(draws) * std::log1p(-std::min(p, 1.0)));
  return sum;
}

}  // namespace sotto::mechanism

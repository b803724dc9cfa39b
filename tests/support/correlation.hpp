// How alike two lists of numbers are.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace sotto::testing {

/// Pearson's, of lists of equal length.
inline double correlation(std::span<const float> a, std::span<const float> b) {
  double sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    sa += x, sb += y, aa += x * x, bb += y * y, ab += x * y;
  }
  const auto n = static_cast<double>(a.size());
  return (ab - sa * sb / n) / std::sqrt((aa - sa * sa / n) * (bb - sb * sb / n));
}

}  // namespace sotto::testing

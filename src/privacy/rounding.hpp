// Arithmetic on bounds: results are never below the exact ones.
#pragma once

#include <cmath>
#include <limits>

namespace sotto::privacy {

/// The next greater number, which is above the exact result of one operation rounded to nearest.
inline double round_up(double value) {
  return std::nextafter(value, std::numeric_limits<double>::infinity());
}

/// The smallest number not below a + b, for nonnegative numbers: the error of rounding to nearest is itself a
/// floating-point number (Knuth's two-sum).
inline double add_up(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  const double lost = (a - (sum - part)) + (b - part);
  return lost > 0 ? round_up(sum) : sum;
}

/// a · b, rounded up; exact if a double can hold the product, for products above 2^-900.
inline double multiply_up(double a, double b) {
  const double product = a * b;
  return std::fma(a, b, -product) > 0 ? round_up(product) : product;
}

}  // namespace sotto::privacy

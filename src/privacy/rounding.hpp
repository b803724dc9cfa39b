// Arithmetic on bounds: results never lie below the exact ones.
#pragma once

#include <cmath>
#include <limits>

namespace sotto {

/// The next greater number: above the exact result of one operation that was rounded to the nearest.
inline double round_up(double value) {
  return std::nextafter(value, std::numeric_limits<double>::infinity());
}

/// The least number not below a + b, for numbers that are not negative: what rounding to the nearest lost is
/// itself a number (Knuth's two-sum).
inline double add_up(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  const double lost = (a - (sum - part)) + (b - part);
  return lost > 0 ? round_up(sum) : sum;
}

/// a · b, rounded up; exact where a double can hold the product, for products above 2^-900.
inline double multiply_up(double a, double b) {
  const double product = a * b;
  return std::fma(a, b, -product) > 0 ? round_up(product) : product;
}

}  // namespace sotto

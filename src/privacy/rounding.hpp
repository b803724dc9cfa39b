// Arithmetic on bounds: results never lie below the exact ones.
#pragma once

#include <cmath>
#include <limits>

namespace sotto {

/// The next greater number: above the exact result of one operation that was rounded to the nearest.
inline double round_up(double value) {
  return std::nextafter(value, std::numeric_limits<double>::infinity());
}

/// a + b, rounded up; exact where one of them is 0.
inline double add_up(double a, double b) {
  return a == 0 ? b : b == 0 ? a : round_up(a + b);
}

/// a · b, rounded up; exact where a double can hold the product, for products above 2^-900.
inline double multiply_up(double a, double b) {
  const double product = a * b;
  return std::fma(a, b, -product) > 0 ? round_up(product) : product;
}

}  // namespace sotto

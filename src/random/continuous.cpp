#include "random/continuous.hpp"

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sotto {
namespace {

/// Uniform on the odd multiples of 2^-53 in (−1, 1): symmetric, never zero.
double symmetric_uniform(BitSource& bits) {
  const std::int64_t steps = static_cast<std::int64_t>(bits.next()) >> 11;
  return static_cast<double>(2 * steps + 1) * 0x1p-53;
}

/// Uniform on the odd multiples of 2^-54 in (0, 1).
double open_uniform(BitSource& bits) {
  return (static_cast<double>(bits.next() >> 11) + 0.5) * 0x1p-53;
}

struct NormalPair {
  double first;
  double second;
};

NormalPair normal_pair(BitSource& bits) {
  for (;;) {
    const double x = symmetric_uniform(bits);
    const double y = symmetric_uniform(bits);
    const double square = x * x + y * y;
    if (square >= 1) continue;
    const double factor = std::sqrt(-2 * std::log(square) / square);
    return {x * factor, y * factor};
  }
}

}  // namespace

double standard_normal(BitSource& bits) {
  return normal_pair(bits).first;
}

void uniform_direction(BitSource& bits, std::span<double> direction) {
  assert(!direction.empty());
  double square = 0;
  while (square == 0) {
    for (std::size_t i = 0; i < direction.size(); i += 2) {
      const NormalPair pair = normal_pair(bits);
      direction[i] = pair.first;
      square += pair.first * pair.first;
      if (i + 1 == direction.size()) break;
      direction[i + 1] = pair.second;
      square += pair.second * pair.second;
    }
  }
  const double scale = 1 / std::sqrt(square);
  for (double& coordinate : direction) coordinate *= scale;
}

double gamma(BitSource& bits, double shape) {
  assert(shape >= 1);
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = standard_normal(bits);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = open_uniform(bits);
    const double square = x * x;
    if (u < 1 - 0.0331 * square * square) return d * v;  // the squeeze: saves the logarithms, exact
    if (std::log(u) < square / 2 + d * (1 - v + std::log(v))) return d * v;
  }
}

double gamma_radius(BitSource& bits, unsigned dimension, double epsilon) {
  assert(epsilon > 0);
  return gamma(bits, dimension) / epsilon;
}

}  // namespace sotto

#include "random/continuous.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/check.hpp"
#include "random/portable_math.hpp"

namespace sotto::random {
namespace {

/// Uniform on the odd multiples of 2^-53 in (−1, 1), from the upper 53 bits: symmetric, never zero.
double symmetric_uniform(std::uint64_t word) {
  const std::int64_t steps = static_cast<std::int64_t>(word) >> 11;
  return static_cast<double>(2 * steps + 1) * 0x1p-53;
}

/// The density, scaled to 1 at 0.
double bell(double x) {
  return portable_exp(-0.5 * x * x);
}

/// Layers of equal area under bell(): layer i > 0 is the rectangle of width edges[i] between the heights
/// heights[i] and heights[i + 1]; layer 0 has width kTail and includes the tail beyond.
class Ziggurat {
 public:
  static constexpr std::size_t kLayers = 256;

  Ziggurat() {
    edges_[0] = kArea / bell(kTail);
    edges_[1] = kTail;
    for (std::size_t i = 2; i < kLayers; ++i)
      edges_[i] = std::sqrt(-2 * portable_log(bell(edges_[i - 1]) + kArea / edges_[i - 1]));
    edges_[kLayers] = 0;
    for (std::size_t i = 0; i <= kLayers; ++i) heights_[i] = bell(edges_[i]);
  }

  double sample(BitSource& bits) const {
    const std::uint64_t word = bits.next();
    return place(word % kLayers, symmetric_uniform(word), bits);
  }

  /// The same from 32 bits: the lower 8 choose the layer, the upper 24 an odd multiple of 2^-24.
  double sample_half(std::uint32_t half, BitSource& bits) const {
    const std::int32_t steps = static_cast<std::int32_t>(half) >> 8;
    return place(half % kLayers, static_cast<double>(2 * steps + 1) * 0x1p-24, bits);
  }

 private:
  double place(std::size_t layer, double position, BitSource& bits) const {
    const double x = position * edges_[layer];
    if (std::abs(x) < edges_[layer + 1]) [[likely]]
      return x;
    return sample_edge(layer, x, bits);
  }

  // Where the tail begins, and the area of each layer, which equals that of layer 0: kTail·bell(kTail) +
  // √(π/2)·erfc(kTail/√2).
  static constexpr double kTail = 3.6541528853610088;
  static constexpr double kArea = 0.004928673233974655;

  [[gnu::noinline]] double sample_edge(std::size_t layer, double x, BitSource& bits) const {
    if (layer == 0) return std::copysign(sample_tail(bits), x);
    const double height = heights_[layer] + open_uniform(bits) * (heights_[layer + 1] - heights_[layer]);
    return height < bell(x) ? x : sample(bits);
  }

  /// |x| given |x| > kTail, by Marsaglia's exponential envelope.
  static double sample_tail(BitSource& bits) {
    for (;;) {
      const double x = -portable_log(open_uniform(bits)) / kTail;
      const double y = -portable_log(open_uniform(bits));
      if (2 * y > x * x) return kTail + x;
    }
  }

  std::array<double, kLayers + 1> edges_;
  std::array<double, kLayers + 1> heights_;
};

const Ziggurat& ziggurat() {
  static const Ziggurat tables;
  return tables;
}

}  // namespace

double standard_normal(BitSource& bits) {
  return ziggurat().sample(bits);
}

void standard_normals(BitSource& bits, std::span<double> values) {
  const Ziggurat& tables = ziggurat();
  std::size_t i = 0;
  for (; i + 2 <= values.size(); i += 2) {
    const std::uint64_t word = bits.next();
    values[i] = tables.sample_half(static_cast<std::uint32_t>(word), bits);
    values[i + 1] = tables.sample_half(static_cast<std::uint32_t>(word >> 32), bits);
  }
  if (i < values.size()) values[i] = tables.sample_half(static_cast<std::uint32_t>(bits.next()), bits);
}

void uniform_direction(BitSource& bits, std::span<double> direction) {
  SOTTO_CHECK(!direction.empty());
  standard_normals(bits, direction);  // never zero, so neither is the norm
  // Four sums, always the same four: faster than one and equally reproducible.
  double squares[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= direction.size(); i += 4)
    for (std::size_t j = 0; j < 4; ++j) squares[j] += direction[i + j] * direction[i + j];
  for (; i < direction.size(); ++i) squares[0] += direction[i] * direction[i];
  const double scale = 1 / std::sqrt((squares[0] + squares[1]) + (squares[2] + squares[3]));
  for (double& coordinate : direction) coordinate *= scale;
}

double gamma(BitSource& bits, double shape) {
  SOTTO_CHECK(shape >= 1);
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
    if (portable_log(u) < square / 2 + d * (1 - v + portable_log(v))) return d * v;
  }
}

double gamma_radius(BitSource& bits, unsigned dimension, double epsilon) {
  SOTTO_CHECK(epsilon > 0);
  return gamma(bits, dimension) / epsilon;
}

}  // namespace sotto::random

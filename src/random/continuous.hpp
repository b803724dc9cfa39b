// Continuous noise. Everything here is floating point: a mechanism built on it has an analytic guarantee that
// assumes real-valued noise, and no certificate. Uniforms are symmetric about their middle. Only basic
// arithmetic and square roots are used, which IEEE 754 rounds in one way, so the same words give the same
// values on every processor.
#pragma once

#include <span>

#include <sotto/bit_source.hpp>

namespace sotto {

/// Uniform on the odd multiples of 2^-54 in (0, 1): never 0, never 1. One word.
inline double open_uniform(BitSource& bits) {
  return (static_cast<double>(bits.next() >> 11) + 0.5) * 0x1p-53;
}

/// N(0, 1) by Marsaglia and Tsang's ziggurat of 256 layers: exact up to the rounding of doubles, no cut tail
/// (|result| stays below 13.6). One word in 98.8 % of the draws; the layer and the position in it come from
/// different bits of that word (the 32-bit original shares them, which correlates them).
double standard_normal(BitSource& bits);

/// Independent N(0, 1) values, two from a word: for vectors of noise, where the bits cost more than the
/// arithmetic. By the same ziggurat, with 24 bits for the position inside a layer instead of 53, so the
/// values lie on a lattice of at most 4.4e-7; the tail and what is drawn again have full resolution.
void standard_normals(BitSource& bits, std::span<double> values);

/// Uniform on the unit sphere of dimension `direction.size()` >= 1: independent normals, made a unit vector.
/// (Normalised uniforms in a cube would favour its corners.)
void uniform_direction(BitSource& bits, std::span<double> direction);

/// Gamma(shape, 1) for shape >= 1 by Marsaglia and Tsang's squeeze, whose tries succeed with probability
/// above 0.95.
double gamma(BitSource& bits, double shape);

/// The norm of noise with density ∝ exp(−ε·|z|) in `dimension` >= 1 dimensions: Gamma(dimension, 1/ε). A
/// common error draws Gamma(1, 1/ε), which is right in one dimension only.
double gamma_radius(BitSource& bits, unsigned dimension, double epsilon);

}  // namespace sotto

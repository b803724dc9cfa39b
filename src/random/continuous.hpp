// Continuous noise. Everything here is floating point: a mechanism built on it has an analytic guarantee that
// assumes real-valued noise, and no certificate. Uniforms are symmetric about their midpoint. Only basic
// arithmetic and square roots are used, which IEEE 754 rounds in exactly one way, so the same words give the
// same values on every processor.
#pragma once

#include <span>

#include <sotto/bit_source.hpp>

namespace sotto::random {

/// Uniform on the odd multiples of 2^-54 in (0, 1): never 0, never 1. One word.
inline double open_uniform(BitSource& bits) {
  return (static_cast<double>(bits.next() >> 11) + 0.5) * 0x1p-53;
}

/// N(0, 1) by Marsaglia and Tsang's ziggurat with 256 layers: exact up to the rounding of doubles, with the
/// full tail (|result| stays below 13.6). One word in 98.8 % of the draws; the layer and the position in it
/// come from different bits of that word (the 32-bit original shares them, which correlates them).
double standard_normal(BitSource& bits);

/// Independent N(0, 1) values, two per word: for noise vectors, where the bits cost more than the arithmetic.
/// Uses the same ziggurat with 24 bits instead of 53 for the position inside a layer, so the values lie on a
/// lattice with a spacing of at most 4.4e-7; the tail and redrawn values have full resolution.
void standard_normals(BitSource& bits, std::span<double> values);

/// Uniform on the unit sphere of dimension `direction.size()` >= 1: independent normals, normalised.
/// (Normalised uniforms in a cube would favour its corners.)
void uniform_direction(BitSource& bits, std::span<double> direction);

/// Gamma(shape, 1) for shape >= 1 by Marsaglia and Tsang's squeeze, with an acceptance rate above 0.95.
double gamma(BitSource& bits, double shape);

/// The norm of noise with density ∝ exp(−ε·|z|) in `dimension` >= 1 dimensions: Gamma(dimension, 1/ε). A
/// common error is to draw Gamma(1, 1/ε), which is correct only in one dimension.
double gamma_radius(BitSource& bits, unsigned dimension, double epsilon);

}  // namespace sotto::random

// Continuous noise. Everything here is floating point: a mechanism built on it has an analytic guarantee that
// assumes real-valued noise, and no certificate. Uniforms have all 53 bits of a double and are symmetric
// about their middle. Logarithms come from the C library, whose last bit may differ between its versions and
// between processors.
#pragma once

#include <span>

#include <sotto/bit_source.hpp>

namespace sotto {

/// N(0, 1) by Marsaglia's polar method: no trigonometric functions, two words a try, π/4 of the tries
/// succeed. |result| stays below 12.2.
double standard_normal(BitSource& bits);

/// Uniform on the unit sphere of dimension `direction.size()` >= 1: independent normals, made a unit vector.
/// (Normalised uniforms in a cube would favour its corners.) Draws again in the event that all are zero.
void uniform_direction(BitSource& bits, std::span<double> direction);

/// Gamma(shape, 1) for shape >= 1 by Marsaglia and Tsang's squeeze, whose tries succeed with probability
/// above 0.95.
double gamma(BitSource& bits, double shape);

/// The norm of noise with density ∝ exp(−ε·|z|) in `dimension` >= 1 dimensions: Gamma(dimension, 1/ε). A
/// common error draws Gamma(1, 1/ε), which is right in one dimension only.
double gamma_radius(BitSource& bits, unsigned dimension, double epsilon);

}  // namespace sotto

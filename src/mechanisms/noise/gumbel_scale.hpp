// The scale of the truncated Gumbel mechanism's noise.
#pragma once

#include <cstdint>

#include <sotto/result.hpp>

#include "mechanisms/noise/noise.hpp"

namespace sotto::mechanism {

/// Over all pairs of words with different vectors, in the model's units.
struct WordDistances {
  double largest;
  double smallest;
};

/// Examines every pair, exactly. Refuses a model whose vectors are all equal. `threads` 0: all processors.
Result<WordDistances> word_distances(const NoiseSpace& space, unsigned threads);

enum class GumbelCalibration {
  paper,    ///< the scale the published code computes, even where its formula is meaningless
  theorem,  ///< only where the formula is defined
};

/// b = 2Δ / min{W₀(2αΔ), ln(αΔ₀)} with α = ⅓(ε − 2(1 + ln n)/Δ₀) for n words. The formula is defined only for
/// ε > (5 + 2·ln n)/Δ₀. Below that, the published code takes the real part of the complex W₀ and omits the
/// undefined logarithm from the minimum; just below it, its b is not positive and it crashes. That case is
/// refused, as is everything below with calibration=theorem; the message says what is allowed. The result is
/// rounded to 32 bits, so that it does not depend on the last bits of the C library's functions.
Result<double> gumbel_scale(GumbelCalibration calibration, double epsilon, std::uint32_t words,
                            const WordDistances& distances);

/// The real part of the principal branch of the Lambert W function, for any real x.
double real_lambert_w0(double x);

}  // namespace sotto::mechanism

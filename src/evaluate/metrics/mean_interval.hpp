// Means with their spread and confidence intervals. All are pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <sotto/attack.hpp>
#include <sotto/result.hpp>

namespace sotto::evaluate {

struct Spread {
  std::size_t n = 0;
  double mean = 0;
  double standard_deviation = 0;  ///< of the sample (n − 1 in the denominator); NaN for n < 2
};

/// Mean and standard deviation of at least one value.
Spread spread_of(std::span<const double> values);

/// The mean with Student's t interval; for one value, the interval is the whole line. `confidence` lies
/// between 0 and 1.
Result<Estimate> mean_interval(const Spread& spread, double confidence = 0.95);

/// A proportion with Wilson's score interval (without continuity correction). `trials` is at least 1.
Result<Estimate> share_interval(std::uint64_t successes, std::uint64_t trials, double confidence = 0.95);

}  // namespace sotto::evaluate

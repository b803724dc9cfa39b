// Figures with their intervals.
#pragma once

#include <cstdint>

#include <sotto/attack.hpp>

#include "audit/clopper_pearson.hpp"

namespace sotto::audit {

inline Estimate exactly(double value) {
  return {value, value, value};
}

/// A probability from trials, with its Clopper-Pearson interval; without trials nothing is known about it.
inline Estimate share_of_trials(std::uint64_t successes, std::uint64_t trials, double confidence) {
  if (trials == 0) return {0, 0, 1};
  const double alpha = (1 - confidence) / 2;
  return {static_cast<double>(successes) / static_cast<double>(trials), lower_bound(successes, trials, alpha),
          upper_bound(successes, trials, alpha)};
}

}  // namespace sotto::audit

// Exact confidence bounds on a probability.
#pragma once

#include <cstdint>

namespace sotto::audit {

/// Clopper-Pearson bounds from `successes` of `draws` >= 1: the true probability, whatever it is, is below
/// the lower one with probability at most `alpha`, and likewise above the upper one.
double lower_bound(std::uint64_t successes, std::uint64_t draws, double alpha);
double upper_bound(std::uint64_t successes, std::uint64_t draws, double alpha);

}  // namespace sotto::audit

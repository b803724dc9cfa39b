// Exact confidence bounds on a probability.
#pragma once

#include <cstdint>

namespace sotto {

/// Clopper and Pearson's bounds from `successes` of `draws` >= 1: the true probability is below the lower
/// one with probability at most `alpha`, whatever it is; and above the upper one likewise.
double lower_bound(std::uint64_t successes, std::uint64_t draws, double alpha);
double upper_bound(std::uint64_t successes, std::uint64_t draws, double alpha);

}  // namespace sotto

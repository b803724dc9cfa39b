// The exact law of the truncated Gumbel mechanism's choice.
#pragma once

#include <span>
#include <vector>

namespace sotto {

/// `count_probabilities[i]` is P(k = i + 1); the i-th candidate stands at `distances[i]`, ascending, and as
/// many candidates as counts are given. Returns for each candidate the probability that it has the least
/// distance plus noise among the first k, noise ~ Gumbel(0, scale) truncated to [−bound, bound]. By
/// quadrature, to about 1e-12.
std::vector<double> gumbel_choice_law(std::span<const double> distances,
                                      std::span<const double> count_probabilities, double scale,
                                      double bound);

}  // namespace sotto

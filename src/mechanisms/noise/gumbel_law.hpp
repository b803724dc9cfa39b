// The exact distribution of the truncated Gumbel mechanism's choice.
#pragma once

#include <span>
#include <vector>

namespace sotto::mechanism {

/// `count_probabilities[i]` is P(k = i + 1); candidate i is at `distances[i]`, ascending, with as many
/// candidates as counts. Returns for each candidate the probability that it has the smallest distance plus
/// noise among the first k, noise ~ Gumbel(0, scale) truncated to [−bound, bound]. Computed by quadrature, to
/// about 1e-12.
std::vector<double> gumbel_choice_law(std::span<const double> distances,
                                      std::span<const double> count_probabilities, double scale,
                                      double bound);

}  // namespace sotto::mechanism

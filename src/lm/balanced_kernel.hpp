// The sums from which the balanced law is solved, with the widest vector instructions of the processor.
#pragma once

#include <cstddef>

namespace sotto::lm {

/// Array sizes are multiples of this; padding has base 0.
inline constexpr std::size_t kBalancedLanes = 8;

/// Outcomes with scores z, weighed by base · e^(reach · u), u = sigmoid(slope · (z − shift)).
struct BalancedTerms {
  const double* scores = nullptr;
  const double* base = nullptr;
  std::size_t count = 0;  ///< a multiple of kBalancedLanes
  double slope = 0;
  double reach = 0;
};

struct BalancedSum {
  double weights = 0;
  double derivative = 0;  ///< with respect to the shift
};

/// The sum of all weights at a shift. Thread-safe.
BalancedSum balanced_sum(const BalancedTerms& terms, double shift);

/// The weights at a shift, `count` numbers. Thread-safe.
void balanced_weights(const BalancedTerms& terms, double shift, double* out);

}  // namespace sotto::lm

// The sums that the balanced law is solved by, with the widest instructions of the processor.
#pragma once

#include <cstddef>

namespace sotto {

/// Arrays have a multiple of this many numbers; what fills them up has base 0.
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
  double derivative = 0;  ///< by the shift
};

/// The sum of all weights for a shift. Thread-safe.
BalancedSum balanced_sum(const BalancedTerms& terms, double shift);

/// The weights for a shift, `count` numbers. Thread-safe.
void balanced_weights(const BalancedTerms& terms, double shift, double* out);

}  // namespace sotto

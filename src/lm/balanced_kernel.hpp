// The sums from which the balanced law is solved, with the widest vector instructions of the processor; the
// same bits with all of them.
#pragma once

#include <cstddef>

namespace sotto::lm {

/// Array sizes are multiples of this; padding has base 0. Sums are made in this many parts, whatever the
/// width of a register is.
inline constexpr std::size_t kBalancedLanes = 8;

/// Outcomes with scores z, weighed by base · e^(reach · u − log_total), u = sigmoid(slope · (z − shift)).
struct BalancedTerms {
  const double* scores = nullptr;
  const double* base = nullptr;
  std::size_t count = 0;  ///< a multiple of kBalancedLanes
  double slope = 0;
  double reach = 0;
  double log_total = 0;
};

/// The sum of the weights at a shift, and its derivatives with respect to the shift.
struct BalancedSum {
  double weights = 0;
  double first = 0;
  double second = 0;
};

struct ScoreRange {
  double least = 0;
  double most = 0;
};

/// The range of `count` numbers, a multiple of kBalancedLanes above 0. Thread-safe.
ScoreRange range_of(const double* scores, std::size_t count);

/// Thread-safe.
BalancedSum balanced_sum(const BalancedTerms& terms, double shift);

/// The same, and writes `count` weights and their u. Thread-safe.
BalancedSum balanced_weights(const BalancedTerms& terms, double shift, double* weights, double* shares);

/// Moves weights written at a shift to shift + step, to the second order. Thread-safe.
void move_balanced_weights(const BalancedTerms& terms, double step, const double* shares, double* weights);

}  // namespace sotto::lm

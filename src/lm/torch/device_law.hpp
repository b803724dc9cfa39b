// The balanced law (lm/balanced_law.hpp) for many draws at once, in operations on tensors, wherever those
// are.
#pragma once

#include <ATen/ATen.h>

#include "lm/language_model.hpp"

namespace sotto::lm {

/// The guarantee is that of BalancedLaw and rests on the same two facts, which hold in 64-bit integers
/// whatever the solver's floats are: every weight is clamped to its public [low, high], and what is then
/// missing or left over is moved, within that room, until the weights of each draw add up to exactly the
/// public total. No sum overflows: sums that could are made in two halves.
///
/// Unlike BalancedLaw it computes every outcome, none counts as −∞, and its floats have 32 bits. What happens
/// to one row never depends on the other rows.
///
/// Immutable. Throws Failure.
class DeviceLaw {
 public:
  DeviceLaw(const PublicLaw& law, at::Device device);

  /// The weights of draws, [n, outcomes], from scores of this shape, which are overwritten, and a factor of
  /// each row, [n, 1]. NaN is an error.
  at::Tensor weights(const at::Tensor& scores, const at::Tensor& factors) const;

  /// The outcomes at these points, [n, 1], each from 0 to below the total.
  at::Tensor outcomes(const at::Tensor& weights, const at::Tensor& points) const;

 private:
  at::Tensor solve(const at::Tensor& scores) const;
  at::Tensor keep_bounds(const at::Tensor& weights) const;
  at::Tensor keep_total(const at::Tensor& weights) const;

  at::Tensor low_;
  at::Tensor high_;
  at::Tensor log_base_;  // less log_total
  std::int64_t total_;
  double reach_;
  double slope_;
  double offset_;  // of all scores equal, the solution is this far below them
  double gap_;
};

}  // namespace sotto::lm

// Tails and quantiles of the distributions that tests and intervals use. Boost computes them; its headers are
// the slowest to compile of all, so one source includes them.
#pragma once

namespace sotto::audit {

/// The z with P(Z > z) = tail for a standard normal Z.
double normal_quantile(double tail);

/// P(T > t) for Student's t.
double student_tail(double t, double degrees_of_freedom);

/// The t with P(T > t) = tail.
double student_quantile(double tail, double degrees_of_freedom);

/// The x with P(B ≤ x) = probability, B beta-distributed.
double beta_quantile(double a, double b, double probability);

/// The x with P(B > x) = tail. More exact than beta_quantile(a, b, 1 − tail).
double beta_tail_quantile(double a, double b, double tail);

}  // namespace sotto::audit

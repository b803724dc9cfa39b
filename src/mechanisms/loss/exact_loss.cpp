#include "mechanisms/loss/exact_loss.hpp"

#include <algorithm>
#include <cmath>

#include "random/mpfr_real.hpp"

namespace sotto::mechanism {
namespace {

/// a/b, rounded in the given direction; a and b are exact.
void quotient(random::MpfrReal& out, std::uint64_t a, std::uint64_t b, mpfr_rnd_t rounding) {
  random::MpfrReal divisor(kLossPrecision);
  mpfr_set_uj(out, a, MPFR_RNDN);
  mpfr_set_uj(divisor, b, MPFR_RNDN);
  mpfr_div(out, out, divisor, rounding);
}

/// ln(Σ weight/total ÷ Σ other_weight/other_total) ± kDrawSlack, every step rounded in the given direction.
void log_ratio(random::MpfrReal& out, std::span<const LossFraction> parts, mpfr_rnd_t rounding) {
  const mpfr_rnd_t opposite = rounding == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU;
  random::MpfrReal part(kLossPrecision);
  random::MpfrReal denominator(kLossPrecision);
  mpfr_set_zero(out, 1);
  mpfr_set_zero(denominator, 1);
  for (const LossFraction& fraction : parts) {
    quotient(part, fraction.weight, fraction.total, rounding);
    mpfr_add(out, out, part, rounding);
    quotient(part, fraction.other_weight, fraction.other_total, opposite);
    mpfr_add(denominator, denominator, part, opposite);
  }
  mpfr_div(out, out, denominator, rounding);
  mpfr_log(out, out, rounding);
  mpfr_add_d(out, out, rounding == MPFR_RNDU ? kDrawSlack : -kDrawSlack, rounding);
}

/// The distance, rounded in the given direction.
void set_distance(random::MpfrReal& out, const ExactDistance& distance, mpfr_rnd_t rounding) {
  mpfr_set_sj(out, distance.squared, MPFR_RNDN);
  mpfr_sqrt(out, out, rounding);
  mpfr_mul_d(out, out, distance.scale, rounding);
  if (mpfr_cmp_d(out, distance.limit) > 0) mpfr_set_d(out, distance.limit, MPFR_RNDN);
}

/// Dividing by a greater distance makes a positive loss smaller and a negative one greater.
double divide(random::MpfrReal& loss, const ExactDistance& distance, mpfr_rnd_t rounding) {
  const bool wants_large = (rounding == MPFR_RNDD) == (mpfr_sgn(static_cast<mpfr_ptr>(loss)) >= 0);
  random::MpfrReal divisor(kLossPrecision);
  set_distance(divisor, distance, wants_large ? MPFR_RNDU : MPFR_RNDD);
  mpfr_div(loss, loss, divisor, rounding);
  return mpfr_get_d(loss, rounding);
}

}  // namespace

double ExactDistance::value() const {
  return std::min(scale * std::sqrt(static_cast<double>(squared)), limit);
}

Bounds loss_bounds(const LossFraction& fraction) {
  const random::MpfrCleanup cleanup;
  random::MpfrReal loss(kLossPrecision);
  Bounds bounds;
  log_ratio(loss, {&fraction, 1}, MPFR_RNDD);
  bounds.lower = mpfr_get_d(loss, MPFR_RNDD);
  log_ratio(loss, {&fraction, 1}, MPFR_RNDU);
  bounds.upper = mpfr_get_d(loss, MPFR_RNDU);
  return bounds;
}

Bounds loss_per_distance(const LossFraction& fraction, const ExactDistance& distance) {
  return mixture_loss_per_distance({&fraction, 1}, distance);
}

Bounds mixture_loss_per_distance(std::span<const LossFraction> parts, const ExactDistance& distance) {
  const random::MpfrCleanup cleanup;
  random::MpfrReal loss(kLossPrecision);
  Bounds bounds;
  log_ratio(loss, parts, MPFR_RNDD);
  bounds.lower = divide(loss, distance, MPFR_RNDD);
  log_ratio(loss, parts, MPFR_RNDU);
  bounds.upper = divide(loss, distance, MPFR_RNDU);
  return bounds;
}

WorstOutputs worst_outputs(std::span<const std::uint64_t> row, std::span<const std::uint64_t> other) {
  WorstOutputs worst;
  for (std::size_t y = 1; y < row.size(); ++y) {
    if (less(row[worst.forward], other[worst.forward], row[y], other[y])) worst.forward = y;
    if (less(other[worst.backward], row[worst.backward], other[y], row[y])) worst.backward = y;
  }
  return worst;
}

}  // namespace sotto::mechanism

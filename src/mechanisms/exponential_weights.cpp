#include "mechanisms/exponential_weights.hpp"

#include <algorithm>
#include <bit>

#include "base/check.hpp"
#include "mechanisms/mpfr_real.hpp"

namespace sotto {
namespace {

/// 2^bits·exp(−½·ε·loss), rounded up, at least kSmallestWeight; overwrites `loss`.
std::uint64_t ceiling_weight(double epsilon, MpfrReal& loss, int bits) {
  mpfr_mul_d(loss, loss, -epsilon, MPFR_RNDU);
  mpfr_div_2ui(loss, loss, 1, MPFR_RNDU);
  mpfr_exp(loss, loss, MPFR_RNDU);
  mpfr_mul_2si(loss, loss, bits, MPFR_RNDU);
  return std::max<std::uint64_t>(kSmallestWeight, mpfr_get_uj(loss, MPFR_RNDU));
}

/// 2^bits·x, rounded down.
std::uint64_t floor_bits(MpfrReal& scratch, mpfr_ptr x, int bits) {
  mpfr_mul_2si(scratch, x, bits, MPFR_RNDD);
  return mpfr_get_uj(scratch, MPFR_RNDD);
}

}  // namespace

int weight_bits(std::uint64_t items) {
  SOTTO_CHECK(items >= 1 && items <= std::uint64_t{1} << 32);
  return 62 - static_cast<int>(std::bit_width(items - 1));
}

std::uint64_t weight_of_loss(double epsilon, double loss, int bits) {
  SOTTO_CHECK(loss >= 0 && loss <= 1);
  MpfrReal exponent;
  mpfr_set_d(exponent, loss, MPFR_RNDN);
  return ceiling_weight(epsilon, exponent, bits);
}

void weights_of_roots(double epsilon, std::span<const std::int64_t> squares, std::int64_t largest, int bits,
                      std::span<std::uint64_t> out) {
  const MpfrCleanup cleanup;
  MpfrReal loss(96);  // there are many of these, and 96 bits are enough for 62
  for (std::size_t i = 0; i < squares.size(); ++i) {
    SOTTO_CHECK(squares[i] >= 0 && squares[i] <= largest);
    mpfr_set_sj(loss, squares[i], MPFR_RNDN);
    mpfr_div_ui(loss, loss, static_cast<unsigned long>(largest), MPFR_RNDD);
    mpfr_sqrt(loss, loss, MPFR_RNDD);
    out[i] = ceiling_weight(epsilon, loss, bits);
  }
}

IndexWeights index_weights(double epsilon, double gamma, std::uint64_t longest, int bits) {
  SOTTO_CHECK(gamma >= 0);
  const MpfrCleanup cleanup;
  MpfrReal scratch;
  MpfrReal power;
  mpfr_set_d(power, gamma, MPFR_RNDN);
  mpfr_mul_d(power, power, epsilon, MPFR_RNDN);
  mpfr_div_2ui(power, power, 1, MPFR_RNDN);
  mpfr_neg(power, power, MPFR_RNDN);
  mpfr_exp(power, power, MPFR_RNDD);
  IndexWeights weights;
  weights.far = std::max(kSmallestWeight, floor_bits(scratch, power, bits));

  MpfrReal step;
  mpfr_set_d(step, -epsilon, MPFR_RNDN);
  mpfr_div_2ui(step, step, 1, MPFR_RNDN);
  mpfr_exp(step, step, MPFR_RNDD);
  mpfr_set_ui(power, 1, MPFR_RNDN);
  for (std::uint64_t d = 0; d < longest && static_cast<double>(d) < gamma; ++d) {
    const std::uint64_t weight = floor_bits(scratch, power, bits);
    if (weight <= weights.far) break;
    weights.near.push_back(weight);
    mpfr_mul(power, power, step, MPFR_RNDD);
  }
  return weights;
}

double truncation_distance(double epsilon, double beta, std::uint64_t items) {
  SOTTO_CHECK(beta > 0 && beta < 1 && items >= 1);
  if (items == 1) return 0;
  const MpfrCleanup cleanup;
  MpfrReal value;
  mpfr_set_d(value, beta, MPFR_RNDN);
  mpfr_ui_sub(value, 1, value, MPFR_RNDN);
  mpfr_mul_ui(value, value, static_cast<unsigned long>(items - 1), MPFR_RNDN);
  mpfr_div_d(value, value, beta, MPFR_RNDN);
  mpfr_log(value, value, MPFR_RNDN);
  mpfr_mul_2ui(value, value, 1, MPFR_RNDN);
  mpfr_div_d(value, value, epsilon, MPFR_RNDN);
  return std::max(0.0, mpfr_get_d(value, MPFR_RNDN));
}

}  // namespace sotto

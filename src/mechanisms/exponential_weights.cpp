#include "mechanisms/exponential_weights.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.hpp"
#include "random/mpfr_real.hpp"

namespace sotto::mechanism {
namespace {

/// exp(−½·ε·x)·(1 + kDrawMargin), rounded up; overwrites `x`, uses `scratch`.
void exponential_with_margin(double epsilon, random::MpfrReal& x, random::MpfrReal& scratch) {
  mpfr_mul_d(x, x, -epsilon, MPFR_RNDU);
  mpfr_div_2ui(x, x, 1, MPFR_RNDU);
  mpfr_exp(x, x, MPFR_RNDU);
  mpfr_mul_d(scratch, x, kDrawMargin, MPFR_RNDU);
  mpfr_add(x, x, scratch, MPFR_RNDU);
}

/// See weight_of_loss(); overwrites `loss`, uses `scratch`.
std::uint64_t ceiling_weight(double epsilon, random::MpfrReal& loss, random::MpfrReal& scratch, int bits) {
  exponential_with_margin(epsilon, loss, scratch);
  mpfr_mul_2si(loss, loss, bits, MPFR_RNDU);
  return std::clamp<std::uint64_t>(mpfr_get_uj(loss, MPFR_RNDU), kSmallestWeight, std::uint64_t{1} << bits);
}

}  // namespace

int weight_bits(std::uint64_t items) {
  SOTTO_CHECK(items >= 1 && items <= std::uint64_t{1} << 32);
  return 62 - static_cast<int>(std::bit_width(items - 1));
}

std::uint64_t weight_of_loss(double epsilon, double loss, int bits) {
  SOTTO_CHECK(loss >= 0 && loss <= 1);
  random::MpfrReal exponent;
  random::MpfrReal scratch;
  mpfr_set_d(exponent, loss, MPFR_RNDN);
  return ceiling_weight(epsilon, exponent, scratch, bits);
}

void weights_of_roots(double epsilon, std::span<const std::int64_t> squares, std::int64_t largest, int bits,
                      std::span<std::uint64_t> out) {
  const random::MpfrCleanup cleanup;
  random::MpfrReal loss(96);  // there are many of these, and 96 bits suffice for 62 and the margin
  random::MpfrReal scratch(96);
  for (std::size_t i = 0; i < squares.size(); ++i) {
    SOTTO_CHECK(squares[i] >= 0 && squares[i] <= largest);
    mpfr_set_sj(loss, squares[i], MPFR_RNDN);
    mpfr_div_ui(loss, loss, static_cast<unsigned long>(largest), MPFR_RNDD);
    mpfr_sqrt(loss, loss, MPFR_RNDD);
    out[i] = ceiling_weight(epsilon, loss, scratch, bits);
  }
}

IndexWeights index_weights(double epsilon, double gamma, std::uint64_t longest, int bits) {
  SOTTO_CHECK(gamma >= 0);
  const random::MpfrCleanup cleanup;
  random::MpfrReal step;
  random::MpfrReal product;
  mpfr_set_ui(step, 1, MPFR_RNDN);
  exponential_with_margin(epsilon, step, product);
  IndexWeights weights{{}, std::uint64_t{1} << bits};
  for (std::uint64_t d = 0; d < longest && static_cast<double>(d) < gamma; ++d) {
    if (const double rest = gamma - static_cast<double>(d); rest < 1) {
      mpfr_set_d(step, rest, MPFR_RNDN);
      exponential_with_margin(epsilon, step, product);
    }
    mpfr_set_uj(product, weights.far, MPFR_RNDN);
    mpfr_mul(product, product, step, MPFR_RNDU);
    const std::uint64_t next = std::max<std::uint64_t>(kSmallestWeight, mpfr_get_uj(product, MPFR_RNDU));
    if (next >= weights.far) break;  // as at all greater distances
    weights.near.push_back(std::exchange(weights.far, next));
  }
  return weights;
}

double truncation_distance(double epsilon, double beta, std::uint64_t items) {
  SOTTO_CHECK(beta > 0 && beta < 1 && items >= 1);
  if (items == 1) return 0;
  const random::MpfrCleanup cleanup;
  random::MpfrReal value;
  mpfr_set_d(value, beta, MPFR_RNDN);
  mpfr_ui_sub(value, 1, value, MPFR_RNDN);
  mpfr_mul_ui(value, value, static_cast<unsigned long>(items - 1), MPFR_RNDN);
  mpfr_div_d(value, value, beta, MPFR_RNDN);
  mpfr_log(value, value, MPFR_RNDN);
  mpfr_mul_2ui(value, value, 1, MPFR_RNDN);
  mpfr_div_d(value, value, epsilon, MPFR_RNDN);
  return std::max(0.0, mpfr_get_d(value, MPFR_RNDN));
}

}  // namespace sotto::mechanism

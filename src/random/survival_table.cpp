#include "random/survival_table.hpp"

#include <cmath>

#include "base/check.hpp"
#include "random/mpfr_real.hpp"

namespace sotto::random {
namespace {

/// A real number known to lie in [low, high].
struct Interval {
  explicit Interval(mpfr_prec_t precision) : low(precision), high(precision) {}
  MpfrReal low;
  MpfrReal high;
};

/// exp(−rate·factor).
void exp_of_minus(Interval& result, double rate, std::uint64_t factor) {
  MpfrReal exponent(128);  // exact: 53 bits times 64 bits
  mpfr_set_uj(exponent, factor, MPFR_RNDN);
  mpfr_mul_d(exponent, exponent, -rate, MPFR_RNDN);
  mpfr_exp(result.low, exponent, MPFR_RNDD);
  mpfr_exp(result.high, exponent, MPFR_RNDU);
}

/// S(m) of a distribution from bounds on q^(m+1), rounded outward.
class SurvivalBounds {
 public:
  SurvivalBounds(GeometricLaw law, mpfr_prec_t precision)
      : law_(law), cut_(precision), divisor_(precision), survival_(precision) {
    if (law.shape == GeometricLaw::Shape::magnitude) {
      exp_of_minus(divisor_, law.rate, 1);
      mpfr_add_ui(divisor_.low, divisor_.low, 1, MPFR_RNDD);
      mpfr_add_ui(divisor_.high, divisor_.high, 1, MPFR_RNDU);
    } else if (law.shape == GeometricLaw::Shape::digit) {
      exp_of_minus(cut_, law.rate, GeometricLaw::kBase);
      mpfr_ui_sub(divisor_.low, 1, cut_.high, MPFR_RNDD);
      mpfr_ui_sub(divisor_.high, 1, cut_.low, MPFR_RNDU);
    }
  }

  /// The result belongs to this object and is overwritten by the next call.
  const Interval& from_power(const Interval& power) {
    switch (law_.shape) {
      case GeometricLaw::Shape::magnitude:
        mpfr_mul_2ui(survival_.low, power.low, 1, MPFR_RNDD);
        mpfr_mul_2ui(survival_.high, power.high, 1, MPFR_RNDU);
        divide();
        break;
      case GeometricLaw::Shape::one_sided:
        mpfr_set(survival_.low, power.low, MPFR_RNDD);
        mpfr_set(survival_.high, power.high, MPFR_RNDU);
        break;
      case GeometricLaw::Shape::digit:
        mpfr_sub(survival_.low, power.low, cut_.high, MPFR_RNDD);
        mpfr_sub(survival_.high, power.high, cut_.low, MPFR_RNDU);
        divide();
        break;
    }
    return survival_;
  }

 private:
  // Both are positive: S(m) is requested only where it is, and a lower bound below 0 proves no threshold.
  void divide() {
    mpfr_div(survival_.low, survival_.low, divisor_.high, MPFR_RNDD);
    mpfr_div(survival_.high, survival_.high, divisor_.low, MPFR_RNDU);
  }

  GeometricLaw law_;
  Interval cut_;      ///< q^kBase, for a digit
  Interval divisor_;  ///< the divisor in S(m)
  Interval survival_;
};

/// Sets `result` to floor(2^bits·x) and returns true if both bounds of x agree on it.
bool floor_of_bits(MpfrReal& result, const Interval& x, unsigned long bits) {
  Interval scaled(mpfr_get_prec(x.low));
  mpfr_mul_2ui(scaled.low, x.low, bits, MPFR_RNDD);
  mpfr_mul_2ui(scaled.high, x.high, bits, MPFR_RNDU);
  mpfr_floor(scaled.low, scaled.low);
  mpfr_floor(scaled.high, scaled.high);
  if (mpfr_equal_p(scaled.low, scaled.high) == 0) return false;
  mpfr_set_prec(result, mpfr_get_prec(x.low));
  mpfr_set(result, scaled.low, MPFR_RNDN);
  return true;
}

/// Sets `result` to the first `bits` bits of S(m), as an integer, at whatever precision this takes.
void floor_of_survival(MpfrReal& result, GeometricLaw law, std::uint64_t m, unsigned long bits) {
  for (auto precision = static_cast<mpfr_prec_t>(bits + 64);; precision *= 2) {
    Interval power(precision);
    exp_of_minus(power, law.rate, m + 1);
    SurvivalBounds bounds(law, precision);
    if (floor_of_bits(result, bounds.from_power(power), bits)) return;
  }
}

}  // namespace

SurvivalTable::SurvivalTable(GeometricLaw law) : law_(law) {
  SOTTO_CHECK(std::isfinite(law.rate) && law.rate > 0);
  SOTTO_CHECK(law.shape == GeometricLaw::Shape::digit || law.rate >= 1.0 / 32);
  const MpfrCleanup cleanup;
  compute_thresholds();
  compute_guide();
}

void SurvivalTable::compute_thresholds() {
  // 63 bits are wanted; the rest covers the errors of up to 1,500 products and the cancellation in a digit
  // with a small rate, so that floor_of_survival is almost never needed.
  constexpr mpfr_prec_t kPrecision = 192;
  Interval q(kPrecision);
  exp_of_minus(q, law_.rate, 1);
  Interval power(kPrecision);
  mpfr_set_ui(power.low, 1, MPFR_RNDN);
  mpfr_set_ui(power.high, 1, MPFR_RNDN);
  SurvivalBounds bounds(law_, kPrecision);
  MpfrReal threshold(kPrecision);
  const bool is_digit = law_.shape == GeometricLaw::Shape::digit;
  do {
    if (is_digit && thresholds_.size() == GeometricLaw::kBase - 1) {
      thresholds_.push_back(0);  // S(kBase − 1) is 0, not merely small
      return;
    }
    mpfr_mul(power.low, power.low, q.low, MPFR_RNDD);
    mpfr_mul(power.high, power.high, q.high, MPFR_RNDU);
    if (!floor_of_bits(threshold, bounds.from_power(power), kBits))
      floor_of_survival(threshold, law_, thresholds_.size(), kBits);
    thresholds_.push_back(mpfr_get_uj(threshold, MPFR_RNDN));
  } while (thresholds_.back() != 0);
}

void SurvivalTable::compute_guide() {
  std::uint16_t m = 0;
  for (std::size_t cell = guide_.size(); cell-- > 0;) {
    const std::uint64_t largest = ((std::uint64_t{cell} + 1) << kGuideShift) - 1;
    while (thresholds_[m] > largest) ++m;
    guide_[cell] = m;
  }
}

std::uint64_t SurvivalTable::resolve(std::uint64_t v, std::uint64_t m, BitSource& bits) const {
  const MpfrCleanup cleanup;
  unsigned long known_bits = kBits;
  MpfrReal known(64);
  MpfrReal threshold(64);
  mpfr_set_uj(known, v, MPFR_RNDN);
  for (;;) {
    if (law_.shape == GeometricLaw::Shape::digit && m == GeometricLaw::kBase - 1) return m;
    floor_of_survival(threshold, law_, m, known_bits);
    const int order = mpfr_cmp(known, threshold);
    if (order > 0) return m;
    if (order < 0) {
      ++m;
      continue;
    }
    known_bits += 64;
    mpfr_prec_round(known, static_cast<mpfr_prec_t>(known_bits), MPFR_RNDN);
    mpfr_mul_2ui(known, known, 64, MPFR_RNDN);
    MpfrReal word(64);
    mpfr_set_uj(word, bits.next(), MPFR_RNDN);
    mpfr_add(known, known, word, MPFR_RNDN);
  }
}

}  // namespace sotto::random

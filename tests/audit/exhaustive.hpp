// The largest loss by brute force: every ordered pair of inputs, every output, probabilities as rational
// numbers (GMP), logarithms and distances rounded both ways (MPFR). Shares no arithmetic with the certifier,
// only the integer weights.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include <gmpxx.h>

#include <sotto/model.hpp>

#include "random/mpfr_real.hpp"

namespace sotto::testing {

/// A number with error bounds.
struct Enclosed {
  double low = 0;
  double high = 0;
};

/// More than enough for doubles that are compared with the certifier's.
constexpr mpfr_prec_t kReferenceBits = 300;

inline double log_of(const mpq_class& fraction, mpfr_rnd_t rounding) {
  random::MpfrReal value(kReferenceBits);
  mpfr_set_q(value, fraction.get_mpq_t(), rounding);
  mpfr_log(value, value, rounding);
  return mpfr_get_d(value, rounding);
}

/// min(scale·√squared, limit).
struct MetricDistance {
  double scale = 1;
  std::int64_t squared = 1;
  double limit = 1e300;

  double rounded(mpfr_rnd_t rounding) const {
    random::MpfrReal value(kReferenceBits);
    mpfr_set_sj(value, squared, MPFR_RNDN);
    mpfr_sqrt(value, value, rounding);
    mpfr_mul_d(value, value, scale, rounding);
    return std::min(mpfr_get_d(value, rounding), limit);
  }
};

/// The probabilities of all outputs for one input.
using ExactRow = std::vector<mpq_class>;

inline ExactRow exact_row(const std::vector<std::uint64_t>& weights) {
  mpz_class total = 0;
  for (const std::uint64_t weight : weights) total += mpz_class(static_cast<unsigned long>(weight));
  ExactRow row;
  for (const std::uint64_t weight : weights) {
    row.emplace_back(mpz_class(static_cast<unsigned long>(weight)), total);
    row.back().canonicalize();
  }
  return row;
}

/// The largest ln(P(y|x)/P(y|x′))/d(x, x′). Where d is 0 the rows must be equal; otherwise the loss is
/// infinite.
inline Enclosed exhaustive_loss(const std::vector<ExactRow>& rows,
                                const std::function<MetricDistance(std::size_t, std::size_t)>& distance) {
  Enclosed worst;
  for (std::size_t x = 0; x < rows.size(); ++x) {
    for (std::size_t other = 0; other < rows.size(); ++other) {
      if (x == other) continue;
      mpq_class ratio = 1;
      for (std::size_t y = 0; y < rows[x].size(); ++y)
        ratio = std::max(ratio, mpq_class(rows[x][y] / rows[other][y]));
      const MetricDistance apart = distance(x, other);
      if (ratio == 1) continue;
      worst.low = std::max(worst.low, log_of(ratio, MPFR_RNDD) / apart.rounded(MPFR_RNDU));
      worst.high = std::max(worst.high, log_of(ratio, MPFR_RNDU) / apart.rounded(MPFR_RNDD));
    }
  }
  return worst;
}

}  // namespace sotto::testing

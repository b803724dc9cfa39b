// Exact inversion of geometric distributions, used by TwoSidedGeometric.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <sotto/bit_source.hpp>

namespace sotto::random {

/// A distribution on {0, 1, 2, …}; q = exp(−rate) for exactly the double `rate`. S(m) = P(X > m) is its
/// survival function.
struct GeometricLaw {
  enum class Shape {
    magnitude,  ///< |K| of the two-sided geometric: S(m) = 2·q^(m+1) / (1 + q)
    one_sided,  ///< P(X = m) ∝ q^m: S(m) = q^(m+1)
    digit,      ///< P(X = m) ∝ q^m for m < kBase: S(m) = (q^(m+1) − q^kBase) / (1 − q^kBase)
  };
  static constexpr std::uint64_t kBase = 1024;

  Shape shape;
  double rate;
};

/// Samples a GeometricLaw exactly. With V uniform on [0, 1), X is the smallest m with V >= S(m). The table
/// holds the first 63 bits of each S(m), each proved by a lower and an upper bound, until they are all zero;
/// 63 bits of V decide unless they equal the 63 bits of S(m). Only then are further words of V drawn and
/// compared with further bits of S(m), computed on demand. This terminates with probability 1, because S(m)
/// is a rational function of the transcendental number q and so has no finite binary expansion.
///
/// Immutable, so safe to share between threads.
class SurvivalTable {
 public:
  /// The rate must be at least 1/32 for `magnitude` and `one_sided`, whose tables have about 45/rate entries.
  explicit SurvivalTable(GeometricLaw law);

  /// X for a V whose first 63 bits are `v` < 2^63; draws further bits from `bits` if needed, with a
  /// probability of about 2^-63 per entry.
  std::uint64_t sample(std::uint64_t v, BitSource& bits) const {
    std::uint64_t m = guide_[v >> kGuideShift];
    m += v < thresholds_[m];  // without a branch: a guide cell rarely has more than one boundary
    while (v < thresholds_[m]) ++m;
    if (v == thresholds_[m]) [[unlikely]]
      return resolve(v, m, bits);
    return m;
  }

 private:
  static constexpr int kBits = 63;
  static constexpr int kGuideBits = 10;
  static constexpr int kGuideShift = kBits - kGuideBits;

  void compute_thresholds();
  void compute_guide();
  std::uint64_t resolve(std::uint64_t v, std::uint64_t m, BitSource& bits) const;

  GeometricLaw law_;
  std::vector<std::uint64_t> thresholds_;  ///< floor(2^63·S(m)), decreasing; only the last is 0
  /// X for the largest v of each cell, where the search starts.
  std::array<std::uint16_t, std::size_t{1} << kGuideBits> guide_{};
};

}  // namespace sotto::random

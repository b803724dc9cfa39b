// The two-sided geometric distribution: integer noise for a pure metric guarantee on indices.
#pragma once

#include <cstdint>
#include <vector>

#include <sotto/bit_source.hpp>

#include "random/survival_table.hpp"

namespace sotto::random {

/// P(K = k) = (1 − q)/(1 + q)·q^|k| with q = exp(−ε), also known as the discrete Laplace distribution.
/// Sampling is exact for the given double ε: the logarithm of a floating-point uniform has gaps and repeats
/// that reveal the input through the low bits (Mironov, 2012), and its tail ends where 53 bits end, so that
/// some outputs would be impossible for some inputs.
///
/// Method. For ε >= 1/32, a word gives the sign (lowest bit) and 63 bits that select |K| in an exact table.
/// For smaller ε a table would be too long, and |K| comes from a one-sided geometric G, whose base-1024
/// digits are independent: each digit i but the last is geometric with rate ε·1024^i truncated at 1024, and
/// the last one is geometric with a rate >= 1/32. Each digit, lowest first, takes a word, the last word also
/// gives the sign, and (0, minus) starts over, because zero has only one sign. See SurvivalTable for the rare
/// additional words.
///
/// Immutable, so safe to share between threads.
class TwoSidedGeometric {
 public:
  /// ε from 1e-9 to 1e6 (see check_epsilon).
  explicit TwoSidedGeometric(double epsilon);

  double epsilon() const { return epsilon_; }

  /// Draws K. Results beyond ±2^62 are clamped; for every allowed ε their probability is below 10^-(10^9).
  std::int64_t sample(BitSource& bits) const {
    if (!low_digits_.empty()) [[unlikely]]
      return sample_by_digits(bits);
    const std::uint64_t word = bits.next();
    return with_sign(table_.sample(word >> 1, bits), word & 1);
  }

  /// P(K = k) and P(K >= k), in floating point to a few units in the last place (of ε·k), for closed forms.
  double probability(std::int64_t k) const;
  double tail(std::int64_t k) const;

 private:
  static std::int64_t with_sign(std::uint64_t magnitude, std::uint64_t negative) {
    return static_cast<std::int64_t>((magnitude ^ (0 - negative)) + negative);
  }

  std::int64_t sample_by_digits(BitSource& bits) const;

  double epsilon_;
  double peak_;                            ///< P(K = 0)
  std::vector<SurvivalTable> low_digits_;  ///< empty for ε >= 1/32
  SurvivalTable table_;                    ///< of |K|, or of the highest digit
};

}  // namespace sotto::random

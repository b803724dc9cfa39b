// Uniform integers, exact coins and random digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <sotto/bit_source.hpp>

#include "base/check.hpp"

namespace sotto::random {

/// Uniform on {0, …, bound − 1}, bound >= 1. Lemire's multiplication with rejection is exact, whereas `word %
/// bound` favours small values and scaling a double cannot reach all values. Draws one word, plus one per
/// rejection, which has probability (2^64 mod bound) / 2^64: below 1/2, and negligible for a bound well below
/// 2^64.
inline std::uint64_t uniform_below(BitSource& bits, std::uint64_t bound) {
  SOTTO_CHECK(bound >= 1);
  using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(bits.next()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) [[unlikely]] {
    // The division is needed only here: the smallest low halves, 2^64 mod bound of them, are surplus.
    const std::uint64_t surplus = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < surplus) product = static_cast<Wide>(bits.next()) * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

/// Several independent uniform integers below a small bound from each word. Repeatedly multiplying the word
/// by the bound yields one value at a time; the last low half decides about rejection as in uniform_below
/// with bound^per_word() as the bound, so the values are exactly uniform and independent.
class UniformBatch {
 public:
  static constexpr std::size_t kMostPerWord = 48;

  /// bound from 1 to 2^48.
  explicit UniformBatch(std::uint64_t bound);

  /// The number of values draw() yields.
  std::size_t per_word() const { return per_word_; }

  /// Writes per_word() values. Draws one word, plus another with probability below 2^-16; none for bound 1.
  void draw(BitSource& bits, std::span<std::uint64_t, kMostPerWord> values) const;

 private:
  std::uint64_t bound_;
  std::size_t per_word_;
  std::uint64_t surplus_;  // 2^64 mod bound^per_word
};

/// True with probability exactly numerator / denominator; numerator <= denominator, denominator >= 1. A
/// floating-point probability would be rounded, so a certificate about the fraction would not hold.
inline bool bernoulli(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator) {
  SOTTO_CHECK(numerator <= denominator);
  return uniform_below(bits, denominator) < numerator;
}

/// Fills `digits` with independent uniform characters '0' to '9', including leading zeros: the result has
/// only its length in common with the number it replaces. Exact; one word per 18 digits or fewer (19 would
/// fit into a word, but nearly half of the words would be rejected).
void uniform_digits(BitSource& bits, std::span<char> digits);

}  // namespace sotto::random

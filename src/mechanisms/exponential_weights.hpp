// Integer weights of exponential mechanisms, and inversion with a fixed number of words. The few exponentials
// a mechanism needs are computed with MPFR, which rounds correctly, so tables are the same on every
// processor. (weights.hpp is for weights by the million.) As there, exponents are cut so that no weight falls
// below kSmallestWeight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <sotto/bit_source.hpp>

#include "mechanisms/weights.hpp"

namespace sotto {

/// k such that `items` (at least 1, at most 2^32) weights of at most 2^k add up to at most 2^62.
int weight_bits(std::uint64_t items);

/// ⌈2^bits·exp(−½·ε·loss)⌉ for a loss in [0, 1], at least kSmallestWeight. All weights of all rows then lie
/// in [w, 2^bits] with 2^bits / w <= exp(½ε) exactly, rounding included; so a ratio of probabilities, being a
/// ratio of weights times a ratio of totals, is at most exp(ε).
std::uint64_t weight_of_loss(double epsilon, double loss, int bits);

/// The same for the losses √(squares[i] / largest), 0 <= squares[i] <= largest, largest > 0.
void weights_of_roots(double epsilon, std::span<const std::int64_t> squares, std::int64_t largest, int bits,
                      std::span<std::uint64_t> out);

/// The weights ⌊2^bits·exp(−½·ε·min(d, γ))⌋ for the integers d, at least kSmallestWeight.
struct IndexWeights {
  std::vector<std::uint64_t> near;  ///< by distance, falling, each above `far`
  std::uint64_t far;                ///< for all further distances
};

/// Stops after `longest` distances. γ >= 0.
IndexWeights index_weights(double epsilon, double gamma, std::uint64_t longest, int bits);

/// (2/ε)·ln((1 − β)(items − 1)/β), the γ with which all words beyond γ together have at most about the
/// probability β of the word itself; 0 where the formula is below. β in (0, 1).
double truncation_distance(double epsilon, double beta, std::uint64_t items);

/// Position in [0, total), total <= 2^63, from two words and never another: ⌊U·total / 2^128⌋. Each position
/// has a probability within 2^-128 of 1/total. So an item of weight w >= 2^12 has a probability within the
/// factor 1 ± total/(w·2^128), that is 1 ± 2^-77, of w/total.
inline std::uint64_t draw_position(BitSource& bits, std::uint64_t total) {
  using Wide = unsigned __int128;
  const Wide high = static_cast<Wide>(bits.next()) * total;
  const Wide low = static_cast<Wide>(bits.next()) * total;
  return static_cast<std::uint64_t>((high + (low >> 64)) >> 64);
}

}  // namespace sotto

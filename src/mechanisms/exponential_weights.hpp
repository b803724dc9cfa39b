// Integer weights of exponential mechanisms, and inversion with a fixed number of random words. The few
// exponentials a mechanism needs are computed with MPFR, which rounds correctly, so tables are identical on
// every processor. (weights.hpp is for weights by the million.) As there, exponents are capped so that no
// weight falls below kSmallestWeight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <sotto/bit_source.hpp>

#include "mechanisms/weights.hpp"

namespace sotto::mechanism {

/// Weights exceed their minimum by this fraction, to make room for draw_position(), whose error is 2^-77 for
/// each of the two probabilities in a ratio.
inline constexpr double kDrawMargin = 0x1p-70;

/// The k such that `items` (1 to 2^32) weights of at most 2^k add up to at most 2^62.
int weight_bits(std::uint64_t items);

/// 2^bits·exp(−½·ε·loss) plus the fraction kDrawMargin of it, for a loss in [0, 1], rounded up, at most
/// 2^bits and at least kSmallestWeight. All weights of all rows then lie in [w, 2^bits] with 2^bits / w <=
/// exp(½ε) exactly, including rounding. A ratio of probabilities is a ratio of weights times a ratio of
/// totals, so it is at most exp(ε), and the margin exceeds what draw_position() can add to it. The caller
/// holds an MpfrCleanup over all its calls.
std::uint64_t weight_of_loss(double epsilon, double loss, int bits);

/// The same for the losses √(squares[i] / largest), 0 <= squares[i] <= largest, largest > 0.
void weights_of_roots(double epsilon, std::span<const std::int64_t> squares, std::int64_t largest, int bits,
                      std::span<std::uint64_t> out);

/// Weights close to 2^bits·exp(−½·ε·min(d, γ)) for integers d, at least kSmallestWeight, that fall no faster
/// than the guarantee allows: each is the previous one times exp(−½·ε), or the part of that up to γ, rounded
/// up. So w(d)/w(d′) <= exp(½·ε·(min(d′, γ) − d)) for d < d′ exactly. For inputs m apart, an output's
/// distances differ by at most m, so the ratio of its weights is at most exp(½·ε·min(m, γ)). So is the ratio
/// of the totals, which are sums of such weights, and hence the ratio of the probabilities is at most
/// exp(ε·min(m, γ)). What draw_position() can add is less than kDrawMargin, which is in every step. Weights
/// below 1/ε cannot fall by so little and stay constant.
struct IndexWeights {
  std::vector<std::uint64_t> near;  ///< by distance, decreasing, each above `far`
  std::uint64_t far;                ///< for all larger distances
};

/// Stops after `longest` distances. γ >= 0.
IndexWeights index_weights(double epsilon, double gamma, std::uint64_t longest, int bits);

/// (2/ε)·ln((1 − β)(items − 1)/β), the γ for which all words beyond it together have a probability of at most
/// about β; 0 if the formula is negative. β in (0, 1).
double truncation_distance(double epsilon, double beta, std::uint64_t items);

/// A position in [0, total), total <= 2^63, from exactly two random words: ⌊U·total / 2^128⌋. Each position
/// has a probability within 2^-128 of 1/total. So an item of weight w >= 2^12 has a probability within a
/// factor of 1 ± total/(w·2^128), that is 1 ± 2^-77, of w/total.
inline std::uint64_t draw_position(BitSource& bits, std::uint64_t total) {
  using Wide = unsigned __int128;
  const Wide high = static_cast<Wide>(bits.next()) * total;
  const Wide low = static_cast<Wide>(bits.next()) * total;
  return static_cast<std::uint64_t>((high + (low >> 64)) >> 64);
}

}  // namespace sotto::mechanism

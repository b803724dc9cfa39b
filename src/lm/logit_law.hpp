// The exponential mechanism on the logits of a language model, sampled exactly from integer weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <sotto/bit_source.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/result.hpp>

#include "lm/language_model.hpp"

namespace sotto {

/// The law of one draw among fixed, public outcomes:
///
///   P(i) ∝ base(i) · exp(½ε · (clip(logit i) − lowest) / (highest − lowest)).
///
/// It promises ε for every pair of inputs, rounding included. The weight of i is an integer between
/// ⌈c·e^{−ε/2}⌉ and c, where the integer c depends on base(i) alone. So weights of i for two inputs differ at
/// most by the factor e^{ε/2}, totals do not differ more, and a probability, their quotient, by e^ε at most.
/// From kLargestLoss on there is nothing to prove: no probability that integers of 62 bits express is below
/// 2^−62, so no two differ by more. There the weights of each input are scaled to use all bits.
///
/// Immutable, so safe to share between threads.
class LogitLaw {
 public:
  /// 62·ln 2, rounded up.
  static constexpr double kLargestLoss = 42.98;

  /// Outcome k is the logit outcomes[k]; at least one. `log_base` has a number for each logit, or is empty:
  /// uniform. Refuses an ε outside the allowed range, and bounds that are not finite or leave no room.
  static Result<LogitLaw> make(const LogitBounds& bounds, double epsilon, std::vector<std::uint32_t> outcomes,
                               std::span<const float> log_base);

  std::size_t size() const { return outcomes_.size(); }
  double epsilon() const { return epsilon_; }

  /// The integers that are sampled, one for each outcome; they add up to at most 2^62. A logit that is not a
  /// number is an error.
  Result<void> weights(std::span<const float> logits, std::vector<std::uint64_t>& out) const;

  /// The outcome (an index, not the logit's) of one draw: one word of `bits`, and another for each rejection
  /// of uniform_below. `scratch` is best used again.
  Result<std::uint32_t> draw(std::span<const float> logits, BitSource& bits,
                             std::vector<std::uint64_t>& scratch) const;

  /// What one draw promises: pure ε, and by its bounded range ρ = ε²/8 (a little more from
  /// kLargestLoss on).
  Guarantee guarantee() const;

 private:
  LogitLaw() = default;

  std::vector<std::uint32_t> outcomes_;
  std::vector<double> largest_;  // c of each outcome; at most 2^50, so that doubles hold it exactly
  double epsilon_ = 0;
  double lowest_ = 0;
  double highest_ = 0;
  double slope_ = 0;           // ½ε/(highest − lowest)
  double smallest_share_ = 0;  // e^{−ε/2}, rounded up; 0 where there is nothing to prove
  double full_ = 0;            // the largest weight there may be
};

}  // namespace sotto

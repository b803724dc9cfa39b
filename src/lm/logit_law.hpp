// The exponential mechanism on the logits of a language model, sampled exactly from integer weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lm/draw_law.hpp"
#include "lm/language_model.hpp"

namespace sotto::lm {

/// The law of one draw among fixed, public outcomes:
///
///   P(i) ∝ base(i) · exp(½ε · (clip(logit i) − lowest) / (highest − lowest)).
///
/// It guarantees ε for every pair of inputs, rounding included. The weight of i is an integer between
/// ⌈c·e^{−ε/2}⌉ and c, where the integer c depends on base(i) alone. So the weights of i for two inputs
/// differ at most by the factor e^{ε/2}, the totals differ no more, and the probability, their quotient, by
/// e^ε at most. From kLargestLoss on there is nothing to prove, so the weights of each input are scaled to
/// use all bits.
class LogitLaw final : public DrawLaw {
 public:
  /// `log_base` has a number per logit, or is empty: uniform. Rejects an ε outside the allowed range, and
  /// bounds that are not finite or leave no room.
  static Result<LogitLaw> make(const LogitBounds& bounds, double epsilon, std::vector<std::uint32_t> outcomes,
                               std::span<const float> log_base);

  Result<void> weigh(const ScaledAnswers& logits, LawMemory& memory, DrawWeights& out) const override;

  /// Pure ε. Over the outcomes the loss has a range of ε (slightly more from kLargestLoss on), so ρ = ε²/8,
  /// or ε if that is less.
  Guarantee guarantee() const override;

 private:
  LogitLaw(double epsilon, std::vector<std::uint32_t> outcomes) : DrawLaw(epsilon, std::move(outcomes)) {}

  std::vector<double> largest_;  // c of each outcome; at most 2^50, so that doubles hold it exactly
  double lowest_ = 0;
  double highest_ = 0;
  double slope_ = 0;           // ½ε/(highest − lowest)
  double smallest_share_ = 0;  // e^{−ε/2}, rounded up; 0 where there is nothing to prove
  double full_ = 0;            // the largest possible weight
};

}  // namespace sotto::lm

// A law of draws whose weights have one public total, so that the weights can use all of ε.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lm/balanced_kernel.hpp"
#include "lm/draw_law.hpp"
#include "lm/language_model.hpp"

namespace sotto::lm {

/// The law of one draw, from scores z that may be any function of the text:
///
///   P(i) = m(i) · exp(r · u(i)) / C,   u(i) = sigmoid(slope · (z(i) − c)),
///
/// where m is a public measure, r = min(ε, the model's largest reach), and c, one number per draw, is chosen
/// such that the probabilities add up to 1 for a public C (docs/bounded-mlm.md).
///
/// It guarantees ε for every pair of inputs, including rounding and the solver's error. Public integers are
/// computed from m, C and ε before any text is seen: for each outcome 1 <= lo(i) <= hi(i) <= lo(i)·e^ε, and a
/// total T with Σ lo <= T <= Σ hi, T <= 2^62. The weight of i is an integer in [lo(i), hi(i)], and the
/// weights add up to exactly T: what rounding and the solver leave over is taken from or added to weights
/// that have room. This terminates because T lies between the sums of the bounds. So for two texts
///
///   P(i|x) / P(i|x′) = (w(i)/T) / (w′(i)/T) = w(i)/w′(i) <= hi(i)/lo(i) <= e^ε.
///
/// Because scores are free, those that matter too little count as −∞: such an outcome has the weight lo(i),
/// which is public, so a draw computes the weights of the others alone, of those listed. Fewer terms make c
/// smaller, so the c of any list bounds the true one from below. Left out are outcomes whose u for such a
/// bound lies below a public u₀ with exp(r·u₀) = 1 + C·kLeftOut. Each of them loses at most m(i)·kLeftOut and
/// no other one loses, so the law changes by at most kLeftOut in total variation.
///
/// The solver's accuracy decides only how close the sampled law is to the one above. The integers are the
/// same on every processor: all sums have a fixed order (balanced_kernel.hpp), and the functions are our own.
///
/// The loss of a draw lies in [−ε, ε] and may use all of it, so ρ is min(ε²/2, ε), not ε²/8.
class BalancedLaw final : public DrawLaw {
 public:
  /// The largest change of the law, in total variation, by leaving out scores.
  static constexpr double kLeftOut = 0x1p-8;

  /// `head` and `log_base` are the model's at this ε (MaskedModel::at_reach); an empty `log_base` is uniform.
  /// Rejects an ε outside the allowed range, and a model whose total no shift can reach.
  static Result<BalancedLaw> make(const BoundedHead& head, double epsilon,
                                  std::vector<std::uint32_t> outcomes, std::span<const float> log_base);

  Result<void> weigh(const ScaledAnswers& scores, LawMemory& memory, DrawWeights& out) const override;
  Guarantee guarantee() const override;

  /// T: the sum of the weights of every draw.
  std::uint64_t total() const { return total_; }

  /// For a model that draws by this law itself. Refers to the law.
  PublicLaw public_numbers() const;

 private:
  BalancedLaw(double epsilon, std::vector<std::uint32_t> outcomes) : DrawLaw(epsilon, std::move(outcomes)) {}

  struct Listed;

  void make_bounds();
  double place_of(double share) const;
  Listed list(const ScoreRow& row, double threshold, LawMemory& memory) const;
  static double near_shift(const Listed& listed, double shift);
  static void solve(const Listed& listed, double shift);
  void round(const Listed& listed, std::vector<std::uint64_t>& weights) const;

  std::vector<double> base_;  // m(i); a weight is T times this times e^(r·u)/C
  std::vector<double> low_;   // lo(i)
  std::vector<double> high_;  // hi(i)
  double gap_ = 0;            // between the largest score and a first guess at the shift
  double cut_ = 0;            // scores from the shift plus this on matter
  std::uint64_t total_ = 0;
  double reach_ = 0;
  double slope_ = 0;
  double log_total_ = 0;
};

}  // namespace sotto::lm

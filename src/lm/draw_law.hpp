// The law of one draw from a language model's answers, sampled exactly from integer weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <sotto/bit_source.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/result.hpp>

#include "lm/score_selection.hpp"

namespace sotto::lm {

/// The version of the functions from answers to weights. Part of the configuration of every mechanism that
/// draws by them, so a change gives a new stream of noise instead of another text from the same one.
inline constexpr std::uint64_t kLawVersion = 3;

/// How answers become weights.
enum class LawKind {
  bounded,   ///< the exponential mechanism (LogitLaw)
  balanced,  ///< weights with one public total (BalancedLaw)
};

const char* to_string(LawKind kind);
/// "bounded" or "balanced".
Result<LawKind> parse_law(std::string_view parameter, std::string_view name);

/// Answers of a model, each to be multiplied by the factor.
struct ScaledAnswers {
  std::span<const float> answers;
  float factor = 1;
};

/// The integers of one draw. An outcome that is not listed has a public weight. Reusable.
struct DrawWeights {
  std::vector<std::uint32_t> listed;   ///< outcomes, ascending; empty if all have a weight here
  std::vector<std::uint64_t> weights;  ///< of those listed, or of all
  std::uint64_t rest = 0;              ///< the sum of the public weights of the others
};

/// Memory for computing weights. Reusable, by one thread at a time.
struct LawMemory {
  std::vector<float> row;
  SelectedScores selected;
  std::vector<double> numbers;
};

/// Draws among fixed, public outcomes; outcome k is the model's answer outcomes[k]. Immutable, so safe to
/// share between threads.
class DrawLaw {
 public:
  /// The log probabilities of an outcome under two inputs never differ by more than this, whatever ε is:
  /// totals are at most 2^62, so no probability is below 2^−62. 62·ln 2, rounded up.
  static constexpr double kLargestLoss = 42.98;

  virtual ~DrawLaw() = default;

  std::size_t size() const { return outcomes_.size(); }
  double epsilon() const { return epsilon_; }
  /// The index of each outcome's answer.
  std::span<const std::uint32_t> outcomes() const { return outcomes_; }

  /// The integers to sample from, all at least 1; they add up to at most 2^62. NaN answers are an error.
  virtual Result<void> weigh(const ScaledAnswers& answers, LawMemory& memory, DrawWeights& out) const = 0;

  /// One integer per outcome.
  void spread(const DrawWeights& weights, std::vector<std::uint64_t>& out) const;
  Result<void> weights(std::span<const float> answers, std::vector<std::uint64_t>& out) const;

  /// The guarantee of one draw: pure ε, and a ρ.
  virtual Guarantee guarantee() const = 0;

  /// The outcome (its own index, not that of the answer) of one draw: takes one word of `bits`, and another
  /// for each rejection of uniform_below.
  std::uint32_t sample(const DrawWeights& weights, BitSource& bits) const;

  /// The same for one integer per outcome; at least one must be above 0.
  static std::uint32_t draw_weighted(std::span<const std::uint64_t> weights, BitSource& bits);

 protected:
  DrawLaw(double epsilon, std::vector<std::uint32_t> outcomes);
  DrawLaw(const DrawLaw&) = default;
  DrawLaw(DrawLaw&&) = default;
  DrawLaw& operator=(const DrawLaw&) = default;
  DrawLaw& operator=(DrawLaw&&) = default;

  /// Pure ε with this ρ, or the one that pure ε implies: if the loss never exceeds ε, neither do the Rényi
  /// divergences of any order, so ρ = ε.
  Guarantee pure_guarantee(double rho) const;

  /// e^log_base of each outcome, the largest 1; empty `log_base`: all 1.
  static Result<std::vector<double>> base_shares(std::span<const std::uint32_t> outcomes,
                                                 std::span<const float> log_base);

  /// The answers for outcomes in order, in `memory` unless they are so in the model's.
  std::span<const float> in_order(std::span<const float> answers, LawMemory& memory) const;
  static Result<void> not_a_number();

  /// Sets the public weight of each outcome.
  void publish(std::span<const std::uint64_t> weights);
  /// The sum of the public weights of all outcomes before this one; for size(), of all.
  std::uint64_t published_before(std::size_t outcome) const { return published_before_[outcome]; }

 private:
  std::uint32_t outcome_of_rest(std::span<const std::uint32_t> listed, std::uint64_t point) const;

  std::vector<std::uint32_t> outcomes_;
  bool in_order_;  // outcome k is answer k
  double epsilon_;
  std::vector<std::uint64_t> published_before_;
};

}  // namespace sotto::lm

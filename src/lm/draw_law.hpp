// The law of one draw from what a language model answers, sampled exactly from integer weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <sotto/bit_source.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// How weights are made of answers.
enum class LawKind {
  bounded,   ///< the exponential mechanism (LogitLaw)
  balanced,  ///< weights with one public total (BalancedLaw)
};

const char* to_string(LawKind kind);
/// "bounded" or "balanced".
Result<LawKind> parse_law(std::string_view parameter, std::string_view name);

/// Among fixed, public outcomes; outcome k is the answer outcomes[k] of the model. Immutable, so safe to
/// share between threads.
class DrawLaw {
 public:
  /// No two inputs' probabilities of an outcome differ by more than this, as a logarithm, whatever ε is:
  /// totals are at most 2^62, so no probability is below 2^−62. 62·ln 2, rounded up.
  static constexpr double kLargestLoss = 42.98;

  virtual ~DrawLaw() = default;

  std::size_t size() const { return outcomes_.size(); }
  double epsilon() const { return epsilon_; }
  /// The answer that each outcome is.
  std::span<const std::uint32_t> outcomes() const { return outcomes_; }

  /// The integers that are sampled, one for each outcome, all at least 1; they add up to at most 2^62. An
  /// answer that is not a number is an error.
  virtual Result<void> weights(std::span<const float> answers, std::vector<std::uint64_t>& out) const = 0;

  /// What one draw promises: pure ε, and a ρ.
  virtual Guarantee guarantee() const = 0;

  /// The outcome (an index, not the answer's) of one draw: one word of `bits`, and another for each rejection
  /// of uniform_below. `scratch` is best used again.
  Result<std::uint32_t> draw(std::span<const float> answers, BitSource& bits,
                             std::vector<std::uint64_t>& scratch) const;

  /// The same with weights that are there already; at least one is above 0.
  static std::uint32_t draw_weighted(std::span<const std::uint64_t> weights, BitSource& bits);

 protected:
  DrawLaw(double epsilon, std::vector<std::uint32_t> outcomes)
      : outcomes_(std::move(outcomes)), epsilon_(epsilon) {}
  DrawLaw(const DrawLaw&) = default;
  DrawLaw(DrawLaw&&) = default;
  DrawLaw& operator=(const DrawLaw&) = default;
  DrawLaw& operator=(DrawLaw&&) = default;

  /// Pure ε with this ρ, or the one that pure ε brings by itself: a loss that never exceeds ε gives Rényi
  /// divergences of ε at most for every order, so ρ = ε.
  Guarantee pure_guarantee(double rho) const;

  /// e^log_base of each outcome, the largest 1; empty `log_base`: all 1.
  static Result<std::vector<double>> base_shares(std::span<const std::uint32_t> outcomes,
                                                 std::span<const float> log_base);

  /// An error where an answer of an outcome is not a number.
  Result<void> check_numbers(std::span<const float> answers) const;

 private:
  std::vector<std::uint32_t> outcomes_;
  double epsilon_;
};

}  // namespace sotto

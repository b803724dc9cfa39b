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

namespace sotto::lm {

/// The version of the functions from answers to weights. Part of the configuration of every mechanism that
/// draws by them, so a change gives a new stream of noise instead of another text from the same one.
inline constexpr std::uint64_t kLawVersion = 2;

/// How answers become weights.
enum class LawKind {
  bounded,   ///< the exponential mechanism (LogitLaw)
  balanced,  ///< weights with one public total (BalancedLaw)
};

const char* to_string(LawKind kind);
/// "bounded" or "balanced".
Result<LawKind> parse_law(std::string_view parameter, std::string_view name);

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

  /// The integers to sample from, one per outcome, all at least 1; they add up to at most 2^62. NaN answers
  /// are an error.
  virtual Result<void> weights(std::span<const float> answers, std::vector<std::uint64_t>& out) const = 0;

  /// The guarantee of one draw: pure ε, and a ρ.
  virtual Guarantee guarantee() const = 0;

  /// The outcome (its own index, not that of the answer) of one draw: takes one word of `bits`, and another
  /// for each rejection of uniform_below. Reuse `scratch` across calls.
  Result<std::uint32_t> draw(std::span<const float> answers, BitSource& bits,
                             std::vector<std::uint64_t>& scratch) const;

  /// The same for given weights; at least one must be above 0.
  static std::uint32_t draw_weighted(std::span<const std::uint64_t> weights, BitSource& bits);

 protected:
  DrawLaw(double epsilon, std::vector<std::uint32_t> outcomes)
      : outcomes_(std::move(outcomes)), epsilon_(epsilon) {}
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

  /// Fails if the answer for an outcome is NaN.
  Result<void> check_numbers(std::span<const float> answers) const;

 private:
  std::vector<std::uint32_t> outcomes_;
  double epsilon_;
};

}  // namespace sotto::lm

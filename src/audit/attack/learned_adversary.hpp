// The Bayes adversary of a mechanism without rows: it learns from draws.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "audit/attack/evaluation.hpp"

namespace sotto::audit {

/// Bits for a purpose, part of the attack's randomness.
std::unique_ptr<BitSource> attack_bits(const AttackOptions& options, std::string_view purpose,
                                       std::size_t part);

/// Secrets drawn by the prior, and their outputs: indices of the secrets, and words.
struct DrawnSecrets {
  std::vector<std::uint32_t> secrets;
  std::vector<TokenId> outputs;
};
DrawnSecrets draw_secrets(const AttackScene& scene, std::size_t count, BitSource& bits);

/// The secrets nearest to each output, the same number for each. They depend on words only, so one list
/// serves every ε.
Result<std::vector<WordSpace::Near>> nearest_secrets(const WordSpace& space, const Secrets& secrets,
                                                     unsigned threads);

/// For an output y that was drawn n times in total, a secret w has the weight n·(its share of these draws, by
/// prior) + m·(its share of π(w)·exp(−c·d(w, y)) among the secrets nearest to y and the likeliest ones). m
/// and c are those of a small grid that do best on separate draws. Any such adversary is fair: none of this
/// uses the draws it is judged by. Immutable once it has learned.
class LearnedAdversary {
 public:
  /// `near` is nearest_secrets() of the scene; it and the scene must outlive the adversary. The separate
  /// draws are `tuning_draws`.
  static Result<LearnedAdversary> learn(const AttackScene& scene, std::span<const WordSpace::Near> near,
                                        std::size_t tuning_draws);

  /// The secret with the largest weight.
  std::uint32_t best_guess(TokenId output) const;
  /// For every output of the model; takes long if there are many.
  Guesses guesses() const;

 private:
  struct Tuning {
    double slope = 0;
    double pseudo_draws = 1;
  };
  struct Evidence;

  LearnedAdversary(const AttackScene& scene, std::span<const WordSpace::Near> near);
  Result<void> look();
  void look_at(std::size_t begin, std::size_t end, std::span<TokenId> outputs) const;
  void tune(std::size_t draws);
  Tuning tuning(std::size_t t) const;
  Evidence evidence_of(TokenId output) const;
  std::vector<double> shares(const Evidence& evidence, double slope) const;
  std::vector<Guess> column(TokenId output) const;

  const AttackScene* scene_;
  std::span<const WordSpace::Near> near_;
  std::size_t each_;                      ///< of near_, per output
  std::vector<std::uint32_t> likeliest_;  ///< secrets by prior
  std::vector<std::vector<Guess>> seen_;  ///< by output: π(w) times the draws of w that gave it
  std::vector<double> draws_;             ///< by output
  Tuning tuning_;
};

}  // namespace sotto::audit

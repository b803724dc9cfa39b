// The Bayes adversary of a mechanism without rows: it learns from draws.
#pragma once

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

/// For an output y that was drawn n times in total, a secret w has the weight n·(its share of these draws, by
/// prior) + m·(its share of π(w)·exp(−c·d(w, y)) among the secrets nearest to y and the likeliest ones). m
/// and c are those of a small grid that do best on separate draws. Any such adversary is fair: none of this
/// uses the draws it is judged by. The separate draws are `tuning_draws`.
Result<Guesses> learn_posterior(const AttackScene& scene, std::size_t tuning_draws = 20'000);

}  // namespace sotto::audit

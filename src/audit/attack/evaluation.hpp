// Evaluates guesses, exactly or by trial.
#pragma once

#include <map>
#include <string>

#include <sotto/attack.hpp>

#include "audit/attack/guesses.hpp"

namespace sotto::audit {

/// The inputs of an evaluation; refers to its parts, which must outlive it.
struct AttackScene {
  const Mechanism& mechanism;
  const Model& model;
  const WordSpace& space;
  const Secrets& secrets;
  const AttackOptions& options;
};

/// Reports progress; an error if the caller asks to stop.
Result<void> report_progress(const AttackScene& scene, std::uint64_t words_done);

struct Score {
  Estimate success;         ///< of the best guess
  Estimate expected_error;  ///< of a guess drawn by weight
};

struct Evaluation {
  Estimate utility_loss;
  Estimate changed;
  std::map<std::string, Score> scores;  ///< by the names of `fixed`, and bayes if requested
};

/// Adversaries whose guesses do not depend on the mechanism, by name.
using FixedAdversaries = std::map<std::string, Guesses>;

/// From the rows of the mechanism, which must have them. The result does not depend on the number of threads.
Result<Evaluation> evaluate_exactly(const AttackScene& scene, const FixedAdversaries& fixed, bool bayes);

/// By trial: the Bayes adversary learns from draws of each secret word (see learned_adversary.hpp); then all
/// adversaries guess fresh secrets.
Result<Evaluation> evaluate_by_trial(const AttackScene& scene, const FixedAdversaries& fixed, bool bayes);

}  // namespace sotto::audit

// Privacy and utility of word-level mechanisms on a list of words: the adversary's expected inference error
// E_M and the expected utility loss L_M of the paper "On a Utilitarian Approach to Privacy Preserving Text
// Generation", figures 2 and 3.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sotto/tune.hpp>

#include "evaluate/tuning/parameter_grid.hpp"
#include "evaluate/tuning/word_task.hpp"

namespace sotto::evaluate {

struct InferenceErrorOptions {
  std::uint64_t draws = 100;  ///< per word where there is no closed form, at least 2
  double confidence = 0.99;   ///< of each interval
  std::optional<std::uint64_t> seed;
  MechanismResources resources;
  ProgressCallback progress;  ///< receives the number of words done and their total
};

/// Measures every variant at every ε; the result of variant v at epsilons[e] is at v · epsilons.size() + e.
///
/// Exact where the mechanism has rows. Otherwise `draws` outputs of each listed word are drawn. Mechanisms
/// that add the same noise (cmp, vickrey and vickrey-k at one ε) share it: one noisy vector and one search
/// serve all of them, and each chooses among the words found. Each alone follows its law; together they are
/// dependent, which makes their differences more precise.
///
/// A variant that does not exist at some ε has a refusal there; one that does not exist at all is an error.
/// Depends on the seed, not on the number of threads. Thread-safe.
Result<std::vector<TradeOff>> measure_inference_error(const WordTask& task,
                                                      std::span<const MechanismVariant> variants,
                                                      std::span<const double> epsilons,
                                                      const InferenceErrorOptions& options);

}  // namespace sotto::evaluate

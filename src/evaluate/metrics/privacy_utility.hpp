// The privacy-utility composite score (PUC) of the comparative analysis, equations 4 and 5.
#pragma once

#include <span>

#include <sotto/result.hpp>

namespace sotto::evaluate {

/// Scores between 0 and `maximum`. A utility relative to its baseline may exceed it.
struct CompositeScores {
  std::span<const double> utilities;
  std::span<const double> privacy_up;    ///< higher is more private
  std::span<const double> privacy_down;  ///< lower is more private
  double maximum = 100;
};

/// Equation 5: α·mean(utilities) + (1 − α)·mean(privacy_up, maximum − privacy_down). `alpha` lies in [0, 1];
/// needs at least one utility and one privacy score. Thread-safe.
Result<double> privacy_utility_composite(const CompositeScores& scores, double alpha);

/// The inputs of equation 4, all in percent.
struct WordLevelScores {
  double accuracy = 0;
  double baseline_accuracy = 0;  ///< above 0
  double n_w = 0;
  double s_w = 0;  ///< distinct outputs in 100 draws
  double perturbation = 0;
  double cosine = 0;
  double least_occurring = 0;
};

/// Equation 4: equation 5 with the utility 100·accuracy/baseline, S_w, PP and CS as privacy_up, N_w and LOW
/// as privacy_down. Thread-safe.
Result<double> privacy_utility_composite(const WordLevelScores& scores, double alpha);

}  // namespace sotto::evaluate

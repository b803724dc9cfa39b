// Scores of predictions, and the gain or loss of privatization by them. All are pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <sotto/result.hpp>

namespace sotto::evaluate {

using ClassIndex = std::uint32_t;

struct ClassScore {
  double precision = 0;  ///< 0 if nothing was predicted as this class
  double recall = 0;     ///< 0 if nothing is of this class
  double f1 = 0;
  std::uint64_t support = 0;    ///< texts of this class
  std::uint64_t predicted = 0;  ///< texts predicted as this class
};

struct ClassificationScores {
  double accuracy = 0;
  double micro_f1 = 0;  ///< from counts summed over the classes; the accuracy if there is one label per text
  double macro_f1 = 0;  ///< mean F1 of the classes that occur among the labels or the predictions
  std::vector<ClassScore> classes;
  std::uint64_t n = 0;
};

/// Scores of `predicted` against `truth`, which have equal length, at least 1, and values below `classes`.
Result<ClassificationScores> score_classes(std::span<const ClassIndex> truth,
                                           std::span<const ClassIndex> predicted, std::size_t classes);

/// The most frequent class; the smallest in case of a tie. `labels` is not empty.
ClassIndex majority_class(std::span<const ClassIndex> labels);

/// Scores on `test` of always guessing the majority class of `train`.
Result<ClassificationScores> score_majority(std::span<const ClassIndex> train,
                                            std::span<const ClassIndex> test, std::size_t classes);

struct CorrelationScores {
  double pearson = 0;
  double spearman = 0;  ///< Pearson's of the ranks; ties get their mean rank
  double mean = 0;      ///< of the two: the score of STS-B
};

/// The correlations of two series of equal length, at least 2. A constant series has no correlation; it
/// counts as 0, since it says nothing about the other one.
Result<CorrelationScores> score_values(std::span<const double> truth, std::span<const double> predicted);

/// Ranks from 1; equal values share the mean of their ranks.
std::vector<double> mean_ranks(std::span<const double> values);

/// PP+ ("DP-MLM"): percentage points by which a score in [0, 1] exceeds that of guessing the majority class.
/// The paper's table prints hundredths of a point.
double points_over_majority(double score, double majority_score);

/// RG = U_p/U_o − P_p/P_o ("DP-MLM" and "Collocation-based privatization", after Mattern et al.): retained
/// utility minus the adversary's retained score. The scores on the original text must be above 0.
Result<double> relative_gain(double utility_private, double utility_original, double privacy_private,
                             double privacy_original);

}  // namespace sotto::evaluate

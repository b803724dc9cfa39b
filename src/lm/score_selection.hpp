// Which of many scores lie above a threshold. Compiled for every instruction set that Highway knows, chosen
// at run time, with the same result. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto::lm {

/// Scores, to be multiplied by `factor` and clamped to [−most, most].
struct ScoreRow {
  const float* scores = nullptr;
  std::size_t count = 0;
  float factor = 1;
  float most = 0;
};

struct LargestScore {
  float score;
  bool all_numbers;  ///< no score is NaN
};
LargestScore largest_score(const ScoreRow& row);

/// Scores and where in the row they stand, in its order. Reusable.
struct SelectedScores {
  std::size_t count = 0;
  std::vector<std::uint32_t> places;  // and room for more
  std::vector<float> scores;
};
/// Those from `threshold` on.
void select_scores(const ScoreRow& row, float threshold, SelectedScores& out);

}  // namespace sotto::lm

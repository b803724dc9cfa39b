#include "evaluate/metrics/privacy_utility.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/checked_value.hpp"

namespace sotto::evaluate {
namespace {

Result<void> check_finite(std::span<const double> values) {
  for (const double value : values)
    if (!std::isfinite(value))
      return fail(Errc::invalid_argument, fmt::format("PUC: a score is {}; give finite numbers", value));
  return {};
}

}  // namespace

Result<double> privacy_utility_composite(const CompositeScores& scores, double alpha) {
  if (!(alpha >= 0 && alpha <= 1)) return base::not_allowed("alpha", alpha, "a number from 0 to 1");
  const std::size_t privacy_scores = scores.privacy_up.size() + scores.privacy_down.size();
  if (scores.utilities.empty() || privacy_scores == 0)
    return fail(Errc::invalid_argument, "PUC: give at least one utility and one privacy score");
  SOTTO_TRY(check_finite(scores.utilities));
  SOTTO_TRY(check_finite(scores.privacy_up));
  SOTTO_TRY(check_finite(scores.privacy_down));
  double utility = 0;
  for (const double score : scores.utilities) utility += score;
  double privacy = 0;
  for (const double score : scores.privacy_up) privacy += score;
  for (const double score : scores.privacy_down) privacy += scores.maximum - score;
  return alpha * utility / static_cast<double>(scores.utilities.size()) +
         (1 - alpha) * privacy / static_cast<double>(privacy_scores);
}

Result<double> privacy_utility_composite(const WordLevelScores& scores, double alpha) {
  if (!(scores.baseline_accuracy > 0))
    return fail(Errc::invalid_argument, fmt::format("PUC: the baseline accuracy is {}; it must be above 0",
                                                    scores.baseline_accuracy));
  const double utility = 100 * scores.accuracy / scores.baseline_accuracy;
  const std::array up = {scores.s_w, scores.perturbation, scores.cosine};
  const std::array down = {scores.n_w, scores.least_occurring};
  return privacy_utility_composite(CompositeScores{std::span(&utility, 1), up, down, 100}, alpha);
}

}  // namespace sotto::evaluate

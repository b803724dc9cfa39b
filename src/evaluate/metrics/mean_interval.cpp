#include "evaluate/metrics/mean_interval.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "audit/distributions.hpp"
#include "base/checked_value.hpp"

namespace sotto::evaluate {
namespace {

Result<void> check_confidence(double confidence) {
  if (confidence > 0 && confidence < 1) return {};
  return base::not_allowed("confidence", confidence, "a number above 0 and below 1");
}

}  // namespace

Spread spread_of(std::span<const double> values) {
  assert(!values.empty());
  const auto n = static_cast<double>(values.size());
  Spread spread;
  spread.n = values.size();
  spread.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.standard_deviation =
      values.size() < 2 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(squares / (n - 1));
  return spread;
}

Result<Estimate> mean_interval(const Spread& spread, double confidence) {
  SOTTO_TRY(check_confidence(confidence));
  if (spread.n < 2) return Estimate{spread.mean, -INFINITY, INFINITY};
  const auto n = static_cast<double>(spread.n);
  const double t = audit::student_quantile((1 - confidence) / 2, n - 1);
  const double half = t * spread.standard_deviation / std::sqrt(n);
  return Estimate{spread.mean, spread.mean - half, spread.mean + half};
}

Result<Estimate> share_interval(std::uint64_t successes, std::uint64_t trials, double confidence) {
  SOTTO_TRY(check_confidence(confidence));
  if (trials == 0 || successes > trials)
    return fail(Errc::invalid_argument,
                fmt::format("a share: {} of {} is not one; give at least one trial and "
                            "at most as many successes",
                            successes, trials));
  const double z = audit::normal_quantile((1 - confidence) / 2);
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(successes) / n;
  const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return Estimate{p, successes == 0 ? 0 : std::max(0.0, centre - half),
                  successes == trials ? 1 : std::min(1.0, centre + half)};
}

}  // namespace sotto::evaluate

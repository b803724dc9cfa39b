#include "audit/clopper_pearson.hpp"

#include <cmath>

#include "audit/distributions.hpp"
#include "base/check.hpp"

namespace sotto::audit {

double lower_bound(std::uint64_t successes, std::uint64_t draws, double alpha) {
  SOTTO_CHECK(draws > 0 && successes <= draws && alpha > 0 && alpha < 1);
  if (successes == 0) return 0;
  const auto k = static_cast<double>(successes);
  const auto n = static_cast<double>(draws);
  if (successes == draws) return std::exp(std::log(alpha) / n);
  return beta_quantile(k, n - k + 1, alpha);
}

double upper_bound(std::uint64_t successes, std::uint64_t draws, double alpha) {
  SOTTO_CHECK(draws > 0 && successes <= draws && alpha > 0 && alpha < 1);
  if (successes == draws) return 1;
  const auto k = static_cast<double>(successes);
  const auto n = static_cast<double>(draws);
  if (successes == 0) return -std::expm1(std::log(alpha) / n);
  return beta_tail_quantile(k + 1, n - k, alpha);
}

}  // namespace sotto::audit

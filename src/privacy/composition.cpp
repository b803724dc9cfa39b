#include <algorithm>
#include <cmath>

#include <boost/math/tools/minima.hpp>
#include <fmt/format.h>

#include <sotto/composition.hpp>

#include "base/checked_value.hpp"
#include "privacy/rounding.hpp"

namespace sotto {
using namespace privacy;
namespace {

// Covers the few roundings, logarithms and the square root of a conversion.
constexpr double kConversionError = 0x1p-44;

/// The ε of one Rényi order > 1 (Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential
/// Privacy", proposition 7): every order gives a valid ε, so the search for the best needs no proof.
double epsilon_of_order(double rho, double delta, double order) {
  const double a = order - 1;
  return rho * order + (-std::log(delta) - std::log1p(a)) / a + std::log1p(-1 / order);
}

}  // namespace

std::optional<double> zcdp(const Guarantee& guarantee) {
  if (guarantee.additive > 0 || guarantee.scope == GuaranteeScope::sensitive_outputs) return std::nullopt;
  if (guarantee.rho > 0) return guarantee.rho;
  return multiply_up(guarantee.epsilon, guarantee.epsilon) / 2;
}

Result<void> Composition::add(const Guarantee& guarantee, std::uint64_t draws) {
  if (guarantee.kind == GuaranteeKind::none)
    return fail(Errc::invalid_argument,
                fmt::format("there is no epsilon to add up: {}", guarantee.statement));
  const auto same = [&](const ComposedLoss& loss) {
    return loss.unit == guarantee.unit && loss.scope == guarantee.scope;
  };
  auto at = std::find_if(losses_.begin(), losses_.end(), same);
  if (at == losses_.end()) {
    at = losses_.emplace(at);
    at->unit = guarantee.unit;
    at->scope = guarantee.scope;
  }
  const auto count = static_cast<double>(draws);
  at->draws += draws;
  at->epsilon = add_up(at->epsilon, multiply_up(count, guarantee.epsilon));
  at->additive = add_up(at->additive, multiply_up(count, guarantee.additive));
  const std::optional<double> rho = zcdp(guarantee);
  at->rho = rho && at->rho ? std::optional(add_up(*at->rho, multiply_up(count, *rho))) : std::nullopt;
  for (const SharedTrait trait : guarantee.adjacency)
    if (std::find(at->adjacency.begin(), at->adjacency.end(), trait) == at->adjacency.end())
      at->adjacency.push_back(trait);
  return {};
}

Result<double> epsilon_for_delta(double rho, double delta) {
  if (!(rho >= 0) || !std::isfinite(rho)) return base::not_allowed("rho", rho, "a number from 0");
  if (!(delta > 0 && delta < 1)) return base::not_allowed("delta", delta, "a number between 0 and 1");
  if (rho == 0) return 0;
  const double textbook = rho + 2 * std::sqrt(rho * -std::log(delta));
  // The best order is close to 1 + √(ln(1/δ)/ρ); using the logarithm of a makes the search scale-free.
  const double middle = std::log(std::sqrt(-std::log(delta) / rho));
  const auto best = boost::math::tools::brent_find_minima(
      [&](double log_a) { return epsilon_of_order(rho, delta, 1 + std::exp(log_a)); }, middle - 5, middle + 5,
      30);
  return std::max(0.0, std::min(best.second, textbook) * (1 + kConversionError));
}

}  // namespace sotto

#include "lm/draw_law.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked_value.hpp"
#include "random/integer_samplers.hpp"
#include "random/portable_math.hpp"

namespace sotto::lm {

const char* to_string(LawKind kind) {
  return kind == LawKind::balanced ? "balanced" : "bounded";
}

Result<LawKind> parse_law(std::string_view parameter, std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice(parameter, name, {"bounded", "balanced"}));
  return static_cast<LawKind>(index);
}

Result<std::uint32_t> DrawLaw::draw(std::span<const float> answers, BitSource& bits,
                                    std::vector<std::uint64_t>& scratch) const {
  SOTTO_TRY(weights(answers, scratch));
  return draw_weighted(scratch, bits);
}

std::uint32_t DrawLaw::draw_weighted(std::span<const std::uint64_t> weights, BitSource& bits) {
  std::uint64_t total = 0;
  for (const std::uint64_t weight : weights) total += weight;
  std::uint64_t left = random::uniform_below(bits, total);
  std::uint32_t outcome = 0;
  while (left >= weights[outcome]) left -= weights[outcome++];
  return outcome;
}

Guarantee DrawLaw::pure_guarantee(double rho) const {
  Guarantee guarantee;
  guarantee.kind = GuaranteeKind::analytic;
  guarantee.epsilon = epsilon_;
  guarantee.rho = std::min({rho, epsilon_, kLargestLoss});
  guarantee.assumptions = {"the keyed stream is indistinguishable from uniform bits"};
  return guarantee;
}

Result<std::vector<double>> DrawLaw::base_shares(std::span<const std::uint32_t> outcomes,
                                                 std::span<const float> log_base) {
  std::vector<double> shares(outcomes.size(), 1.0);
  if (log_base.empty()) return shares;
  double largest = -INFINITY;
  bool all_numbers = true;
  for (const std::uint32_t outcome : outcomes) {
    all_numbers &= !std::isnan(log_base[outcome]);
    largest = std::max(largest, static_cast<double>(log_base[outcome]));
  }
  if (!all_numbers || !std::isfinite(largest))
    return fail(Errc::bad_format, "the model's base measure is not finite");
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    shares[i] = random::portable_exp(std::max(log_base[outcomes[i]] - largest, -700.0));
  return shares;
}

Result<void> DrawLaw::check_numbers(std::span<const float> answers) const {
  bool all_numbers = true;
  for (const std::uint32_t outcome : outcomes_) all_numbers &= !std::isnan(answers[outcome]);
  if (all_numbers) return {};
  return fail(Errc::bad_format, "the model answered with a logit that is not a number");
}

}  // namespace sotto::lm

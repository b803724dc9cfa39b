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

DrawLaw::DrawLaw(double epsilon, std::vector<std::uint32_t> outcomes)
    : outcomes_(std::move(outcomes)), in_order_(true), epsilon_(epsilon) {
  for (std::size_t i = 0; i < size(); ++i) in_order_ &= outcomes_[i] == i;
}

void DrawLaw::spread(const DrawWeights& weights, std::vector<std::uint64_t>& out) const {
  out = weights.weights;
  if (weights.listed.empty()) return;
  out.resize(size());
  for (std::size_t i = 0; i < size(); ++i) out[i] = published_before_[i + 1] - published_before_[i];
  for (std::size_t k = 0; k < weights.listed.size(); ++k) out[weights.listed[k]] = weights.weights[k];
}

Result<void> DrawLaw::weights(std::span<const float> answers, std::vector<std::uint64_t>& out) const {
  LawMemory memory;
  DrawWeights weights;
  SOTTO_TRY(weigh({answers}, memory, weights));
  spread(weights, out);
  return {};
}

std::uint32_t DrawLaw::sample(const DrawWeights& weights, BitSource& bits) const {
  if (weights.listed.empty()) return draw_weighted(weights.weights, bits);
  std::uint64_t total = weights.rest;
  for (const std::uint64_t weight : weights.weights) total += weight;
  std::uint64_t left = random::uniform_below(bits, total);
  for (std::size_t k = 0; k < weights.listed.size(); ++k) {
    if (left < weights.weights[k]) return weights.listed[k];
    left -= weights.weights[k];
  }
  return outcome_of_rest(weights.listed, left);
}

/// Where this point is among the public weights of the outcomes that are not listed.
std::uint32_t DrawLaw::outcome_of_rest(std::span<const std::uint32_t> listed, std::uint64_t point) const {
  // Among those of all outcomes, it is further by the weights of the listed ones before it.
  for (const std::uint32_t outcome : listed) {
    if (point < published_before_[outcome]) break;
    point += published_before_[outcome + 1] - published_before_[outcome];
  }
  const auto next = std::upper_bound(published_before_.begin(), published_before_.end(), point);
  return static_cast<std::uint32_t>(next - published_before_.begin() - 1);
}

void DrawLaw::publish(std::span<const std::uint64_t> weights) {
  published_before_.assign(1, 0);
  for (const std::uint64_t weight : weights) published_before_.push_back(published_before_.back() + weight);
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

std::span<const float> DrawLaw::in_order(std::span<const float> answers, LawMemory& memory) const {
  if (in_order_) return answers.first(size());
  memory.row.clear();
  for (const std::uint32_t outcome : outcomes_) memory.row.push_back(answers[outcome]);
  return memory.row;
}

Result<void> DrawLaw::not_a_number() {
  return fail(Errc::bad_format, "the model answered with a logit that is not a number");
}

}  // namespace sotto::lm

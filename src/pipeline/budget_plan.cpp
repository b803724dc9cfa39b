#include <functional>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <sotto/budget_plan.hpp>
#include <sotto/document_guarantee.hpp>
#include <sotto/language_models.hpp>

#include "base/checked_value.hpp"
#include "base/json.hpp"
#include "pipeline/rewrite/text_mechanism.hpp"

namespace sotto {
using namespace pipeline;
namespace {

using MechanismAt = std::function<Result<std::shared_ptr<const Mechanism>>(double epsilon)>;

Result<void> check_shape(const DocumentShape& shape) {
  if (shape.tokens < 1 || shape.tokens > kMostPlannedTokens)
    return base::not_allowed("tokens", shape.tokens,
                             fmt::format("a whole number from 1 to {}", kMostPlannedTokens));
  if (shape.words >= shape.tokens && shape.words <= kMostPlannedWords) return {};
  return base::not_allowed("words", shape.words,
                           fmt::format("a whole number from {} to {}", shape.tokens, kMostPlannedWords));
}

/// The plan without its loss.
Result<BudgetPlan> plan_shares(const BudgetPlanOptions& options) {
  SOTTO_TRY(check_shape(options.shape));
  BudgetPlan plan;
  plan.strategy = options.strategy;
  plan.shape = options.shape;
  plan.delta = options.delta;
  SOTTO_ASSIGN(plan.shares,
               share_budget(options.strategy, options.mechanism.epsilon, options.shape, options.profile));
  return plan;
}

/// Composes the guarantees of the mechanism at the ε of each token.
Result<ComposedLoss> compose(const BudgetPlanOptions& options, const std::vector<double>& shares,
                             const MechanismAt& mechanism_at) {
  std::map<double, std::uint64_t> tokens_of;
  for (const double share : shares) ++tokens_of[share];
  Composition composition;
  for (const auto& [epsilon, tokens] : tokens_of) {
    SOTTO_ASSIGN(const std::shared_ptr<const Mechanism> mechanism, mechanism_at(epsilon));
    const Guarantee guarantee = guarantee_for_texts(
        mechanism->guarantee(), {.collocations = options.shape.words > options.shape.tokens,
                                 .shares_by_words = options.strategy == BudgetStrategy::words});
    SOTTO_TRY(composition.add(guarantee, tokens));
  }
  return composition.losses().front();
}

/// What ρ gives at δ, if there is a ρ.
Result<void> add_figure_at_delta(BudgetPlan& plan) {
  if (!plan.loss.rho) return {};
  SOTTO_ASSIGN(plan.epsilon_at_delta, epsilon_for_delta(*plan.loss.rho, plan.delta));
  return {};
}

Result<void> add_loss(const BudgetPlanOptions& options, const MechanismAt& mechanism_at, BudgetPlan& plan) {
  SOTTO_ASSIGN(plan.loss, compose(options, plan.shares, mechanism_at));
  plan.mean_draws = static_cast<double>(plan.loss.draws);
  return add_figure_at_delta(plan);
}

/// A language model draws single words, each with the whole ε.
Result<void> check_draws(const BudgetPlanOptions& options) {
  const std::string& name = options.mechanism.name;
  if (options.strategy != BudgetStrategy::token)
    return fail_parameter("budget", to_string(options.strategy),
                          base::format_message("{} takes {{epsilon}}, for each draw", name));
  if (options.shape.words != options.shape.tokens)
    return fail_parameter("words", fmt::format("{}", options.shape.words),
                          fmt::format("{} draws single words", name));
  return {};
}

/// A coin of DP-MLM-plus; the other mechanisms toss none.
double coin(const ParameterValues& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return 0;
  return read_number("parameters." + name, found->second, 0, 1).value_or(0);  // checked by the mechanism
}

/// The plan of a mechanism that draws from a language model.
Result<BudgetPlan> plan_draws(const MechanismInfo& info, const ParameterValues& parameters,
                              const BudgetPlanOptions& options) {
  SOTTO_TRY(check_draws(options));
  PrivatizeOptions opened;
  opened.mechanism = options.mechanism;
  SOTTO_ASSIGN(const auto mechanism, TextMechanism::make(info, opened, parameters, nullptr));
  SOTTO_ASSIGN(BudgetPlan plan, plan_shares(options));
  plan.kind = info.kind;
  // A place that gets a word after it takes two draws; a deleted one takes none.
  const double addition = coin(parameters, "addition");
  const std::uint64_t draws = addition > 0 ? 2 * options.shape.tokens : options.shape.tokens;
  plan.mean_draws = (1 - coin(parameters, "deletion") + addition) * static_cast<double>(options.shape.tokens);
  Composition composition;
  SOTTO_TRY(composition.add(mechanism->guarantee({}), draws));
  plan.loss = composition.losses().front();
  SOTTO_TRY(add_figure_at_delta(plan));
  return plan;
}

}  // namespace

QuotedLoss BudgetPlan::quoted() const {
  if (epsilon_at_delta && *epsilon_at_delta < loss.epsilon) return {*epsilon_at_delta, delta};
  return {loss.epsilon, 0};
}

Result<BudgetPlan> plan_budget(const BudgetPlanOptions& options) {
  const MechanismSpec& spec = options.mechanism;
  SOTTO_ASSIGN(const MechanismInfo* info, find_mechanism(spec.name));
  SOTTO_ASSIGN(const ParameterValues parameters, complete_parameters(*info, spec.parameters));
  if (info->kind != MechanismKind::word_by_word) return plan_draws(*info, parameters, options);
  SOTTO_ASSIGN(BudgetPlan plan, plan_shares(options));
  SOTTO_ASSIGN(const std::filesystem::path file, find_model(spec));
  SOTTO_ASSIGN(const std::shared_ptr<const Model> model, Model::open(file));
  const auto mechanism_at = [&](double epsilon) {
    return make_mechanism(spec.name, model, epsilon, parameters, spec.resources);
  };
  SOTTO_TRY(add_loss(options, mechanism_at, plan));
  return plan;
}

Result<BudgetPlan> plan_budget(const OpenMechanism& open, const BudgetPlanOptions& options) {
  SOTTO_ASSIGN(BudgetPlan plan, plan_shares(options));
  const MechanismSpec& spec = open.spec;
  const auto mechanism_at = [&](double epsilon) -> Result<std::shared_ptr<const Mechanism>> {
    if (epsilon == spec.epsilon) return open.mechanism;
    return make_mechanism(spec.name, open.model, epsilon, spec.parameters, spec.resources);
  };
  SOTTO_TRY(add_loss(options, mechanism_at, plan));
  return plan;
}

std::string to_json(const BudgetPlan& plan) {
  const QuotedLoss quoted = plan.quoted();
  nlohmann::ordered_json json = {{"strategy", to_string(plan.strategy)},
                                 {"tokens", plan.shape.tokens},
                                 {"words", plan.shape.words},
                                 {"draws", plan.loss.draws},
                                 {"mean_draws", plan.mean_draws},
                                 {"shares", plan.shares},
                                 {"unit", unit_name(plan.loss.unit)},
                                 {"model", plan.loss.unit.model},
                                 {"scope", to_string(plan.loss.scope)},
                                 {"epsilon", plan.loss.epsilon},
                                 {"additive", plan.loss.additive},
                                 {"quote", {{"epsilon", quoted.epsilon}, {"delta", quoted.delta}}},
                                 {"adjacency", nlohmann::ordered_json::array()}};
  for (const SharedTrait trait : plan.loss.adjacency) json["adjacency"].push_back(to_string(trait));
  if (!plan.epsilon_at_delta) return base::json_text(json);
  json["rho"] = *plan.loss.rho;
  json["delta"] = plan.delta;
  json["epsilon_at_delta"] = *plan.epsilon_at_delta;
  return base::json_text(json);
}

std::string unit_name(const PrivacyUnit& unit) {
  return unit.is_pure() ? "epsilon" : fmt::format("epsilon times {}", unit.metric);
}

}  // namespace sotto

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <sotto/budget_plan.hpp>
#include <sotto/document_guarantee.hpp>
#include <sotto/language_models.hpp>

#include "base/json.hpp"

namespace sotto {
namespace {

using MechanismAt = std::function<Result<std::shared_ptr<const Mechanism>>(double epsilon)>;

/// The plan without its loss.
Result<BudgetPlan> plan_shares(const BudgetPlanOptions& options) {
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

Result<void> add_loss(const BudgetPlanOptions& options, const MechanismAt& mechanism_at, BudgetPlan& plan) {
  SOTTO_ASSIGN(plan.loss, compose(options, plan.shares, mechanism_at));
  if (plan.loss.rho) {
    SOTTO_ASSIGN(plan.epsilon_at_delta, epsilon_for_delta(*plan.loss.rho, plan.delta));
  }
  return {};
}

}  // namespace

Result<BudgetPlan> plan_budget(const BudgetPlanOptions& options) {
  SOTTO_ASSIGN(BudgetPlan plan, plan_shares(options));
  const MechanismSpec& spec = options.mechanism;
  SOTTO_ASSIGN(const MechanismInfo* info, find_word_mechanism(spec.name));
  SOTTO_ASSIGN(const ParameterValues parameters, complete_parameters(*info, spec.parameters));
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
  nlohmann::ordered_json json = {{"strategy", to_string(plan.strategy)},
                                 {"tokens", plan.shape.tokens},
                                 {"words", plan.shape.words},
                                 {"shares", plan.shares},
                                 {"unit", unit_name(plan.loss.unit)},
                                 {"model", plan.loss.unit.model},
                                 {"scope", to_string(plan.loss.scope)},
                                 {"epsilon", plan.loss.epsilon},
                                 {"additive", plan.loss.additive},
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

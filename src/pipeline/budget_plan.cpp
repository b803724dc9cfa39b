#include <map>
#include <utility>

#include <fmt/format.h>

#include <sotto/budget_plan.hpp>
#include <sotto/document_guarantee.hpp>
#include <sotto/language_models.hpp>

#include "base/json.hpp"

namespace sotto {
namespace {

/// Composes the guarantees of the mechanism at the ε of each token.
Result<ComposedLoss> compose(const BudgetPlanOptions& options, const std::vector<double>& shares) {
  SOTTO_ASSIGN(const MechanismInfo* info, find_word_mechanism(options.mechanism));
  SOTTO_ASSIGN(const ParameterValues parameters, complete_parameters(*info, options.parameters));
  SOTTO_ASSIGN(const auto file, find_model(options.model.empty() ? info->default_model : options.model));
  SOTTO_ASSIGN(const std::shared_ptr<const Model> model, Model::open(file));
  std::map<double, std::uint64_t> tokens_of;
  for (const double share : shares) ++tokens_of[share];
  Composition composition;
  for (const auto& [epsilon, tokens] : tokens_of) {
    SOTTO_ASSIGN(const auto mechanism, make_mechanism(info->name, model, epsilon, parameters));
    const Guarantee guarantee = guarantee_for_texts(
        mechanism->guarantee(), {.collocations = options.shape.words > options.shape.tokens,
                                 .shares_by_words = options.strategy == BudgetStrategy::words});
    SOTTO_TRY(composition.add(guarantee, tokens));
  }
  return composition.losses().front();
}

}  // namespace

Result<BudgetPlan> plan_budget(const BudgetPlanOptions& options) {
  BudgetPlan plan;
  plan.strategy = options.strategy;
  plan.shape = options.shape;
  plan.delta = options.delta;
  SOTTO_ASSIGN(plan.shares, share_budget(options.strategy, options.epsilon, options.shape, options.profile));
  SOTTO_ASSIGN(plan.loss, compose(options, plan.shares));
  if (plan.loss.rho) {
    SOTTO_ASSIGN(plan.epsilon_at_delta, epsilon_for_delta(*plan.loss.rho, plan.delta));
  }
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
  if (!plan.epsilon_at_delta) return json_text(json);
  json["rho"] = *plan.loss.rho;
  json["delta"] = plan.delta;
  json["epsilon_at_delta"] = *plan.epsilon_at_delta;
  return json_text(json);
}

std::string unit_name(const PrivacyUnit& unit) {
  return unit.is_pure() ? "epsilon" : fmt::format("epsilon times {}", unit.metric);
}

}  // namespace sotto

// POST /v1/budget: what a document of some length would spend.
#include <sotto/options_json.hpp>

#include "service/computation.hpp"

namespace sotto::server {
namespace {

constexpr std::array<std::string_view, 9> kBudgetMembers = {
    "mechanism", "parameters", "model", "epsilon", "budget", "profile", "tokens", "words", "delta"};
constexpr std::uint64_t kMostTokens = 100'000;

Outcome<Response> budget(ServiceState&, const Request& request) {
  SOTTO_ASSIGN(const JsonObject body, JsonObject::parse(request.body, kBudgetMembers));
  SOTTO_TRY(check_names(body));
  SOTTO_TRY(body.integer("tokens", 1, kMostTokens));
  SOTTO_ASSIGN(const BudgetPlanOptions options, budget_plan_options_from_json(body.json_without({})));
  SOTTO_ASSIGN(const BudgetPlan plan, plan_budget(options));
  return json_response(to_json(plan));
}

}  // namespace

void add_budget_route(Router& router) {
  router.add({"POST", "/v1/budget", Access::key, computed(budget)});
}

}  // namespace sotto::server

// What a document of a given shape would spend, computed before there is any text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/budget.hpp>
#include <sotto/composition.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/result.hpp>

namespace sotto {

struct BudgetPlanOptions {
  std::string mechanism = "diffractor-geometric";
  double epsilon = 0;  ///< of the document; for the strategy token, of each token
  ParameterValues parameters;
  std::string model;  ///< empty: the mechanism's default
  BudgetStrategy strategy = BudgetStrategy::token;
  PositionProfile profile;  ///< for the strategy positions only
  DocumentShape shape;
  double delta = 1e-6;  ///< of epsilon_at_delta
};

/// The budget and spending of a document of one shape.
struct BudgetPlan {
  BudgetStrategy strategy = BudgetStrategy::token;
  DocumentShape shape;
  std::vector<double> shares;  ///< the ε of each token
  ComposedLoss loss;
  double delta = 0;
  std::optional<double> epsilon_at_delta;  ///< empty: there is no ρ
};

/// Shares ε among the tokens and composes the mechanism's guarantees at these shares. Thread-safe unless
/// another thread changes the environment.
SOTTO_API Result<BudgetPlan> plan_budget(const BudgetPlanOptions& options);

/// As JSON (docs/schemas/budget.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const BudgetPlan& plan);

/// The unit of a plan's figures: "epsilon", or "epsilon times" a metric. Thread-safe.
SOTTO_API std::string unit_name(const PrivacyUnit& unit);

}  // namespace sotto

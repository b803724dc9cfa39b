// What a document of a given shape would spend, computed before there is any text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/budget.hpp>
#include <sotto/composition.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/result.hpp>

namespace sotto {

inline constexpr std::uint64_t kMostPlannedTokens = 10'000'000;
inline constexpr std::uint64_t kMostPlannedWords = 100'000'000;

struct BudgetPlanOptions {
  MechanismSpec mechanism;  ///< its ε is the document's; for the strategy token, that of each token
  BudgetStrategy strategy = BudgetStrategy::token;
  PositionProfile profile;  ///< for the strategy positions only
  DocumentShape shape;
  double delta = 1e-6;  ///< of epsilon_at_delta
};

/// A figure to quote: ε, with the δ it holds at.
struct QuotedLoss {
  double epsilon = 0;
  double delta = 0;  ///< 0: ε holds without exception
};

/// The budget and spending of a document of one shape.
struct BudgetPlan {
  BudgetStrategy strategy = BudgetStrategy::token;
  MechanismKind kind = MechanismKind::word_by_word;  ///< if generated, tokens are the language model's
  DocumentShape shape;
  std::vector<double> shares;  ///< the ε of each token; of each draw if a token may take two
  double mean_draws = 0;       ///< expected number of draws; loss.draws is the largest
  ComposedLoss loss;
  double delta = 0;
  std::optional<double> epsilon_at_delta;  ///< empty: there is no ρ

  /// The smaller of the two figures, which are both true: the sum of the ε, or what ρ gives at δ. In a metric
  /// unit for a distance of 1 in each draw; an additive term comes on top. Thread-safe.
  SOTTO_API QuotedLoss quoted() const;
};

/// Shares ε among the tokens and composes the mechanism's guarantees at these shares. With a language model,
/// each draw has the mechanism's ε, so the strategy must be token. Thread-safe with the restriction at the
/// top of language_models.hpp.
SOTTO_API Result<BudgetPlan> plan_budget(const BudgetPlanOptions& options);

/// Same for the mechanism and model that are open. Of `options.mechanism` it uses only the ε. Thread-safe.
SOTTO_API Result<BudgetPlan> plan_budget(const OpenMechanism& open, const BudgetPlanOptions& options);

/// As JSON (docs/schemas/budget.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const BudgetPlan& plan);

/// The unit of a plan's figures: "epsilon", or "epsilon times" a metric. Thread-safe.
SOTTO_API std::string unit_name(const PrivacyUnit& unit);

}  // namespace sotto

#include "pipeline/charging.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/message.hpp"

namespace sotto::pipeline {
namespace {

/// Why the ε of a guarantee does not cover an account's whole spending, or null.
const char* what_cannot_be_accounted(const Guarantee& guarantee) {
  if (guarantee.kind == GuaranteeKind::none) return "no differential privacy";
  if (guarantee.scope == GuaranteeScope::sensitive_outputs)
    return "privacy for sensitive outputs only, and reveals other words";
  for (const SharedTrait trait : guarantee.adjacency)
    if (trait == SharedTrait::kept_words || trait == SharedTrait::dropped_words)
      return "nothing for the words that the policy keeps or drops";
  return nullptr;
}

/// Guarantees may be added up only if this is equal: it names what ε multiplies and between which inputs. It
/// omits other traits that texts must share (numbers, letter case): amounts of several runs add up between
/// texts that share all of them, and a unit for each would mean a limit for each. It also omits what merely
/// shapes the noise, or a subject would get a new limit with every setting.
Result<std::string> account_unit(const RewriteContext& context, const Guarantee& guarantee) {
  if (const char* promised = what_cannot_be_accounted(guarantee))
    return fail_parameter(
        "ledger", "",
        fmt::format("'{}' with these settings promises {}; there is no epsilon to account for",
                    context.options.mechanism.name, promised));
  std::string unit = "pure epsilon";
  if (!guarantee.unit.is_pure())
    unit = fmt::format("epsilon times {} of model {}", guarantee.unit.metric, guarantee.unit.model);
  if (const auto lists = context.parameters.find("lists"); lists != context.parameters.end())
    unit += fmt::format(", lists {}", lists->second);  // they determine the index distance
  if (guarantee.scope == GuaranteeScope::group) {
    unit += fmt::format(" inside a group of {}", context.options.mechanism.name);
    for (const auto& [name, value] : context.parameters) unit += fmt::format(" {}={}", name, value);
    unit += fmt::format(" with model {}", context.mechanism->model_digest());
  }
  return unit;
}

/// With a budget per document, amounts at several ε must have the same unit to be added up.
Result<void> check_one_unit(const RewriteContext& context) {
  SOTTO_ASSIGN(const bool has_one_unit, context.mechanism->has_one_unit());
  if (has_one_unit) return {};
  return fail_parameter(
      "ledger", "",
      base::format_message(
          "the distance that the epsilon of {} multiplies depends on epsilon, so documents of "
          "different lengths do not add up; give a fixed {{parameters.gamma}}",
          context.options.mechanism.name));
}

}  // namespace

Result<void> check_chargeable(const PrivatizeOptions& options) {
  if (options.seed)
    return fail_parameter(
        "ledger", "",
        base::format_message("cannot be given together with {{seed}}; seeded output is not private"));
  if (!options.keyed())
    return fail_parameter(
        "ledger", "",
        base::format_message(
            "needs {{key_file}}, so that a repeated document is known and spends nothing again"));
  return {};
}

Result<Charging> charging_of(const RewriteContext& context) {
  const Guarantee guarantee = context.mechanism->guarantee({});
  SOTTO_ASSIGN(std::string unit, account_unit(context, guarantee));
  if (!(guarantee.epsilon > 0 && std::isfinite(guarantee.epsilon)))
    return fail_parameter("ledger", "",
                          fmt::format("an epsilon of {} cannot be accounted for", guarantee.epsilon));
  SOTTO_TRY(check_one_unit(context));
  return Charging{std::move(unit), privacy::Decimal(guarantee.epsilon)};
}

}  // namespace sotto::pipeline

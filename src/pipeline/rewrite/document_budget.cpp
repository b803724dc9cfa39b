#include "pipeline/rewrite/document_budget.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "privacy/rounding.hpp"

namespace sotto {
using namespace pipeline;
namespace {

/// Calls `visit` with each run of equal ε and its length.
template <class Visit>
void for_each_run(std::span<const double> epsilons, const Visit& visit) {
  for (std::size_t begin = 0; begin < epsilons.size();) {
    std::size_t end = begin + 1;
    while (end < epsilons.size() && epsilons[end] == epsilons[begin]) ++end;
    visit(epsilons[begin], end - begin);
    begin = end;
  }
}

}  // namespace

Result<NamedBudget> parse_named_budget(std::string_view name) {
  NamedBudget named;
  SOTTO_ASSIGN(named.strategy, parse_budget_strategy(name));
  if (name == "S1") named.collocations = Segmentation::none;
  if (name == "S2" || name == "S3") named.collocations = Segmentation::gst;
  if (name == "S4") named.collocations = Segmentation::mst;
  if (named.collocations) named.stopwords = name == "S1" ? StopwordPolicy::keep : StopwordPolicy::privatize;
  return named;
}

Result<void> apply_named_budget(std::string_view name, double document_epsilon, PrivatizeOptions& options) {
  SOTTO_ASSIGN(const NamedBudget named, parse_named_budget(name));
  const bool per_token = named.strategy == BudgetStrategy::token;
  if (per_token && document_epsilon != 0)
    return fail_parameter(
        "budget", name,
        base::format_message("'{}' is for {{epsilon}}; give even, words, positions or S1 to S4", name));
  if (!per_token && document_epsilon == 0)
    return fail_parameter("budget", name, base::format_message("'{}' needs {{document_epsilon}}", name));
  if (named.collocations) options.collocations = *named.collocations;
  if (named.stopwords) options.policy.stopwords = *named.stopwords;
  if (!per_token) options.document_budget = DocumentBudget{named.strategy, document_epsilon, {}};
  return {};
}

Result<void> pipeline::check_budget(const PrivatizeOptions& options) {
  if (options.phrases && options.collocations == Segmentation::none)
    return fail_parameter(
        "phrases", options.phrases->string(),
        base::format_message("'{}' needs {{collocations}} gst, mst or optimal", options.phrases->string()));
  if (!options.document_budget) return {};
  const DocumentBudget& budget = *options.document_budget;
  if (options.mechanism.epsilon != 0)
    return fail_parameter(
        "document_epsilon", "",
        base::format_message("cannot be given together with {{epsilon}}; give one of them"));
  if (budget.strategy == BudgetStrategy::token)
    return fail_parameter(
        "budget", "token",
        base::format_message("'token' is for {{epsilon}}; give even, words, positions or S1 to S4"));
  if (options.target == PrivacyTarget::certified)
    return fail_parameter(
        "target", "certified",
        base::format_message(
            "'certified' needs {{epsilon}}; each length of a document would need a certificate of its own"));
  SOTTO_TRY(check_epsilon("document_epsilon", budget.epsilon));
  SOTTO_TRY(share_budget(budget.strategy, budget.epsilon, {1, 1}, budget.profile));
  return {};
}

void pipeline::count_shares(std::span<const double> epsilons, double budget, Counts& counts) {
  double sum = 0;
  for_each_run(epsilons, [&](double epsilon, std::size_t tokens) {
    sum = privacy::add_up(sum, privacy::multiply_up(static_cast<double>(tokens), epsilon));
    counts.largest_share = std::max(counts.largest_share, epsilon);
    counts.smallest_share = counts.smallest_share == 0 ? epsilon : std::min(counts.smallest_share, epsilon);
  });
  sum = std::min(sum, budget);  // what rounding up the sum adds was subtracted from the shares
  counts.epsilon_sum = privacy::add_up(counts.epsilon_sum, sum);
  counts.largest_epsilon = std::max(counts.largest_epsilon, sum);
}

NanoEpsilon pipeline::charge_for_shares(std::span<const double> epsilons, double budget) {
  NanoEpsilon charge = 0;
  for_each_run(epsilons, [&](double epsilon, std::size_t tokens) {
    charge = privacy::saturating_sum(charge, privacy::charge_for(privacy::Decimal(epsilon), tokens));
  });
  return std::min(charge, privacy::charge_for(privacy::Decimal(budget), 1));
}

}  // namespace sotto

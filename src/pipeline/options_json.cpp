#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sotto/options_json.hpp>

#include "pipeline/options_parts.hpp"

namespace sotto {
using namespace pipeline;
namespace {

using base::OptionsReader;

/// What several members determine together, whatever their order.
struct TokenMembers {
  std::string policy = "strict";
  std::vector<std::pair<std::string_view, std::string>> policy_parts;
  std::optional<double> document_epsilon;
  std::string budget;
  PositionProfile profile;
  std::string collocations;
};

void add_tokens(OptionsReader& reader, TokenMembers& members) {
  reader.text("policy", members.policy);
  for (const std::string_view part : {"stopwords", "oov", "numbers", "punctuation", "case", "articles"})
    add_policy_part(reader, part, [&members](std::string_view name, const std::string& value) {
      members.policy_parts.emplace_back(name, value);
    });
  reader.number("document_epsilon", members.document_epsilon);
  reader.text("budget", members.budget);
  reader.numbers("profile", members.profile);
  reader.text("collocations", members.collocations);
}

/// Parts given by themselves override what the policy and the name of the budget determine.
Result<void> apply(const TokenMembers& members, PrivatizeOptions& options) {
  SOTTO_ASSIGN(options.policy, parse_policy(members.policy));
  if (members.document_epsilon) SOTTO_TRY(check_epsilon("document_epsilon", *members.document_epsilon));
  if (!members.budget.empty() || members.document_epsilon)
    SOTTO_TRY(apply_named_budget(members.budget.empty() ? "even" : members.budget,
                                 members.document_epsilon.value_or(0), options));
  if (!members.profile.empty() && !options.document_budget)
    return fail_parameter("profile", "", base::format_message("only {{budget}} positions takes one"));
  if (options.document_budget) options.document_budget->profile = members.profile;
  for (const auto& [part, value] : members.policy_parts)
    SOTTO_TRY(set_policy_part(options.policy, part, value));
  if (members.collocations.empty()) return {};
  SOTTO_ASSIGN(options.collocations, parse_segmentation("collocations", members.collocations, true));
  return {};
}

/// All but epsilon.
void add_explanation(OptionsReader& reader, ExplainOptions& options) {
  add_mechanism(reader, options.mechanism);
  reader.named("oov", options.oov, [](const std::string& name) -> Result<OovPolicy> {
    SOTTO_ASSIGN(const std::size_t index, read_choice("oov", name, kReplacingOovNames));
    return static_cast<OovPolicy>(index);
  });
  reader.integer("top", options.top, 1, kMostListedOutputs);
  reader.integer("draws", options.draws, 1, kMostExplainingDraws);
}

}  // namespace

Result<PrivatizeOptions> privatize_options_from_json(std::string_view json) {
  PrivatizeOptions options;
  TokenMembers members;
  OptionsReader reader;
  add_mechanism(reader, options.mechanism);
  reader.number("epsilon", options.mechanism.epsilon);
  add_tokens(reader, members);
  reader.path("phrases", options.phrases);
  reader.named("target", options.target, parse_target);
  reader.integer("seed", options.seed);
  reader.path("key_file", options.key_file);
  reader.flag("unique_ids", options.unique_ids);
  reader.integer("max_document_bytes", options.max_document_bytes, 1, kLargestMaxDocumentBytes);
  add_language_model(reader, options.language);
  reader.number("delta", options.delta);
  reader.named("epsilon_chosen_on", options.epsilon_chosen_on, parse_epsilon_basis);
  SOTTO_TRY(reader.read(json));
  options.language.threads = options.mechanism.resources.threads;
  SOTTO_TRY(apply(members, options));
  return options;
}

Result<ExplainOptions> explain_options_from_json(std::string_view json) {
  ExplainOptions options;
  OptionsReader reader;
  add_explanation(reader, options);
  reader.number("epsilon", options.mechanism.epsilon);
  SOTTO_TRY(reader.read(json));
  return options;
}

Result<CompareOptions> compare_options_from_json(std::string_view json) {
  CompareOptions options;
  OptionsReader reader;
  add_explanation(reader, options.explain);
  reader.numbers("epsilons", options.epsilons);
  SOTTO_TRY(reader.read(json));
  return options;
}

Result<TextPlace> text_place_from_json(std::string_view json) {
  TextPlace place;
  OptionsReader reader;
  reader.text("text", place.text);
  reader.integer("word", place.word, 1);
  SOTTO_TRY(reader.read(json));
  return place;
}

Result<BudgetPlanOptions> budget_plan_options_from_json(std::string_view json) {
  BudgetPlanOptions options;
  std::optional<std::uint64_t> words;
  OptionsReader reader;
  add_mechanism(reader, options.mechanism);
  reader.number("epsilon", options.mechanism.epsilon);
  reader.named("budget", options.strategy, parse_budget_strategy);
  reader.numbers("profile", options.profile);
  reader.integer("tokens", options.shape.tokens, 1, kMostPlannedTokens);
  reader.integer("words", words, 1, kMostPlannedWords);
  reader.number("delta", options.delta);
  SOTTO_TRY(reader.read(json));
  options.shape.words = words.value_or(options.shape.tokens);
  return options;
}

}  // namespace sotto

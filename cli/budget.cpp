// sotto budget
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace sotto::cli {
namespace {

struct Arguments {
  MechanismChoice choice;
  std::string strategy = "token";
  std::string profile;
  std::string tokens;
  std::string words;
  std::string delta = "1e-6";
  bool json = false;
};

/// What a document of one shape gets and spends.
struct Plan {
  BudgetStrategy strategy;
  DocumentShape shape;
  std::vector<double> shares;
  ComposedLoss loss;
  double delta;
  std::optional<double> epsilon_at_delta;  // empty: there is no rho
};

std::string unit_name(const PrivacyUnit& unit) {
  return unit.is_pure() ? "epsilon" : fmt::format("epsilon times {}", unit.metric);
}

std::string as_text(const Plan& plan) {
  const auto [least, most] = std::minmax_element(plan.shares.begin(), plan.shares.end());
  std::string text = fmt::format("{} tokens of {} words, shared by {}\n", plan.shape.tokens, plan.shape.words,
                                 to_string(plan.strategy));
  text += *least == *most ? fmt::format("  each token: epsilon {:.6g}\n", *least)
                          : fmt::format("  each token: epsilon {:.6g} to {:.6g}\n", *least, *most);
  text += fmt::format("  unit: {}; scope: {}\n", unit_name(plan.loss.unit), to_string(plan.loss.scope));
  const std::string_view per = plan.loss.unit.is_pure() ? "" : ", if each token moves by a distance of 1";
  text += fmt::format("  added up: epsilon {:.6g}{}\n", plan.loss.epsilon, per);
  if (plan.loss.additive > 0)
    text += fmt::format("  on top, whatever the distances: {:.6g}\n", plan.loss.additive);
  text += plan.epsilon_at_delta
              ? fmt::format("  zero-concentrated: rho {:.6g}, which is epsilon {:.6g} at delta {:g}{}\n",
                            *plan.loss.rho, *plan.epsilon_at_delta, plan.delta, per)
              : std::string("  zero-concentrated: no rho; outputs outside the scope have no bound\n");
  text += fmt::format("  between texts that share: {}\n", join(plan.loss.adjacency));
  return text;
}

std::string as_json(const Plan& plan) {
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
  if (!plan.epsilon_at_delta) return to_text(json);
  json["rho"] = *plan.loss.rho;
  json["delta"] = plan.delta;
  json["epsilon_at_delta"] = *plan.epsilon_at_delta;
  return to_text(json);
}

/// Composes the guarantees of the mechanism at the ε of each token.
Result<void> compose(const Arguments& a, Plan& plan) {
  SOTTO_ASSIGN(const MechanismInfo* info, find_word_mechanism(a.choice.mechanism));
  SOTTO_ASSIGN(const ParameterValues settings, a.choice.parsed_settings());
  SOTTO_ASSIGN(const ParameterValues parameters, complete_parameters(*info, settings));
  SOTTO_ASSIGN(const auto file, find_model(a.choice.model.empty() ? info->default_model : a.choice.model));
  SOTTO_ASSIGN(const std::shared_ptr<const Model> model, Model::open(file));
  std::map<double, std::uint64_t> tokens_of;
  for (const double share : plan.shares) ++tokens_of[share];
  Composition composition;
  for (const auto& [epsilon, tokens] : tokens_of) {
    SOTTO_ASSIGN(const auto mechanism, make_mechanism(info->name, model, epsilon, parameters));
    SOTTO_TRY(
        composition.add(guarantee_for_texts(mechanism->guarantee(),
                                            {.collocations = plan.shape.words > plan.shape.tokens,
                                             .shares_by_words = plan.strategy == BudgetStrategy::words}),
                        tokens));
  }
  plan.loss = composition.losses().front();
  return {};
}

Result<void> run(const Arguments& a) {
  Plan plan;
  SOTTO_ASSIGN(const double epsilon, a.choice.parsed_epsilon());
  SOTTO_ASSIGN(plan.strategy, parse_budget_strategy(a.strategy));
  SOTTO_ASSIGN(plan.shape.tokens, parse_integer("--tokens", a.tokens, 1, 10'000'000));
  plan.shape.words = plan.shape.tokens;
  if (!a.words.empty()) {
    SOTTO_ASSIGN(plan.shape.words, parse_integer("--words", a.words, plan.shape.tokens, 100'000'000));
  }
  SOTTO_ASSIGN(plan.delta, parse_number("--delta", a.delta, 1e-300, 0.5));
  PositionProfile profile;
  if (!a.profile.empty()) {
    SOTTO_ASSIGN(profile, parse_position_profile(a.profile));
  }
  SOTTO_ASSIGN(plan.shares, share_budget(plan.strategy, epsilon, plan.shape, profile));
  SOTTO_TRY(compose(a, plan));
  if (plan.loss.rho) {
    SOTTO_ASSIGN(plan.epsilon_at_delta, epsilon_for_delta(*plan.loss.rho, plan.delta));
  }
  return print(a.json ? as_json(plan) : as_text(plan));
}

}  // namespace

Action add_budget(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("budget", "Plan what a document spends, and share it among its tokens");
  arguments->choice.add_options(*command);
  command->add_option("--tokens", arguments->tokens, "Tokens that go through the mechanism")
      ->required()
      ->type_name("N");
  command->add_option("--words", arguments->words, "Words these tokens consist of; default: as many")
      ->type_name("N");
  command
      ->add_option(
          "--budget", arguments->strategy,
          "token: epsilon for each; even (S1, S3, S4), words (S2), positions: epsilon for the document")
      ->capture_default_str()
      ->type_name("STRATEGY");
  command->add_option("--profile", arguments->profile, "Public weights along the document, for positions")
      ->type_name("W,W,...");
  command->add_option("--delta", arguments->delta, "For the zero-concentrated figure")
      ->capture_default_str()
      ->type_name("D");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "Examples:\n  sotto budget --epsilon 10 --tokens 6 --budget S1\n  sotto budget --mechanism custext "
      "--epsilon 2 --tokens 200 --delta 1e-9");
  return [arguments] { return run(*arguments); };
}

}  // namespace sotto::cli

// sotto budget
#include <algorithm>

#include <fmt/format.h>

#include "command.hpp"

namespace sotto::cli {
namespace {

struct BudgetArguments {
  MechanismChoice choice;
  std::string strategy = "token";
  std::string profile;
  std::string tokens;
  std::string words;
  std::string delta = "1e-6";
  bool json = false;
};

/// What the document consists of, and how it is drawn.
std::string shape_line(const BudgetPlan& plan) {
  const std::uint64_t tokens = plan.shape.tokens;
  if (plan.kind == MechanismKind::word_by_word)
    return fmt::format("{} of {}, shared by {}\n", counted(tokens, "token"),
                       counted(plan.shape.words, "word"), to_string(plan.strategy));
  const char* const what = plan.kind == MechanismKind::masked ? "word" : "token";
  std::string line =
      fmt::format("{}{}, {}{}", counted(tokens, what),
                  plan.kind == MechanismKind::generated ? " of the language model" : "",
                  plan.loss.draws > tokens ? "at most " : "", counted(plan.loss.draws, "draw"));
  if (plan.mean_draws != static_cast<double>(plan.loss.draws))
    line += fmt::format(", {:.6g} on average", plan.mean_draws);
  return line + '\n';
}

std::string shares_line(const BudgetPlan& plan) {
  const auto [least, most] = std::minmax_element(plan.shares.begin(), plan.shares.end());
  const char* const what = plan.kind == MechanismKind::word_by_word ? "token" : "draw";
  return *least == *most ? fmt::format("  each {}: epsilon {:.6g}\n", what, *least)
                         : fmt::format("  each {}: epsilon {:.6g} to {:.6g}\n", what, *least, *most);
}

/// Both figures are true, so the smaller one is the one to quote.
std::string quote_line(const BudgetPlan& plan, std::string_view per) {
  const QuotedLoss quoted = plan.quoted();
  const std::string at = quoted.delta > 0 ? fmt::format(" at delta {:g}", quoted.delta) : "";
  const char* const why = !plan.epsilon_at_delta ? "the only figure"
                          : quoted.delta > 0     ? "the smaller figure"
                                                 : "the smaller figure, and it needs no delta";
  const std::string additive = plan.loss.additive > 0 ? fmt::format(" plus {:.6g}", plan.loss.additive) : "";
  return fmt::format("  quote: epsilon {:.6g}{}{}{} ({})\n", quoted.epsilon, additive, at, per, why);
}

std::string as_text(const BudgetPlan& plan) {
  std::string text = shape_line(plan) + shares_line(plan);
  text += fmt::format("  unit: {}; scope: {}\n", readable_metric(unit_name(plan.loss.unit)),
                      to_string(plan.loss.scope));
  const std::string_view per = plan.loss.unit.is_pure() ? ""
                               : plan.shape.tokens == 1 ? ", if the token moves by a distance of 1"
                                                        : ", if each token moves by a distance of 1";
  text += fmt::format("  added up: epsilon {:.6g}{}\n", plan.loss.epsilon, per);
  if (plan.loss.additive > 0)
    text += fmt::format("  on top, whatever the distances: {:.6g}\n", plan.loss.additive);
  text += plan.epsilon_at_delta
              ? fmt::format("  zero-concentrated: rho {:.6g}, which is epsilon {:.6g} at delta {:g}{}\n",
                            *plan.loss.rho, *plan.epsilon_at_delta, plan.delta, per)
              : std::string("  zero-concentrated: no rho; outputs outside the scope have no bound\n");
  text += quote_line(plan, per);
  text += fmt::format("  between texts that share: {}\n", join(plan.loss.adjacency));
  return text;
}

Result<BudgetPlanOptions> parsed(const BudgetArguments& a) {
  BudgetPlanOptions options;
  options.mechanism.name = a.choice.mechanism;
  options.mechanism.model = a.choice.model;
  SOTTO_ASSIGN(options.mechanism.epsilon, a.choice.parsed_epsilon());
  SOTTO_ASSIGN(options.strategy, parse_budget_strategy(a.strategy));
  SOTTO_ASSIGN(options.shape.tokens, parse_integer("--tokens", a.tokens, 1, kMostPlannedTokens));
  options.shape.words = options.shape.tokens;
  if (!a.words.empty()) {
    SOTTO_ASSIGN(options.shape.words,
                 parse_integer("--words", a.words, options.shape.tokens, kMostPlannedWords));
  }
  SOTTO_ASSIGN(options.delta, parse_number("--delta", a.delta, 1e-300, 0.5));
  if (!a.profile.empty()) {
    SOTTO_ASSIGN(options.profile, parse_position_profile(a.profile));
  }
  SOTTO_ASSIGN(options.mechanism.parameters, a.choice.parsed_settings());
  return options;
}

Result<void> run(const BudgetArguments& a) {
  SOTTO_ASSIGN(const BudgetPlanOptions options, parsed(a));
  SOTTO_ASSIGN(const BudgetPlan plan, plan_budget(options));
  return print(a.json ? to_json(plan) : as_text(plan));
}

}  // namespace

Action add_budget(CLI::App& app) {
  auto arguments = std::make_shared<BudgetArguments>();
  CLI::App* command =
      app.add_subcommand("budget", "Plan what a document spends, and share it among its tokens");
  arguments->choice.add_options(*command);
  command
      ->add_option("--tokens", arguments->tokens,
                   "Tokens that go through the mechanism; words to draw, with a language model")
      ->required()
      ->type_name("N");
  command->add_option("--words", arguments->words, "Words these tokens consist of; default: as many")
      ->type_name("N");
  command
      ->add_option(
          "--budget", arguments->strategy,
          "token: epsilon for each token; even (S1, S3, S4), words (S2), positions: epsilon for the document")
      ->capture_default_str()
      ->type_name("STRATEGY");
  command->add_option("--profile", arguments->profile, "Public weights along the document, for positions")
      ->type_name("W,W,...");
  command->add_option("--delta", arguments->delta, "Delta of the zero-concentrated figure")
      ->capture_default_str()
      ->type_name("D");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "Examples:\n  sotto budget --epsilon 10 --tokens 6 --budget S1\n  sotto budget --mechanism custext "
      "--epsilon 2 --tokens 200 --delta 1e-9\n  sotto budget --mechanism dp-mlm --epsilon 10 --tokens 40");
  return [arguments] { return run(*arguments); };
}

}  // namespace sotto::cli

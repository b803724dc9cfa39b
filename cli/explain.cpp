// sotto explain
#include <fmt/format.h>

#include "command.hpp"

namespace sotto::cli {
namespace {

constexpr int kBarWidth = 30;

struct ExplainArguments {
  MechanismChoice choice;
  std::string word;
  std::string top = "10";
  std::string draws = "100000";
  bool json = false;
};

std::string as_text(const Explanation& e) {
  std::string text = fmt::format("{}{} in {}\n", e.word,
                                 e.in_vocabulary ? "" : " (outside the vocabulary, enters as ⊥)", e.model);
  text += fmt::format("  N_w, the probability that it stays: {:.6g}\n", e.stays);
  text += fmt::format("  S_w, expected distinct outputs in 100 draws: {:.1f}\n", e.distinct_in_100);
  text += fmt::format("  smallest set of outputs of probability 0.95: {} words\n", e.words_for_95_percent);
  text += fmt::format("  guarantee: {}. {}\n\n", to_string(e.guarantee.kind), e.guarantee.statement);
  if (e.draws > 0) text += fmt::format("  estimated from {} draws (± one standard error)\n\n", e.draws);
  const double largest = e.top.empty() ? 1 : e.top.front().probability;
  for (const Outcome& outcome : e.top) {
    const int filled = static_cast<int>(kBarWidth * outcome.probability / largest + 0.5);
    const std::string error = e.draws == 0 ? "" : fmt::format(" ± {:.6f}", outcome.standard_error);
    text +=
        fmt::format("  {:<20} {:10.6f}{}  {:#<{}}\n", outcome.word, outcome.probability, error, "", filled);
  }
  return text;
}

Result<void> run(const ExplainArguments& a) {
  ExplainOptions options;
  SOTTO_ASSIGN(options.mechanism, a.choice.parsed());
  SOTTO_ASSIGN(options.top, parse_integer("--top", a.top, 1, 1'000'000));
  SOTTO_ASSIGN(options.draws, parse_integer("--draws", a.draws, 1, 1'000'000'000));
  SOTTO_ASSIGN(const Explanation explanation, explain(a.word, options));
  return print(a.json ? to_json(explanation) : as_text(explanation));
}

}  // namespace

Action add_explain(CLI::App& app) {
  auto arguments = std::make_shared<ExplainArguments>();
  CLI::App* command = app.add_subcommand("explain", "Show the distribution of what a word becomes");
  command->add_option("WORD", arguments->word, "The word")->required();
  arguments->choice.add_options(*command);
  command->add_option("--top", arguments->top, "How many outputs to list")
      ->capture_default_str()
      ->type_name("K");
  command->add_option("--draws", arguments->draws, "How many draws where there is no closed form")
      ->capture_default_str()
      ->type_name("N");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "Examples:\n  sotto explain pizza --epsilon 1\n  sotto explain pizza --epsilon 0.1 --set lists=L2 "
      "--top 20 --json");
  return [arguments] { return run(*arguments); };
}

}  // namespace sotto::cli

// sotto explain
#include <fmt/format.h>

#include "choices.hpp"
#include "command.hpp"
#include "comparison_text.hpp"
#include "grid_options.hpp"
#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

constexpr int kBarWidth = 30;

struct ExplainArguments {
  MechanismChoice choice;
  std::string word;
  std::string text, number;
  std::string against;
  std::string top = "10";
  std::string draws = "100000";
  std::string oov = "nearest";
  bool json = false;
};

std::string as_text(const Explanation& e) {
  std::string text = fmt::format("{} in {}\n", visible_text(e.word), visible_text(e.model));
  if (!e.in_vocabulary)
    text += fmt::format("  {}\n", e.entry ? entry_text(*e.entry) : "not among the words that are drawn");
  if (e.place) text += fmt::format("  word {} of: {}\n", e.place->word, visible_text(e.place->text));
  const bool is_mapped = !e.in_vocabulary && e.entry && !e.entry->word.empty();
  text += fmt::format("  N_w, the probability that {}: {:.6g}\n",
                      is_mapped ? "'" + visible_text(e.entry->word) + "' comes out" : "it stays", e.stays);
  text += fmt::format("  S_w, expected distinct outputs in 100 draws: {:.1f}\n", e.distinct_in_100);
  text += fmt::format("  smallest set of outputs of probability 0.95: {}\n",
                      counted(e.words_for_95_percent, "word"));
  text += fmt::format("  guarantee: {}. {}\n{}", to_string(e.guarantee.kind),
                      visible_text(readable_metric(e.guarantee.statement)),
                      e.attacker ? fmt::format("  on all words: {}\n\n", describe(*e.attacker)) : "\n");
  if (e.draws > 0) text += fmt::format("  estimated from {} draws (± one standard error)\n\n", e.draws);
  const double largest = e.top.empty() ? 1 : e.top.front().probability;
  for (const Outcome& outcome : e.top) {
    const int filled = static_cast<int>(kBarWidth * outcome.probability / largest + 0.5);
    const std::string error = e.draws == 0 ? "" : fmt::format(" ± {:.6f}", outcome.standard_error);
    text += fmt::format("  {:<20} {:10.6f}{}  {:#<{}}\n", visible_text(outcome.word), outcome.probability,
                        error, "", filled);
  }
  return text;
}

/// ε, or several separated by commas.
Result<std::vector<double>> parsed_epsilons(const ExplainArguments& a) {
  if (a.choice.epsilon.empty()) SOTTO_TRY(a.choice.parsed_epsilon());
  SOTTO_ASSIGN(const std::vector<std::string> values, parse_values("--epsilon", a.choice.epsilon));
  std::vector<double> epsilons;
  for (const std::string& value : values) {
    SOTTO_ASSIGN(const double epsilon, parse_epsilon("--epsilon", value));
    epsilons.push_back(epsilon);
  }
  if (epsilons.size() > 1 && a.against.empty())
    return fail(
        Errc::invalid_argument,
        fmt::format("--epsilon: '{}' has several values; they need --against WORD", a.choice.epsilon));
  return epsilons;
}

/// The word of a text, or none if a word is given without a context.
Result<std::optional<TextPlace>> parsed_place(const ExplainArguments& a) {
  if (a.text.empty() && !a.number.empty())
    return fail(Errc::invalid_argument, fmt::format("--word: '{}' needs --text TEXT", a.number));
  if (a.text.empty() && a.word.empty())
    return fail(Errc::invalid_argument, "WORD: missing; give a word, or --text TEXT and --word N");
  if (a.text.empty() && rewrites_whole_texts(a.choice.mechanism))
    return fail(
        Errc::invalid_argument,
        fmt::format("--mechanism: '{}' rewrites whole texts; give --text TEXT and --word N instead of a word",
                    a.choice.mechanism));
  if (a.text.empty()) return std::nullopt;
  if (!a.word.empty())
    return fail(
        Errc::invalid_argument,
        fmt::format("'{}': a word cannot be given together with --text; choose one of the text's with "
                    "--word N",
                    a.word));
  if (a.number.empty())
    return fail(Errc::invalid_argument, "--word: missing; give the number of the word in the text, from 1");
  TextPlace place{a.text, 0};
  SOTTO_ASSIGN(place.word, parse_integer("--word", a.number, 1, 1'000'000'000));
  return place;
}

Result<ExplainOptions> parsed_options(const ExplainArguments& a) {
  ExplainOptions options;
  options.mechanism.name = a.choice.mechanism;
  options.mechanism.model = a.choice.model;
  SOTTO_ASSIGN(options.mechanism.parameters, a.choice.parsed_settings());
  SOTTO_ASSIGN(const std::size_t oov, read_choice("oov", a.oov, kReplacingOovNames));
  options.oov = static_cast<OovPolicy>(oov);
  SOTTO_ASSIGN(options.top, parse_integer("--top", a.top, 1, kMostListedOutputs));
  SOTTO_ASSIGN(options.draws, parse_integer("--draws", a.draws, 1, kMostExplainingDraws));
  return options;
}

Result<void> run(const ExplainArguments& a) {
  SOTTO_ASSIGN(const std::optional<TextPlace> place, parsed_place(a));
  SOTTO_ASSIGN(const std::vector<double> epsilons, parsed_epsilons(a));
  SOTTO_ASSIGN(ExplainOptions options, parsed_options(a));
  if (a.against.empty()) {
    options.mechanism.epsilon = epsilons.front();
    SOTTO_ASSIGN(const Explanation explanation, with_clock(false, [&] {
                   return place ? explain(*place, options) : explain(a.word, options);
                 }));
    return print(a.json ? to_json(explanation) : as_text(explanation));
  }
  const CompareOptions compared{options, epsilons};
  SOTTO_ASSIGN(const WordComparison comparison, with_clock(false, [&] {
                 return place ? compare_words(*place, a.against, compared)
                              : compare_words(a.word, a.against, compared);
               }));
  return print(a.json ? to_json(comparison) : comparison_text(comparison));
}

}  // namespace

Action add_explain(CLI::App& app) {
  auto arguments = std::make_shared<ExplainArguments>();
  CLI::App* command = app.add_subcommand("explain", "Show the distribution of what a word becomes");
  command->add_option("WORD", arguments->word, "The word");
  arguments->choice.add_options(*command);
  command
      ->add_option("--against", arguments->against,
                   "Compare with this word; --epsilon may then be several values, E,E,...")
      ->type_name("WORD");
  command
      ->add_option("--text", arguments->text, "Instead of WORD: a text, for mechanisms that read the context")
      ->type_name("TEXT");
  command->add_option("--word", arguments->number, "With --text: which of its words, from 1")->type_name("N");
  command
      ->add_option("--oov", arguments->oov,
                   "Words outside the vocabulary: nearest (mapped to a word by a public function of the "
                   "characters), bottom (all one input)")
      ->capture_default_str()
      ->type_name("WHAT");
  command->add_option("--top", arguments->top, "How many outputs to list")
      ->capture_default_str()
      ->type_name("K");
  command->add_option("--draws", arguments->draws, "How many draws where there is no closed form")
      ->capture_default_str()
      ->type_name("N");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "Examples:\n  sotto explain pizza --epsilon 1\n  sotto explain pizza --epsilon 0.1 --set lists=L2 "
      "--top 20 --json\n  sotto explain pizza --against sushi --epsilon 0.5,1,3\n  sotto explain --mechanism "
      "dp-mlm "
      "--text 'The soup was cold.' --word 2 --epsilon 10");
  return [arguments] { return run(*arguments); };
}

}  // namespace sotto::cli

// sotto attack
#include <algorithm>

#include <fmt/format.h>

#include "attack_mask.hpp"
#include "choices.hpp"
#include "command.hpp"
#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

struct AttackArguments {
  MechanismChoice choice;
  std::vector<std::string> attacks;
  std::string words = "1000";
  std::string prior = "uniform";
  std::string neighbours = "20";
  std::string draws = "1000";
  std::string trials = "100000";
  std::string confidence = "0.99";
  std::string seed;
  std::string original;
  std::string privatized;
  std::string output;
  std::string guesses = "10";
  ResourceOptions resources;
  bool json = false;
};

std::string estimate_text(const Estimate& estimate, bool exact) {
  if (exact) return fmt::format("{:.5g}", estimate.value);
  return fmt::format("{:.5g} ({:.5g} to {:.5g})", estimate.value, estimate.low, estimate.high);
}

std::string as_text(const AttackReport& r) {
  std::string text = fmt::format(
      "{} at ε = {:g} on {}\n  secret: one of {} words{}, {} prior; guessed blindly: {:.5g}\n", r.mechanism,
      r.epsilon, r.model, r.words, r.whole_vocabulary ? ", the whole vocabulary" : "",
      r.prior == "counts" ? "frequency" : "uniform", r.blind_success);
  text += r.exact ? std::string("  exact, from the mechanism's rows\n")
                  : fmt::format("  sampled: {} trials, intervals of confidence {:g} each\n", r.trials,
                                r.confidence);
  text += fmt::format("  L_M, expected distance between output and word: {}  ({})\n",
                      estimate_text(r.utility_loss, r.exact), r.metric);
  text += fmt::format("  L_M, probability that the word changes: {}\n\n", estimate_text(r.changed, r.exact));
  const int width = r.exact ? 12 : 34;
  text += fmt::format("  {:<10} {:<{}} {:>10}  {:<{}} {}\n", "attack", "success", width, "candidates", "E_M",
                      width, "adversary");
  for (const AttackResult& a : r.attacks)
    text += fmt::format("  {:<10} {:<{}} {:>10}  {:<{}} {}\n", a.name, estimate_text(a.success, r.exact),
                        width, a.candidates, estimate_text(a.expected_error, r.exact), width, a.adversary);
  return text +
         "\n  success: of the best guess among the candidates; the fewer there are, the easier it is to "
         "guess.\n"
         "  E_M: error of a guess drawn by the adversary's weights.\n"
         "  Of bayes, 1 - success is the Bayes-optimal error.\n";
}

/// This attack works on files, without a mechanism, so it cannot be combined with the others.
Result<bool> wants_masks(const AttackArguments& a) {
  for (const std::string& attack : a.attacks) SOTTO_TRY(parse_choice("--attack", attack, kAttackOptionNames));
  const bool masks = std::find(a.attacks.begin(), a.attacks.end(), kMaskAttack) != a.attacks.end();
  if (masks && (a.attacks.size() > 1 || !a.choice.epsilon.empty() || !a.choice.settings.empty()))
    return fail(Errc::invalid_argument,
                "--attack: 'mask' attacks texts, not a mechanism; give it alone, with --original and "
                "--privatized");
  if (!masks && !(a.original.empty() && a.privatized.empty()))
    return fail(Errc::invalid_argument, "--original, --privatized: are for --attack mask");
  return masks;
}

std::string as_text(const InputGuesses& g) {
  std::string text = fmt::format("{} at ε = {:g} on {}, {} prior: what became '{}'\n", g.mechanism, g.epsilon,
                                 g.model, g.prior == "counts" ? "frequency" : "uniform", g.output);
  if (!g.exact)
    text +=
        fmt::format("  estimated for the {} nearest words, {} draws of each, {} of which were the output\n",
                    g.candidates, g.draws, g.seen);
  for (const InputGuess& guess : g.guesses)
    text += fmt::format("  {:<24} {:.4g}\n", guess.word, guess.probability);
  return text + fmt::format("  guessed blindly: {:.4g}\n", g.blind);
}

/// What went in, seen from one output word.
Result<void> guess(const AttackArguments& a) {
  if (!a.attacks.empty())
    return fail(Errc::invalid_argument,
                "--attack: cannot be given together with --output; the Bayes adversary guesses");
  InputGuessOptions options;
  SOTTO_ASSIGN(options.mechanism, a.choice.parsed());
  options.prior = a.prior;
  SOTTO_ASSIGN(options.guesses, parse_integer("--guesses", a.guesses, 1, kMostListedGuesses));
  SOTTO_ASSIGN(options.neighbours, parse_integer("--neighbours", a.neighbours, 1, 1000));
  SOTTO_ASSIGN(options.draws, parse_integer("--draws", a.draws, 1, 1'000'000));
  SOTTO_ASSIGN(options.seed, parse_seed(a.seed));
  SOTTO_ASSIGN(options.mechanism.resources, a.resources.parsed());
  SOTTO_ASSIGN(const InputGuesses guesses, guess_inputs(a.output, options));
  return print(a.json ? to_json(guesses) : as_text(guesses));
}

Result<void> run(const AttackArguments& a) {
  if (!a.output.empty()) return guess(a);
  SOTTO_ASSIGN(const bool masks, wants_masks(a));
  if (masks)
    return attack_masks(
        {a.original, a.privatized, a.choice.model, a.neighbours, a.confidence, a.resources.threads, a.json});
  AttackOptions options;
  SOTTO_ASSIGN(options.mechanism, a.choice.parsed());
  options.attacks = a.attacks;
  options.words = 0;
  if (a.words != "all") {
    auto words = parse_integer("--words", a.words, 1, 1'000'000'000);
    if (!words) words.error().message += " or all";
    SOTTO_ASSIGN(options.words, std::move(words));
  }
  options.prior = a.prior;
  SOTTO_ASSIGN(options.neighbours, parse_integer("--neighbours", a.neighbours, 1, 1000));
  SOTTO_ASSIGN(options.draws, parse_integer("--draws", a.draws, 1, 100'000'000));
  SOTTO_ASSIGN(options.trials, parse_integer("--trials", a.trials, 1, 1'000'000'000));
  SOTTO_ASSIGN(options.confidence, parse_number("--confidence", a.confidence, 0.5, 0.999999999999));
  SOTTO_ASSIGN(options.seed, parse_seed(a.seed));
  SOTTO_ASSIGN(options.mechanism.resources, a.resources.parsed());
  SOTTO_ASSIGN(const AttackReport report,
               with_progress("words", false, options, [&] { return attack(options); }));
  return print(a.json ? to_json(report) : as_text(report));
}

}  // namespace

Action add_attack(CLI::App& app) {
  auto arguments = std::make_shared<AttackArguments>();
  CLI::App* command = app.add_subcommand("attack", "Guess the words behind a mechanism's output");
  arguments->choice.add_options(*command);
  add_many(*command, "--attack", arguments->attacks,
           "bayes, nearest or inversion; may be given several times. Or mask, for texts", "NAME");
  const auto add = option_adder(*command);
  add("--output", arguments->output, "Guess what became this one word, instead of an average", "WORD");
  add("--guesses", arguments->guesses, "output: guesses to list", "N");
  add("--words", arguments->words, "Number of possible secret words, drawn from the prior, or all", "N");
  add("--prior", arguments->prior, "Prior of the secret: uniform, or counts (the model's)", "NAME");
  add("--neighbours", arguments->neighbours, "Candidates of the inversion, and guesses of mask", "K");
  add("--draws", arguments->draws, "Without a closed form: draws per word to learn from", "N");
  add("--trials", arguments->trials, "Without a closed form: secrets to guess", "N");
  add("--confidence", arguments->confidence, "Confidence of each interval", "C");
  add("--seed", arguments->seed, "Make the choice of words and the draws reproducible", "N");
  add("--original", arguments->original, "mask: original texts, one per line", "FILE");
  add("--privatized", arguments->privatized, "mask: the privatized texts, line by line", "FILE");
  arguments->resources.add_options(*command);
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "Examples:\n  sotto attack --mechanism santext --epsilon 5\n"
      "  sotto attack --mechanism cmp --epsilon 10 --prior counts --attack bayes --json\n"
      "  sotto attack --mechanism santext --epsilon 5 --output soup\n"
      "  sotto attack --attack mask --original reviews.txt --privatized private.txt");
  return [arguments] { return run(*arguments); };
}

}  // namespace sotto::cli

// sotto tune
#include "command.hpp"
#include "grid_options.hpp"
#include "progress_bar.hpp"
#include "tune_report.hpp"

namespace sotto::cli {
namespace {

struct TuneArguments {
  std::vector<std::string> mechanisms = {"vickrey"};
  std::string epsilon;
  GridOptions grid;
  std::vector<std::string> models;
  std::string words;
  std::vector<std::string> classes;
  std::string losses;
  std::string max_loss;
  std::string objective = "inference-error";
  std::string prior = "list";
  std::string outputs = "model";
  std::string unlabelled_loss = "1";
  bool unproven = false;
  std::string draws = "100";
  std::string confidence = "0.99";
  std::string output;
  std::string seed;
  ResourceOptions resources;
  bool all = false;
  bool quiet = false;
  bool json = false;
};

Result<std::vector<double>> parse_epsilons(const std::string& text) {
  if (text.empty())
    return fail(Errc::invalid_argument,
                "--epsilon: missing; give numbers from 1e-9 to 1e6, for example 1,2,5 or 1:20:1");
  SOTTO_ASSIGN(const std::vector<std::string> values, parse_values("--epsilon", text));
  std::vector<double> epsilons;
  for (const std::string& value : values) {
    SOTTO_ASSIGN(const double epsilon, parse_epsilon("--epsilon", value));
    epsilons.push_back(epsilon);
  }
  return epsilons;
}

Result<WordTaskOptions> parse_task(const TuneArguments& a) {
  WordTaskOptions task;
  if (!a.words.empty()) task.table = a.words;
  for (const std::string& entry : a.classes) {
    SOTTO_ASSIGN(auto pair, split_pair("--class", entry, "LABEL=FILE"));
    task.classes.emplace_back(std::move(pair.first), std::move(pair.second));
  }
  if (!a.losses.empty()) task.losses = a.losses;
  task.prior = a.prior;
  task.outputs = a.outputs;
  SOTTO_ASSIGN(task.unlabelled_loss, parse_number("--unlabelled-loss", a.unlabelled_loss, 0, kLargestLoss));
  return task;
}

Result<TuneOptions> parse_options(const TuneArguments& a) {
  TuneOptions options;
  options.mechanisms = split_names(a.mechanisms);
  SOTTO_ASSIGN(options.epsilons, parse_epsilons(a.epsilon));
  SOTTO_ASSIGN(options.grid, a.grid.parsed());
  options.models = a.models;
  SOTTO_ASSIGN(options.task, parse_task(a));
  if (a.max_loss.empty())
    return fail(Errc::invalid_argument, "--max-loss: missing; give the largest L_M that you accept");
  SOTTO_ASSIGN(options.largest_loss, parse_number("--max-loss", a.max_loss, 0, kLargestLoss));
  SOTTO_ASSIGN(const std::size_t objective, parse_choice("--objective", a.objective, kTuneObjectiveNames));
  options.objective = static_cast<TuneObjective>(objective);
  options.unproven = a.unproven;
  SOTTO_ASSIGN(options.draws, parse_integer("--draws", a.draws, 2, 100'000'000));
  SOTTO_ASSIGN(options.confidence, parse_number("--confidence", a.confidence, 0.5, 0.999999999999));
  if (!a.output.empty()) options.plot = a.output;
  SOTTO_ASSIGN(options.seed, parse_seed(a.seed));
  SOTTO_ASSIGN(options.resources, a.resources.parsed());
  return options;
}

Result<void> run(const TuneArguments& a) {
  SOTTO_ASSIGN(TuneOptions options, parse_options(a));
  SOTTO_ASSIGN(const TuneReport report,
               with_progress("words", a.quiet, options, [&] { return tune(options); }));
  return print(a.json ? to_json(report) : tune_text(report, a.all));
}

constexpr const char* kTuneFooter =
    R"(Maximises E_M, the adversary's expected inference error, subject to L_M <= C, the expected loss when a
word becomes another (1 where their labels differ, unless --losses says otherwise). Every combination of
mechanism, parameters and epsilon is measured: exactly where the mechanism has a closed form, otherwise
with --draws outputs per word.

Examples:
  sotto tune --class good=positive.txt --class bad=negative.txt -e 10,20,50,100 \
      --grid t=0:1:0.25 --max-loss 0.06 -o frontier.svg
  sotto tune --words words.tsv --mechanism santext,tem -e 1:20:1 --max-loss 0.1 --objective best-guess)";

}  // namespace

Action add_tune(CLI::App& app) {
  auto arguments = std::make_shared<TuneArguments>();
  CLI::App* command =
      app.add_subcommand("tune", "Choose mechanism, parameters and epsilon for a list of words");
  const auto add = option_adder(*command);
  add("--words", arguments->words, "Lines of word, label and optionally count, separated by tabs", "FILE");
  add_many(*command, "--class", arguments->classes,
           "Words of one label, one per line; may be given several times", "LABEL=FILE");
  add("--max-loss", arguments->max_loss, "Largest L_M that you accept", "C");
  add("-e,--epsilon", arguments->epsilon, "Values to try, such as 1,2,5 or 1:20:1", "E,...");
  add_names_option(*command, arguments->mechanisms, "Mechanisms to try (default: vickrey)");
  arguments->grid.add_options(*command);
  add_many(*command, "--model", arguments->models,
           "Model by name or path; each mechanism uses the first that it can (default: its own)",
           "NAME|PATH");
  add("--losses", arguments->losses, "Lines of from, to and loss, separated by tabs, for labels or words",
      "FILE");
  add("--objective", arguments->objective, "What to maximise: inference-error (E_M) or best-guess", "NAME");
  add("--prior", arguments->prior, "Prior of the secret word: list, uniform, or counts (the model's)",
      "NAME");
  add("--outputs", arguments->outputs,
      "Possible outputs: words of the model, or as in the paper of the list alone, which no command runs",
      "model|list");
  add("--unlabelled-loss", arguments->unlabelled_loss, "With --outputs model: loss of words outside the list",
      "L");
  command->add_flag("--unproven", arguments->unproven, "Mechanisms without a guarantee may be chosen");
  add("--draws", arguments->draws, "Without a closed form: outputs drawn per word", "N");
  add("--confidence", arguments->confidence, "Confidence of each interval", "C");
  add("-o,--output", arguments->output, "Plot the frontier", "FILE.svg");
  add("--seed", arguments->seed, "Make draws reproducible", "N");
  arguments->resources.add_options(*command);
  command->add_flag("--all", arguments->all, "Print every setting, not only the frontier");
  command->add_flag("--quiet", arguments->quiet, "No progress bar");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(kTuneFooter);
  return [arguments] { return run(*arguments); };
}

}  // namespace sotto::cli

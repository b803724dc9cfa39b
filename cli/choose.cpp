// sotto choose
#include <fmt/format.h>
#include <unistd.h>

#include <sotto/choose.hpp>
#include <sotto/input_encoding.hpp>

#include "choose_report.hpp"
#include "command.hpp"
#include "grid_options.hpp"
#include "progress_bar.hpp"
#include "record_options.hpp"
#include "terminal.hpp"

namespace sotto::cli {
namespace {

struct ChooseArguments {
  std::vector<std::string> inputs;
  std::vector<std::string> mechanisms;
  RecordOptions records;
  std::string model;
  std::string public_text;
  std::string most_recovered = "0.25";
  std::string seed = "1";
  std::string output;
  ResourceOptions resources;
  bool use_private = false;
  bool quiet = false;
  bool json = false;
};

Result<ChooseOptions> parse_options(const ChooseArguments& a) {
  ChooseOptions options;
  options.files.inputs.assign(a.inputs.begin(), a.inputs.end());
  SOTTO_TRY(a.records.apply_to(options.files));
  for (const std::string& name : split_names(a.mechanisms))
    options.mechanisms.push_back({.name = name, .model = a.model});
  if (a.mechanisms.empty() && !a.model.empty())
    return fail(
        Errc::invalid_argument,
        "--model: name the mechanisms that use it with --mechanism; the usual ones need different models");
  if (!a.public_text.empty()) options.public_text = a.public_text;
  options.use_private = a.use_private;
  SOTTO_ASSIGN(options.most_recovered, parse_number("--most-recovered", a.most_recovered, 0.01, 0.99));
  SOTTO_ASSIGN(const auto seed, parse_seed(a.seed));
  options.seed = seed.value_or(1);
  SOTTO_ASSIGN(options.resources, a.resources.parsed());
  return options;
}

Result<void> run(const ChooseArguments& a) {
  SOTTO_ASSIGN(ChooseOptions options, parse_options(a));
  if (!a.output.empty()) SOTTO_TRY(check_choice_page(options, a.output));
  SOTTO_ASSIGN(const Choice choice,
               with_progress("measurements", a.quiet, options, [&] { return choose(options); }));
  SOTTO_ASSIGN(const IllFormedInput ill_formed, find_ill_formed_input(options.files));
  FileOptions recommended = options.files;
  if (!ill_formed.likely_encoding.empty()) recommended.encoding = ill_formed.likely_encoding;
  const std::string command = recommended_command(choice, recommended);
  if (!a.output.empty()) SOTTO_TRY(write_choice_page(choice, command, options, a.output));
  if (ill_formed.sequences > 0) say(encoding_warning(ill_formed.sequences, ill_formed.likely_encoding));
  return print(a.json ? to_json(choice) : choice_text(choice, command, terminal_width(STDOUT_FILENO)));
}

constexpr const char* kChooseFooter =
    R"(Measures a sample of the file and shows, for each mechanism, the useful range of epsilon, how many words
change, how many an attacker with public word frequencies recovers, and how similar texts remain. Recommends
the mechanism that keeps texts most similar while the attacker recovers at most --most-recovered of the words.

An epsilon chosen by looking at private text is a function of it. So the recommendation rests on public text:
--public, or sentences that come with Sotto. Figures of your file stand beside it and do not change it, unless
--use-private; the receipt of the recommended run then says so. The output has lines of your file: keep it to
yourself.

Examples:
  sotto choose reviews.txt
  sotto choose tickets.csv --field body --mechanism tem,cmp -o choice.html
  sotto choose export.csv --delimiter ';' --encoding windows-1252 --field comment
  sotto choose notes.jsonl --field text --public public-notes.txt --most-recovered 0.15)";

}  // namespace

Action add_choose(CLI::App& app) {
  auto arguments = std::make_shared<ChooseArguments>();
  CLI::App* command =
      app.add_subcommand("choose", "Compare mechanisms on a text and choose one, with its epsilon");
  command->add_option("FILE", arguments->inputs, "The private text")->required();
  arguments->records.add_options(*command);
  const auto add = option_adder(*command);
  add_names_option(*command, arguments->mechanisms,
                   "At most four (default: diffractor-geometric, santext, tem, cmp)");
  add("--model", arguments->model, "Model of these mechanisms, by name or path (default: theirs)",
      "NAME|PATH");
  add("--public", arguments->public_text, "Public text like yours, one document per line", "FILE");
  command->add_flag("--use-private", arguments->use_private,
                    "Recommend by the private text; the receipt of the recommended run says so");
  add("--most-recovered", arguments->most_recovered, "Share of the words that an attacker may recover",
      "SHARE");
  add("-o,--output", arguments->output, "Write a page, readable by you only", "FILE.html");
  add("--seed", arguments->seed, "Which documents are measured, and draws on public text", "N");
  arguments->resources.add_options(*command);
  command->add_flag("--quiet", arguments->quiet, "No progress bar");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(kChooseFooter);
  return [arguments] { return run(*arguments); };
}

}  // namespace sotto::cli

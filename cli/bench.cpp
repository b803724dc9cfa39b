// sotto bench
#include <memory>

#include <fmt/format.h>

#include "bench_report.hpp"
#include "command.hpp"
#include "grid_options.hpp"
#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

struct BenchArguments {
  std::vector<std::string> mechanisms;
  std::string epsilon = "1";
  GridOptions grid;
  std::string model;
  std::string words = "1000";
  std::string data;
  std::string format;
  std::vector<std::string> fields;
  std::string output;
  std::string seed;
  ResourceOptions resources;
  bool quiet = false;
  bool json = false;
};

Result<BenchOptions> parse_options(const BenchArguments& a) {
  BenchOptions options;
  options.mechanisms = split_names(a.mechanisms);
  SOTTO_ASSIGN(options.epsilon, parse_epsilon("--epsilon", a.epsilon));
  SOTTO_ASSIGN(options.grid, a.grid.parsed());
  options.model = a.model;
  SOTTO_ASSIGN(options.words, parse_integer("--words", a.words, 1, 1'000'000'000));
  if (!a.data.empty()) options.data = a.data;
  if (!a.format.empty()) {
    SOTTO_ASSIGN(options.format, parse_format(a.format));
  }
  options.fields = a.fields;
  if (!a.output.empty()) options.plot = a.output;
  SOTTO_ASSIGN(options.seed, parse_seed(a.seed));
  SOTTO_ASSIGN(options.resources, a.resources.parsed());
  return options;
}

Result<void> run(const BenchArguments& a) {
  SOTTO_ASSIGN(BenchOptions options, parse_options(a));
  SOTTO_ASSIGN(const BenchReport report,
               with_progress("mechanisms", a.quiet, options, [&] { return bench(options); }));
  return print(a.json ? to_json(report) : bench_text(report));
}

constexpr const char* kBenchFooter =
    R"(Each mechanism runs in a process of its own: it is set up, rewrites random words on one thread, the first
time and again, and then, with --data, a whole data set on all threads, discarding the output. Rates are
extrapolated to a day and exclude set-up. Memory per word is the growth of peak resident memory after set-up,
divided by the number of words.

Examples:
  sotto bench
  sotto bench --mechanism cmp,vickrey,diffractor-geometric --epsilon 10 --data reviews.txt -o speed.svg)";

}  // namespace

Action add_bench(CLI::App& app) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* command = app.add_subcommand("bench", "Measure speed and memory of mechanisms on this machine");
  const auto add = option_adder(*command);
  add_names_option(*command, arguments->mechanisms, "Mechanisms to measure (default: all)");
  add("-e,--epsilon", arguments->epsilon, "Privacy parameter per token, 1e-9 to 1e6", "E");
  arguments->grid.add_options(*command);
  add("--model", arguments->model, "Model by name or path (default: each mechanism's)", "NAME|PATH");
  add("--words", arguments->words, "Number of random words", "N");
  add("--data", arguments->data, "A data set to rewrite", "FILE");
  add("--format", arguments->format,
      "Format of the data set: text, jsonl, json, csv or tsv (default: by its extension)", "NAME");
  add_many(*command, "--field", arguments->fields, "Field that holds the text; may be given several times",
           "NAME");
  add("-o,--output", arguments->output, "Plot the speeds", "FILE.svg");
  add("--seed", arguments->seed, "Make words and noise reproducible", "N");
  arguments->resources.add_options(*command, "Threads for the data set (default: one per processor)");
  command->add_flag("--quiet", arguments->quiet, "No progress bar");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(kBenchFooter);
  return [arguments] { return run(*arguments); };
}

}  // namespace sotto::cli

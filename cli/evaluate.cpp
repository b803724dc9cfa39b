// sotto evaluate
#include <fmt/format.h>

#include "command.hpp"
#include "interruption.hpp"
#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

struct EvaluateArguments {
  std::string run_file, output, data, threads;
  bool quick = false, skip_missing = false, json = false, quiet = false;
};

std::uint64_t total(const std::vector<AbsentCells>& reasons) {
  std::uint64_t cells = 0;
  for (const AbsentCells& entry : reasons) cells += entry.cells;
  return cells;
}

std::string listed(std::string_view what, const std::vector<AbsentCells>& reasons) {
  std::string text;
  for (const AbsentCells& entry : reasons)
    text += fmt::format("{} {}: {}\n", entry.cells, what, entry.reason);
  return text;
}

std::string as_text(const ExperimentSummary& summary) {
  std::string text = fmt::format("{}\n{} cells: {} computed now, {} kept from before, {} absent, {} failed\n",
                                 summary.title, summary.cells, summary.computed, summary.kept,
                                 total(summary.absent), total(summary.failed));
  text += listed("absent", summary.absent) + listed("failed", summary.failed);
  return text + fmt::format("report: {}\nseeded: not private\n", (summary.output / "report.html").string());
}

Result<void> run(const EvaluateArguments& a) {
  ExperimentOptions options;
  options.run_file = a.run_file;
  options.quick = a.quick;
  options.output = a.output;
  options.data = a.data;
  options.skip_missing = a.skip_missing;
  SOTTO_ASSIGN(options.threads, parse_threads(a.threads));
  can_be_resumed();
  Result<ExperimentSummary> summary =
      with_progress("cells", a.quiet, options, [&] { return run_experiment(options); });
  if (!summary && summary.error().code == Errc::interrupted)
    return fail(
        Errc::interrupted,
        fmt::format("interrupted; the finished cells are in {}, and the same command continues from there",
                    (a.output.empty() ? default_experiment_folder(options) : options.output).string()));
  if (!summary) return tl::unexpected(summary.error());
  SOTTO_TRY(print(a.json ? to_json(*summary) : as_text(*summary)));
  if (!summary->failed.empty())
    return fail(Errc::io,
                fmt::format("{} cells failed; the same command tries them again", total(summary->failed)));
  return {};
}

}  // namespace

Action add_evaluate(CLI::App& app) {
  auto a = std::make_shared<EvaluateArguments>();
  CLI::App* command = app.add_subcommand("evaluate", "Run an experiment and write its report");
  command->add_option("RUN", a->run_file, "What to run: a YAML file (see experiments/ and docs/evaluate.md)")
      ->required()
      ->type_name("");
  command->add_option("-o,--output", a->output, "Folder of the results (default: RUN-results)")
      ->type_name("FOLDER");
  command->add_flag("--quick", a->quick, "The small size that the file describes under 'quick'");
  command
      ->add_option("--data", a->data,
                   "Folder of the data sets and vectors (default: $SOTTO_DATA, or RUN's folder)")
      ->type_name("FOLDER");
  command->add_flag("--skip-missing", a->skip_missing,
                    "Measure what can be measured if data or models are not there");
  command->add_option("--threads", a->threads, "Threads (default: one per processor); changes no figure")
      ->type_name("N");
  command->add_flag("--json", a->json, "Print a summary as JSON");
  command->add_flag("--quiet", a->quiet, "No progress bar");
  command->footer(
      "Example:\n  sotto evaluate experiments/comparative.yaml --quick --data ~/data\n\n"
      "Stop it at any time; the same command resumes it.");
  return [a] { return run(*a); };
}

}  // namespace sotto::cli

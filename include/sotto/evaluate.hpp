// Experiments: a YAML file that names data sets, models, mechanisms, ε and measures is run as a grid of
// cells. docs/evaluate.md describes the file and what comes out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto {

struct ExperimentOptions {
  std::filesystem::path run_file;
  bool quick = false;            ///< lay what stands under `quick` upon the rest of the file
  std::filesystem::path output;  ///< folder; empty: default_experiment_folder()
  std::filesystem::path data;    ///< the data folder; empty: $SOTTO_DATA
  unsigned threads = 0;          ///< 0: one for each processor; changes no figure
  ProgressCallback progress;     ///< told the cells (and privatized texts) that are done, and those to do
};

/// Why some cells have no figures.
struct AbsentCells {
  std::string reason;
  std::uint64_t cells = 0;
};

struct ExperimentSummary {
  std::string title;
  std::filesystem::path output;
  std::uint64_t cells = 0;     ///< of the grid
  std::uint64_t kept = 0;      ///< of these, finished by an earlier run
  std::uint64_t computed = 0;  ///< by this run
  std::vector<AbsentCells> absent;
  std::vector<AbsentCells> failed;
  double seconds = 0;
};

/// As JSON (docs/schemas/experiment.schema.json), ending in a newline. Thread-safe.
std::string to_json(const ExperimentSummary& summary);

/// "<name of the run file>-results", with "-quick" before it for the quick size, in the working folder.
std::filesystem::path default_experiment_folder(const ExperimentOptions& options);

/// Runs the experiment and writes into the folder: cells/ (one file for each finished cell), texts/
/// (privatized texts), models/ (imported ones), results.jsonl (a line for each cell, in the order of the
/// grid, without times), timings.jsonl, tables/ (CSV and LaTeX) and report.html.
///
/// A cell that is finished is not computed again, by this run file or another that describes the same cell;
/// after a kill the same call goes on, and results.jsonl is that of an undisturbed run, byte for byte. Draws
/// are seeded: nothing in the folder is private. Data, models, mechanisms and classifiers that are not there
/// leave their cells absent; the summary and the report say why. A second run on the same folder is refused
/// while the first one works. Thread-safe.
Result<ExperimentSummary> run_experiment(const ExperimentOptions& options);

}  // namespace sotto

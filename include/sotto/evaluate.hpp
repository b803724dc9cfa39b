// Experiments: runs a YAML file that names data sets, models, mechanisms, ε and measures as a grid of cells.
// docs/evaluate.md describes the file and the results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/model.hpp>
#include <sotto/progress.hpp>
#include <sotto/result.hpp>

namespace sotto {

struct ExperimentOptions {
  std::filesystem::path run_file;
  bool quick = false;            ///< entries under `quick` override the rest of the file
  std::filesystem::path output;  ///< folder; empty: default_experiment_folder()
  std::filesystem::path data;    ///< data folder; empty: $SOTTO_DATA, or else the run file's folder
  bool skip_missing = false;     ///< measure what the data there is allows, instead of refusing the run
  unsigned threads = 0;          ///< 0: one per processor; does not change the figures
  ProgressCallback progress;     ///< receives the number of cells (and privatized texts) done, and the total
};

/// Why some cells have no figures.
struct AbsentCells {
  std::string reason;
  std::uint64_t cells = 0;
};

struct ExperimentSummary {
  std::string title;
  std::filesystem::path output;
  std::uint64_t cells = 0;     ///< in the grid
  std::uint64_t kept = 0;      ///< of these, finished by an earlier run
  std::uint64_t computed = 0;  ///< by this run
  std::vector<AbsentCells> absent;
  std::vector<AbsentCells> failed;
  double seconds = 0;
};

/// As JSON (docs/schemas/experiment.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const ExperimentSummary& summary);

/// "<stem>-results", for the quick size "<stem>-quick-results", in the working folder; <stem> is the name of
/// the run file without its extension. Thread-safe.
SOTTO_API std::filesystem::path default_experiment_folder(const ExperimentOptions& options);

/// Runs the experiment and writes to the folder: cells/ (one file per finished cell), texts/ (privatized
/// texts), models/ (imported models), results.jsonl (one line per cell, in grid order, without times),
/// timings.jsonl, tables/ (CSV and LaTeX) and report.html.
///
/// A finished cell is not computed again, neither for this run file nor for another one that describes the
/// same cell. After a kill, the same call continues, and results.jsonl is byte for byte that of an
/// uninterrupted run. Draws are seeded: nothing in the folder is private.
///
/// A run is refused before anything is written if a file of its data is not there, unless `skip_missing` says
/// otherwise; if nothing at all can be measured; and if the folder holds figures that it cannot measure
/// again. With `skip_missing`, and for models and libraries that this machine does not have, the cells that
/// need them are absent; the summary and the report say why. A second run on the same folder is refused while
/// the first one is running. Thread-safe except while the first language model or network is loaded (see
/// language_models.hpp).
SOTTO_API Result<ExperimentSummary> run_experiment(const ExperimentOptions& options);

}  // namespace sotto

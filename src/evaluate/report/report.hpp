// The report of an experiment: an HTML page for readers, tables as CSV and LaTeX.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <sotto/evaluate.hpp>
#include <sotto/result.hpp>

#include "evaluate/experiment/experiment_inputs.hpp"
#include "evaluate/experiment/experiment_spec.hpp"
#include "evaluate/experiment/text_samples.hpp"
#include "evaluate/report/observations.hpp"

namespace sotto::evaluate {

struct ReportInput {
  const ExperimentSpec& run;
  const ExperimentInputs& inputs;
  const std::vector<nlohmann::ordered_json>& results;  ///< lines of results.jsonl
  const std::vector<nlohmann::ordered_json>& speeds;   ///< of the privatized texts
  const std::vector<TextSample>& samples;
  const ExperimentSummary& summary;
  bool quick = false;
};

/// The data behind tables and plots.
struct ReportData {
  const ReportInput& input;
  Observations observations;

  const ExperimentSpec& run() const { return input.run; }
  /// The score that measures the utility of a data set, by its name among a cell's values.
  std::string utility_score(const std::string& dataset) const;
  /// The figure on original texts: for the cell's model if the classifier uses it.
  std::optional<Figure> baseline(CellKind kind, const std::string& dataset, const std::string& model,
                                 const std::string& measure, const std::string& value) const;
};

/// The display name of a score.
std::string score_title(const std::string& score);

/// Writes report.html and tables/ into the folder.
Result<void> write_report(const ReportInput& input, const std::filesystem::path& folder);

}  // namespace sotto::evaluate

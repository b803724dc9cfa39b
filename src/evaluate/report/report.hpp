// The report of an experiment: a page for people, tables as CSV and LaTeX.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <sotto/evaluate.hpp>
#include <sotto/result.hpp>

#include "evaluate/material.hpp"
#include "evaluate/report/observations.hpp"
#include "evaluate/run_file.hpp"

namespace sotto {

struct ReportInput {
  const RunFile& run;
  const Material& material;
  const std::vector<nlohmann::ordered_json>& results;  ///< lines of results.jsonl
  const std::vector<nlohmann::ordered_json>& speeds;   ///< of the privatized texts
  const ExperimentSummary& summary;
  bool quick = false;
};

/// What tables and plots are made from.
struct ReportData {
  const ReportInput& input;
  Observations observations;

  const RunFile& run() const { return input.run; }
  /// The score that says how useful a data set still is, by its name among a cell's values.
  std::string utility_score(const std::string& dataset) const;
  /// The figure on original texts: of the cell's model where the classifier uses it.
  std::optional<Figure> baseline(CellKind kind, const std::string& dataset, const std::string& model,
                                 const std::string& measure, const std::string& value) const;
};

/// The name of a score for readers.
std::string score_title(const std::string& score);

/// Writes report.html and tables/ into the folder.
Result<void> write_report(const ReportInput& input, const std::filesystem::path& folder);

}  // namespace sotto

#include "evaluate/report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sotto/version.hpp>

#include "evaluate/experiment/run_folder.hpp"
#include "evaluate/experiment/yaml_map.hpp"
#include "evaluate/report/html_page.hpp"
#include "evaluate/report/plots.hpp"
#include "evaluate/report/samples.hpp"
#include "evaluate/report/tables.hpp"

namespace sotto::evaluate {
namespace {

using Tables = std::vector<ReportTable>;

/// A table that describes the run; it has no figures to compare.
ReportTable described(std::string id, std::string title, const std::vector<std::string>& columns) {
  ReportTable table{std::move(id), std::move(title), "", {}, {}, 1, {}};
  for (const std::string& column : columns) table.columns.push_back({column, Better::neither});
  return table;
}

TableCell count(std::size_t value) {
  return TableCell::of(fmt::format("{}", value));
}

ReportTable dataset_table(const ReportData& data) {
  ReportTable table = described("setup-datasets", "Data sets.", {"name", "split", "rows", "what"});
  for (const DatasetSpec& spec : data.run().datasets) {
    const DatasetEntry& entry = data.input.inputs.entry(spec.label);
    for (const SplitSource& source : entry.splits) {
      if (!data.input.inputs.has_split(spec.label, source.name)) continue;
      const auto split = data.input.inputs.split(spec.label, source.name);
      table.rows.push_back({TableCell::of(spec.label), TableCell::of(source.name),
                            split ? count((*split)->size()) : TableCell::of("absent"),
                            TableCell::of(entry.about)});
    }
  }
  return table;
}

ReportTable model_table(const ReportData& data) {
  ReportTable table = described("setup-models", "Models.", {"name", "words", "dimensions", "what"});
  for (const ModelSpec& spec : data.run().models) {
    const auto model = data.input.inputs.model(spec.label);
    if (!model) {
      table.rows.push_back({TableCell::of(spec.label), TableCell::of("absent"), TableCell::of(""),
                            TableCell::of(describe_for_run_file(model.error()))});
      continue;
    }
    table.rows.push_back({TableCell::of(spec.label), count((*model)->words), count((*model)->dimension),
                          TableCell::of((*model)->about)});
  }
  return table;
}

ReportTable mechanism_table(const ReportData& data) {
  ReportTable table = described("setup-mechanisms", "Mechanisms.",
                                {"label", "mechanism", "parameters", "policy", "ε multiplies", "guarantee"});
  for (const ExperimentMechanism& spec : data.run().mechanisms) {
    std::vector<std::string> parameters;
    for (const auto& [name, value] : spec.parameters) parameters.push_back(fmt::format("{}={}", name, value));
    if (!spec.budget.empty()) parameters.push_back("budget " + spec.budget);
    const auto info = find_mechanism(spec.mechanism);
    table.rows.push_back({TableCell::of(spec.label), TableCell::of(spec.mechanism),
                          TableCell::of(fmt::format("{}", fmt::join(parameters, ", "))),
                          TableCell::of(spec.policy), TableCell::of(info ? (*info)->metric : ""),
                          TableCell::of(info ? (*info)->guarantee : "not in this build")});
  }
  return table;
}

std::string absent_html(const ExperimentSummary& summary) {
  std::string html;
  for (const auto& [title, reasons] :
       {std::pair("Absent", &summary.absent), std::pair("Failed", &summary.failed)}) {
    if (reasons->empty()) continue;
    ReportTable table = described(slug(title), fmt::format("{} cells.", title), {"cells", "reason"});
    for (const AbsentCells& entry : *reasons)
      table.rows.push_back({count(entry.cells), TableCell::of(entry.reason)});
    html += to_html(table);
  }
  return html;
}

std::string html_of(const Tables& tables) {
  std::string html;
  for (const ReportTable& table : tables) html += to_html(table);
  return html;
}

PageHeader header_of(const ReportData& data) {
  const ExperimentSummary& summary = data.input.summary;
  PageHeader header;
  header.title = data.run().title;
  header.stamp =
      "Confidential: has figures and lines of the original texts, which no guarantee covers. What was "
      "rewritten "
      "is seeded: not private";
  header.about = data.run().about;
  for (const std::string& note : data.run().report.notes) header.about += "\n\n" + note;
  std::uint64_t absent = 0;
  for (const AbsentCells& entry : summary.absent) absent += entry.cells;
  std::uint64_t failed = 0;
  for (const AbsentCells& entry : summary.failed) failed += entry.cells;
  header.facts = {data.input.quick ? "quick size" : "full size",
                  fmt::format("{} of {} cells measured", summary.kept + summary.computed, summary.cells)};
  if (absent > 0) header.facts.push_back(fmt::format("{} absent", absent));
  if (failed > 0) header.facts.push_back(fmt::format("{} failed", failed));
  header.facts.push_back(fmt::format("seed {}", data.run().seed));
  if (data.run().repetitions > 1)
    header.facts.push_back(fmt::format("{} repetitions", data.run().repetitions));
  return header;
}

Result<void> write_tables(const Tables& tables, const std::filesystem::path& folder) {
  SOTTO_TRY(make_folder(folder));
  for (const ReportTable& table : tables) {
    SOTTO_TRY(write_whole_file(folder / (table.id + ".csv"), to_csv(table)));
    SOTTO_TRY(write_whole_file(folder / (table.id + ".tex"), to_latex(table)));
  }
  return {};
}

}  // namespace

std::string score_title(const std::string& score) {
  if (score == "micro_f1") return "micro F1";
  if (score == "macro_f1") return "macro F1";
  if (score == "pearson_spearman") return "mean of Pearson's and Spearman's correlation";
  return score;
}

std::string ReportData::utility_score(const std::string& dataset) const {
  if (input.inputs.entry(dataset).task == TaskKind::regression) return "pearson_spearman";
  return run().report.utility == "auto" ? "accuracy" : run().report.utility;
}

std::optional<Figure> ReportData::baseline(CellKind kind, const std::string& dataset,
                                           const std::string& model, const std::string& measure,
                                           const std::string& value) const {
  Question question;
  question.kind = kind;
  question.dataset = dataset;
  question.measure = measure;
  question.mechanism = "";
  for (const std::string& label : {model, std::string()}) {
    question.model = label;
    if (auto figure = observations.figure(question, value)) return figure;
  }
  return std::nullopt;
}

Result<void> write_report(const ReportInput& input, const std::filesystem::path& folder) {
  const ReportData data{input, Observations(input.results)};
  const Tables privacy = privacy_tables(data);
  const Tables texts = text_tables(data);
  const Tables averages = average_tables(data);
  const Tables utility = utility_tables(data);
  const Tables attacks = attack_tables(data);
  const Tables equal = equal_attack_tables(data);
  const Tables inference = inference_tables(data);
  const Tables composite = composite_tables(data);
  const Tables regression = regression_tables(data);
  const Tables speed = speed_tables(data);
  Tables all;
  for (const Tables* part :
       {&privacy, &texts, &averages, &utility, &attacks, &equal, &inference, &composite, &regression, &speed})
    all.insert(all.end(), part->begin(), part->end());
  SOTTO_TRY(write_tables(all, folder / "tables"));
  const std::vector<PageSection> sections = {
      {"samples", "Sample texts", samples_html(data)},
      {"equal-attack", "Mechanisms at equal attack success", html_of(equal)},
      {"utility", "Utility", utility_plots(data) + html_of(utility)},
      {"privacy", "Plausible deniability and perturbation", privacy_plots(data) + html_of(privacy)},
      {"attacks", "Attacks", attack_plots(data) + html_of(attacks)},
      {"inference", "Inference error", inference_plots(data) + html_of(inference)},
      {"composite", "Privacy and utility in one figure", composite_plots(data) + html_of(composite)},
      {"texts", "Texts", html_of(texts) + html_of(averages)},
      {"regression-test", "Regression", html_of(regression)},
      {"speed-of-privatization", "Speed", speed_plots(data) + html_of(speed)},
      {"absent-cells", "What is absent", absent_html(input.summary)},
      {"setup", "What was run",
       to_html(dataset_table(data)) + to_html(model_table(data)) + to_html(mechanism_table(data))}};
  const std::string footer = fmt::format(
      "Sotto {}. The tables are in tables/ as CSV and LaTeX, every cell is a line of results.jsonl.",
      library_version());
  return write_whole_file(folder / "report.html", html_page(header_of(data), sections, footer));
}

}  // namespace sotto::evaluate

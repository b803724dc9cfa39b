#include "evaluate/report/tables.hpp"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>

namespace sotto::evaluate {
namespace {

/// A figure of a cell as a column.
struct Metric {
  CellKind kind;
  const char* value;
  const char* title;
  Better better;
  int decimals;
  double factor;
  const char* explanation = nullptr;  ///< for the caption of a table that shows it
};

constexpr Metric kPrivacyMetrics[] = {
    {CellKind::words, "n_w", "N_w", Better::lower, 1, 100,
     "N_w: percentage of draws in which a word stays as it is."},
    {CellKind::words, "s_w", "S_w", Better::higher, 1, 1, "S_w: distinct outputs in the draws of a word."},
    {CellKind::overlap, "pp", "PP", Better::higher, 1, 100, "PP: percentage of words that changed."},
    {CellKind::similarity, "cs", "CS", Better::higher, 1, 100,
     "CS: cosine similarity of original and privatized texts, times 100."},
    {CellKind::overlap, "low", "LOW", Better::lower, 1, 100,
     "LOW: percentage of the least frequent words that are still there."},
};
constexpr Metric kTextMetrics[] = {
    {CellKind::overlap, "english", "English", Better::neither, 1, 100,
     "English: percentage of the words that are English."},
    {CellKind::overlap, "bleu", "BLEU", Better::neither, 3, 1, "BLEU against the originals."},
    {CellKind::overlap, "length_ratio", "length", Better::neither, 3, 1,
     "Length: privatized tokens per original token."},
    {CellKind::perplexity, "perplexity", "perplexity", Better::lower, 0, 1},
};
constexpr Metric kAveragedMetrics[] = {
    {CellKind::similarity, "cs", "CS", Better::higher, 3, 1},
    {CellKind::overlap, "english", "English", Better::neither, 1, 100},
    {CellKind::perplexity, "perplexity", "perplexity", Better::lower, 0, 1},
};
constexpr Metric kInferenceMetrics[] = {
    {CellKind::inference, "e_m", "E_M", Better::higher, 3, 1,
     "E_M: expected error of an adversary who knows prior and mechanism."},
    {CellKind::inference, "l_m", "L_M", Better::lower, 3, 1, "L_M: expected utility loss."},
};

Question question_of(const Metric& metric, const std::optional<std::string>& dataset) {
  Question question;
  question.kind = metric.kind;
  question.dataset = dataset;
  return question;
}

TableCell figure_cell(const std::optional<Figure>& figure, const Metric& metric) {
  TableCell cell;
  if (!figure) return TableCell::no_figure();
  cell.value = metric.factor * figure->mean;
  if (figure->range)
    cell.range = {metric.factor * figure->range->first, metric.factor * figure->range->second};
  else if (figure->n > 2)
    cell.deviation = metric.factor * figure->deviation;
  cell.decimals = metric.decimals;
  return cell;
}

/// What a table of metrics is about.
struct MetricTable {
  std::string id;
  std::string title;
  std::string caption;                 ///< after the explanations of the metrics
  std::optional<std::string> dataset;  ///< nullopt: the mean over all
  std::optional<std::string> measure;
  std::optional<std::string> model;  ///< nullopt: a row per model
};

void add_sentence(std::string& text, std::string_view sentence) {
  if (!text.empty() && !sentence.empty()) text += ' ';
  text += sentence;
}

void keep(std::vector<ReportTable>& tables, ReportTable table) {
  if (table.has_figures()) tables.push_back(std::move(table));
}

/// The settings of a group that a table is about.
SettingGroup settings_for(const SettingGroup& group, const MetricTable& about) {
  SettingGroup own = group;
  if (about.model)
    std::erase_if(own.settings, [&](const Setting& setting) { return setting.model != *about.model; });
  return own;
}

/// The metrics that have figures, and the ε at which.
struct ShownMetrics {
  std::vector<const Metric*> metrics;
  std::set<double> epsilons;
};

ShownMetrics shown_metrics(const ReportData& data, const SettingGroup& group, const MetricTable& about,
                           std::span<const Metric> metrics) {
  ShownMetrics shown;
  for (const Metric& metric : metrics) {
    Question question = question_of(metric, about.dataset);
    question.measure = about.measure;
    bool found = false;
    for (const double epsilon : epsilons_in(data, group, question)) {
      question.epsilon = epsilon;
      if (!data.observations.has(question, metric.value)) continue;
      found = true;
      shown.epsilons.insert(epsilon);
    }
    if (found) shown.metrics.push_back(&metric);
  }
  return shown;
}

/// The figures of one setting; empty if it has none.
std::vector<TableCell> metric_row(const ReportData& data, const Setting& setting, const MetricTable& about,
                                  const ShownMetrics& shown) {
  std::vector<TableCell> row = setting_labels(data, setting);
  bool filled = false;
  for (const double epsilon : shown.epsilons)
    for (const Metric* metric : shown.metrics) {
      Question question = question_of(*metric, about.dataset);
      question.measure = about.measure;
      question.model = setting.model;
      question.mechanism = setting.mechanism;
      question.epsilon = epsilon;
      row.push_back(figure_cell(data.observations.figure(question, metric->value), *metric));
      filled |= row.back().value.has_value();
    }
  return filled ? row : std::vector<TableCell>();
}

/// A table per unit of ε.
void keep_metric_tables(std::vector<ReportTable>& tables, const ReportData& data, const MetricTable& about,
                        std::span<const Metric> metrics) {
  const std::vector<SettingGroup> groups = setting_groups(data);
  for (const SettingGroup& each : groups) {
    const SettingGroup group = settings_for(each, about);
    const ShownMetrics shown = shown_metrics(data, group, about, metrics);
    if (shown.metrics.empty()) continue;
    ReportTable table{id_in(about.id, group, groups.size()),
                      title_in(about.title, group, groups.size()) + ".",
                      {},
                      {},
                      setting_columns(data),
                      1,
                      {}};
    table.labels = table.columns.size();
    for (const Metric* metric : shown.metrics)
      if (metric->explanation != nullptr) add_sentence(table.caption, metric->explanation);
    add_sentence(table.caption, about.caption);
    table.groups.push_back({"", table.labels});
    for (const double epsilon : shown.epsilons) {
      table.groups.push_back({fmt::format("ε = {}", short_number(epsilon)), shown.metrics.size()});
      for (const Metric* metric : shown.metrics) table.columns.push_back({metric->title, metric->better});
    }
    for (const Setting& setting : group.settings)
      if (auto row = metric_row(data, setting, about, shown); !row.empty())
        table.rows.push_back(std::move(row));
    table.mark_best();
    if (about.dataset) add_sentence(table.caption, table.spread_note());
    keep(tables, std::move(table));
  }
}

/// The figures of the original texts, for captions.
std::string original_texts(const ReportData& data, const std::string& dataset) {
  Question question;
  question.kind = CellKind::overlap;
  question.dataset = dataset;
  question.mechanism = "";
  const auto english = data.observations.figure(question, "english");
  return english ? fmt::format("Of the original words {:.1f} % are English.", 100 * english->mean) : "";
}

}  // namespace

std::vector<ReportTable> privacy_tables(const ReportData& data) {
  std::vector<ReportTable> tables;
  for (const DatasetSpec& dataset : data.run().datasets)
    keep_metric_tables(
        tables, data,
        {"privacy-" + slug(dataset.label), "Privacy on " + dataset.label, "", dataset.label, {}, {}},
        kPrivacyMetrics);
  keep_metric_tables(
      tables, data,
      {"privacy-vocabulary", "Plausible deniability of words of the vocabulary", "", "", {}, {}},
      kPrivacyMetrics);
  return tables;
}

std::vector<ReportTable> text_tables(const ReportData& data) {
  std::vector<ReportTable> tables;
  for (const DatasetSpec& dataset : data.run().datasets)
    keep_metric_tables(tables, data,
                       {"texts-" + slug(dataset.label),
                        "Texts of " + dataset.label,
                        original_texts(data, dataset.label),
                        dataset.label,
                        {},
                        {}},
                       kTextMetrics);
  return tables;
}

std::vector<ReportTable> average_tables(const ReportData& data) {
  std::vector<ReportTable> tables;
  if (data.run().datasets.size() < 2) return tables;
  keep_metric_tables(
      tables, data,
      {"averages",
       "Means over the data sets",
       "Small print: the standard deviation over data sets and repetitions, or the range of two values.",
       {},
       {},
       {}},
      kAveragedMetrics);
  return tables;
}

std::vector<ReportTable> inference_tables(const ReportData& data) {
  std::vector<ReportTable> tables;
  for (const InferenceSpec& spec : data.run().inference)
    for (const ModelSpec& model : data.run().models)
      keep_metric_tables(tables, data,
                         {fmt::format("inference-{}-{}", slug(spec.label), slug(model.label)),
                          fmt::format("Inference error on {} with {}", spec.label, model.label), "",
                          std::nullopt, spec.label, model.label},
                         kInferenceMetrics);
  return tables;
}

std::vector<ReportTable> speed_tables(const ReportData& data) {
  ReportTable table{"speed",
                    "Speed of privatization.",
                    "One thread, set-up included, measured while other cells ran; a benchmark of the "
                    "mechanisms alone measures on a quiet machine.",
                    {},
                    setting_columns(data),
                    1,
                    {}};
  table.labels = table.columns.size();
  for (const char* title : {"tokens", "seconds", "tokens/s", "million tokens/day"})
    table.columns.push_back({title, Better::neither});
  for (const Setting& setting : settings(data)) {
    double tokens = 0;
    double seconds = 0;
    for (const auto& speed : data.input.speeds) {
      if (speed.value("model", std::string()) != setting.model ||
          speed.value("mechanism", std::string()) != setting.mechanism)
        continue;
      tokens += speed.value("tokens", 0.0);
      seconds += speed.value("seconds", 0.0);
    }
    if (seconds <= 0) continue;
    std::vector<TableCell> row = setting_labels(data, setting);
    const auto add = [&](double value, int decimals) {
      row.push_back({"", value, std::nullopt, decimals, false});
    };
    add(tokens, 0);
    add(seconds, 2);
    add(tokens / seconds, 0);
    add(tokens / seconds * 86'400 / 1e6, 1);
    table.rows.push_back(std::move(row));
  }
  std::vector<ReportTable> tables;
  keep(tables, std::move(table));
  return tables;
}

}  // namespace sotto::evaluate

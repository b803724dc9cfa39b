#include "evaluate/report/tables.hpp"

#include <algorithm>

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
  if (figure->n > 1) cell.deviation = metric.factor * figure->deviation;
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

template <std::size_t kCount>
ReportTable metric_table(const ReportData& data, const MetricTable& about, const Metric (&metrics)[kCount]) {
  ReportTable table{about.id, about.title, {}, {}, setting_columns(data), 1, {}};
  table.labels = table.columns.size();
  std::vector<const Metric*> shown;
  std::vector<double> epsilons;
  for (const Metric& metric : metrics) {
    Question question = question_of(metric, about.dataset);
    question.measure = about.measure;
    bool found = false;
    for (const double epsilon : data.observations.epsilons(question)) {
      question.epsilon = epsilon;
      if (!data.observations.has(question, metric.value)) continue;
      found = true;
      if (std::find(epsilons.begin(), epsilons.end(), epsilon) == epsilons.end()) epsilons.push_back(epsilon);
    }
    if (found) shown.push_back(&metric);
  }
  std::sort(epsilons.begin(), epsilons.end());
  if (shown.empty()) return table;
  for (const Metric* metric : shown)
    if (metric->explanation != nullptr) add_sentence(table.caption, metric->explanation);
  add_sentence(table.caption, about.caption);
  table.groups.push_back({"", table.labels});
  for (const double epsilon : epsilons) {
    table.groups.push_back({fmt::format("ε = {}", short_number(epsilon)), shown.size()});
    for (const Metric* metric : shown) table.columns.push_back({metric->title, metric->better});
  }
  for (const Setting& setting : settings(data)) {
    if (about.model && setting.model != *about.model) continue;
    std::vector<TableCell> row = setting_labels(data, setting);
    bool filled = false;
    for (const double epsilon : epsilons)
      for (const Metric* metric : shown) {
        Question question = question_of(*metric, about.dataset);
        question.measure = about.measure;
        question.model = setting.model;
        question.mechanism = setting.mechanism;
        question.epsilon = epsilon;
        row.push_back(figure_cell(data.observations.figure(question, metric->value), *metric));
        filled |= row.back().value.has_value();
      }
    if (filled) table.rows.push_back(std::move(row));
  }
  table.mark_best();
  return table;
}

void keep(std::vector<ReportTable>& tables, ReportTable table) {
  if (table.has_figures()) tables.push_back(std::move(table));
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

std::vector<Setting> settings(const ReportData& data) {
  std::vector<Setting> settings;
  for (const ModelSpec& model : data.run().models)
    for (const ExperimentMechanism& mechanism : data.run().mechanisms)
      if (mechanism.models.empty() ||
          std::find(mechanism.models.begin(), mechanism.models.end(), model.label) != mechanism.models.end())
        settings.push_back({model.label, mechanism.label});
  return settings;
}

std::vector<TableCell> setting_labels(const ReportData& data, const Setting& setting) {
  std::vector<TableCell> labels;
  if (data.run().models.size() > 1) labels.push_back(TableCell::of(setting.model));
  labels.push_back(TableCell::of(setting.mechanism));
  return labels;
}

std::vector<ReportColumn> setting_columns(const ReportData& data) {
  std::vector<ReportColumn> columns;
  if (data.run().models.size() > 1) columns.push_back({"model", Better::neither});
  columns.push_back({"mechanism", Better::neither});
  return columns;
}

std::vector<ReportTable> privacy_tables(const ReportData& data) {
  std::vector<ReportTable> tables;
  for (const DatasetSpec& dataset : data.run().datasets)
    keep(tables, metric_table(data,
                              {"privacy-" + slug(dataset.label),
                               "Privacy on " + dataset.label + ".",
                               "",
                               dataset.label,
                               {},
                               {}},
                              kPrivacyMetrics));
  keep(tables,
       metric_table(
           data, {"privacy-vocabulary", "Plausible deniability of words of the vocabulary.", "", "", {}, {}},
           kPrivacyMetrics));
  return tables;
}

std::vector<ReportTable> text_tables(const ReportData& data) {
  std::vector<ReportTable> tables;
  for (const DatasetSpec& dataset : data.run().datasets)
    keep(tables, metric_table(data,
                              {"texts-" + slug(dataset.label),
                               "Texts of " + dataset.label + ".",
                               original_texts(data, dataset.label),
                               dataset.label,
                               {},
                               {}},
                              kTextMetrics));
  return tables;
}

std::vector<ReportTable> average_tables(const ReportData& data) {
  std::vector<ReportTable> tables;
  if (data.run().datasets.size() < 2) return tables;
  keep(tables, metric_table(data,
                            {"averages",
                             "Means over the data sets.",
                             "The deviation is over data sets and repetitions.",
                             std::nullopt,
                             {},
                             {}},
                            kAveragedMetrics));
  return tables;
}

std::vector<ReportTable> inference_tables(const ReportData& data) {
  std::vector<ReportTable> tables;
  for (const InferenceSpec& spec : data.run().inference)
    for (const ModelSpec& model : data.run().models)
      keep(tables, metric_table(data,
                                {fmt::format("inference-{}-{}", slug(spec.label), slug(model.label)),
                                 fmt::format("Inference error on {} with {}.", spec.label, model.label), "",
                                 std::nullopt, spec.label, model.label},
                                kInferenceMetrics));
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

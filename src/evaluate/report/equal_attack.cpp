// Mechanisms at equal attack success. ε cannot be compared between units, and the guarantee that it stands
// for may be far from what an attacker attains; what an attacker attains can be compared.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "evaluate/report/tables.hpp"

namespace sotto::evaluate {
namespace {

/// What an attacker attains, as a share.
struct AttackMeasure {
  std::string id;
  std::string title;  ///< continues "At equal success of"
  std::string what;   ///< one sentence
  Question question;
  std::string value;
  bool is_error = false;  ///< the success is 1 − value
};

/// What remains of the texts' use.
struct UseMeasure {
  std::string title;
  Question question;
  std::string value;
};

struct MeasuredPoint {
  double success = 0;
  double use = 0;
  double epsilon = 0;
};

Question question_on(CellKind kind, const std::string& dataset) {
  Question question;
  question.kind = kind;
  question.dataset = dataset;
  return question;
}

/// Attackers who infer an attribute if there are any, otherwise those who guess words.
std::vector<AttackMeasure> attack_measures(const ReportData& data, const std::string& dataset) {
  std::vector<AttackMeasure> measures;
  for (const AttackerSpec& spec : data.run().attackers) {
    AttackMeasure measure{
        slug(spec.label), spec.label, {}, question_on(CellKind::attribute, dataset), "macro_f1"};
    measure.question.measure = spec.label;
    measure.question.mode = spec.adaptive ? "adaptive" : "static";
    measure.what = fmt::format("Success: macro F1 of the {} attacker who guesses '{}'.",
                               *measure.question.mode, spec.attribute);
    measures.push_back(std::move(measure));
  }
  for (const InferenceSpec& spec : data.run().inference) {
    if (!measures.empty() || spec.prior != dataset) continue;
    AttackMeasure measure{slug(spec.label),   spec.label, {}, question_on(CellKind::inference, dataset),
                          "best_guess_error", true};
    measure.question.measure = spec.label;
    measure.what = "Success: how often an adversary who knows prior and mechanism guesses the word.";
    measures.push_back(std::move(measure));
  }
  if (measures.empty())
    measures.push_back(
        {"reading", "reading the output",
         "Success: N_w, how often a word is what it was, so that who reads the output is right.",
         question_on(CellKind::words, dataset), "n_w"});
  return measures;
}

UseMeasure use_measure(const ReportData& data, const std::string& dataset) {
  if (data.run().classifiers.empty())
    return {"CS, times 100", question_on(CellKind::similarity, dataset), "cs"};
  const std::string& classifier = data.run().classifiers.front().label;
  const std::string score = data.utility_score(dataset);
  UseMeasure use{fmt::format("{} of {}, in percent", score_title(score), classifier),
                 question_on(CellKind::classify, dataset), score};
  use.question.measure = classifier;
  return use;
}

/// A setting's points by ascending success.
std::vector<MeasuredPoint> points_of(const ReportData& data, const Setting& setting,
                                     const AttackMeasure& attack, const UseMeasure& use) {
  std::vector<MeasuredPoint> points;
  const auto ask = [&](Question question, const std::string& value, double epsilon) {
    question.model = setting.model;
    question.mechanism = setting.mechanism;
    question.epsilon = epsilon;
    return data.observations.figure(question, value);
  };
  Question any = attack.question;
  any.model = setting.model;
  any.mechanism = setting.mechanism;
  for (const double epsilon : data.observations.epsilons(any)) {
    const auto found = ask(attack.question, attack.value, epsilon);
    const auto useful = ask(use.question, use.value, epsilon);
    if (!found || !useful) continue;
    points.push_back({attack.is_error ? 1 - found->mean : found->mean, useful->mean, epsilon});
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const MeasuredPoint& a, const MeasuredPoint& b) { return a.success < b.success; });
  return points;
}

/// Use and ε at this success, on the line between the two points around it; ε on a logarithmic scale.
std::optional<MeasuredPoint> at_success(const std::vector<MeasuredPoint>& points, double success) {
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const MeasuredPoint& a = points[i];
    const MeasuredPoint& b = points[i + 1];
    if (success < a.success || success > b.success || a.success == b.success) continue;
    const double t = (success - a.success) / (b.success - a.success);
    return MeasuredPoint{success, a.use + t * (b.use - a.use),
                         a.epsilon * std::pow(b.epsilon / a.epsilon, t)};
  }
  return std::nullopt;
}

/// Round successes that as many mechanisms as possible reach: between the ranges' innermost ends, or between
/// the outermost where there is nothing in common.
std::vector<double> levels_for(const std::vector<std::vector<MeasuredPoint>>& all) {
  double low = 0, high = 1, lowest = 1, highest = 0;
  for (const std::vector<MeasuredPoint>& points : all) {
    if (points.size() < 2) continue;
    low = std::max(low, points.front().success);
    high = std::min(high, points.back().success);
    lowest = std::min(lowest, points.front().success);
    highest = std::max(highest, points.back().success);
  }
  if (low >= high) {
    low = lowest;
    high = highest;
  }
  std::set<double> levels;
  for (const double share : {0.25, 0.5, 0.75}) {
    const double level = low + share * (high - low);
    const double rounded = std::round(100 * level) / 100;
    levels.insert(rounded > low && rounded < high ? rounded : std::round(1000 * level) / 1000);
  }
  return {levels.begin(), levels.end()};
}

std::optional<ReportTable> equal_attack_table(const ReportData& data, const std::string& dataset,
                                              const AttackMeasure& attack) {
  const UseMeasure use = use_measure(data, dataset);
  const std::vector<Setting> rows = settings(data);
  std::vector<std::vector<MeasuredPoint>> points;
  for (const Setting& setting : rows) points.push_back(points_of(data, setting, attack, use));
  const auto comparable =
      std::count_if(points.begin(), points.end(), [](const auto& p) { return p.size() > 1; });
  if (comparable < 2) return std::nullopt;
  ReportTable table{
      fmt::format("equal-attack-{}-{}", attack.id, slug(dataset)),
      fmt::format("At equal success of {} on {}.", attack.title, dataset),
      fmt::format("{}, where the attack succeeds as often against each mechanism, whatever its ε "
                  "means. {} Interpolated between the measured ε; the note is the ε, in the unit "
                  "of the row. Empty: not between two measured ε.",
                  use.title, attack.what),
      {},
      setting_columns(data),
      1,
      {}};
  table.columns.push_back({"unit of ε", Better::neither});
  table.labels = table.columns.size();
  const std::vector<double> levels = levels_for(points);
  for (const double level : levels)
    table.columns.push_back({fmt::format("success {:g} %", 100 * level), Better::higher});
  const std::vector<SettingGroup> groups = setting_groups(data);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (points[i].size() < 2) continue;
    std::vector<TableCell> row = setting_labels(data, rows[i]);
    row.push_back(TableCell::of(group_of(groups, rows[i]).unit));
    for (const double level : levels) {
      const auto point = at_success(points[i], level);
      row.push_back(TableCell::no_figure());
      if (!point) continue;
      row.back() = {"", 100 * point->use, std::nullopt, 1, false};
      row.back().note = fmt::format("ε {:.2g}", point->epsilon);
    }
    table.rows.push_back(std::move(row));
  }
  table.mark_best();
  return table;
}

}  // namespace

std::vector<ReportTable> equal_attack_tables(const ReportData& data) {
  std::vector<ReportTable> tables;
  for (const DatasetSpec& dataset : data.run().datasets)
    for (const AttackMeasure& attack : attack_measures(data, dataset.label))
      if (auto table = equal_attack_table(data, dataset.label, attack); table && table->has_figures())
        tables.push_back(std::move(*table));
  return tables;
}

}  // namespace sotto::evaluate

// Tables of classifiers and attackers, and of figures computed from several measures.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluate/metrics/privacy_utility.hpp"
#include "evaluate/metrics/regression.hpp"
#include "evaluate/metrics/scores.hpp"
#include "evaluate/report/tables.hpp"

namespace sotto::evaluate {
namespace {

TableCell percent(const std::optional<Figure>& figure) {
  if (!figure) return TableCell::no_figure();
  TableCell cell{"", 100 * figure->mean, std::nullopt, 1, false};
  if (figure->range)
    cell.range = {100 * figure->range->first, 100 * figure->range->second};
  else if (figure->n > 2)
    cell.deviation = 100 * figure->deviation;
  return cell;
}

TableCell number(std::optional<double> value, int decimals) {
  if (!value) return TableCell::no_figure();
  return {"", *value, std::nullopt, decimals, false};
}

Question scores_question(CellKind kind, const std::string& dataset, const std::string& measure) {
  Question question;
  question.kind = kind;
  question.dataset = dataset;
  question.measure = measure;
  return question;
}

/// About texts rewritten by a setting's mechanism.
Question setting_question(CellKind kind, const std::string& dataset, const Setting& setting, double epsilon) {
  Question question;
  question.kind = kind;
  question.dataset = dataset;
  question.model = setting.model;
  question.mechanism = setting.mechanism;
  question.epsilon = epsilon;
  return question;
}

/// Data sets that have figures of a measure, and their ε.
struct ScoredDataset {
  std::string label;
  std::vector<double> epsilons;
};

std::vector<ScoredDataset> scored_datasets(const ReportData& data, const SettingGroup& group, CellKind kind,
                                           const std::string& measure) {
  std::vector<ScoredDataset> scored;
  for (const DatasetSpec& dataset : data.run().datasets) {
    auto epsilons = epsilons_in(data, group, scores_question(kind, dataset.label, measure));
    if (!epsilons.empty()) scored.push_back({dataset.label, std::move(epsilons)});
  }
  return scored;
}

/// Rows that need no mechanism: original texts, and guessing the majority class.
void add_baseline_rows(const ReportData& data, const ClassifierSpec& spec,
                       const std::vector<ScoredDataset>& datasets, ReportTable& table) {
  struct Row {
    const char* name;
    const char* prefix;
  };
  for (const Row& row : {Row{"unprotected", ""}, Row{"majority class", "majority_"}}) {
    std::vector<TableCell> cells(table.labels, TableCell::of(""));
    cells.back() = TableCell::of(row.name);
    for (const ScoredDataset& dataset : datasets) {
      Question question = scores_question(CellKind::classify, dataset.label, spec.label);
      question.mechanism = "";
      const auto figure = data.observations.figure(question, row.prefix + data.utility_score(dataset.label));
      for (std::size_t i = 0; i < dataset.epsilons.size(); ++i) {
        cells.push_back(percent(figure));
        if (*row.prefix == '\0') continue;
        cells.back().deviation.reset();
        cells.back().range.reset();
      }
    }
    table.rows.push_back(std::move(cells));
  }
}

/// The name of the score, if it is the same for all data sets.
std::string common_score(const ReportData& data, const std::vector<ScoredDataset>& datasets) {
  std::set<std::string> titles;
  for (const ScoredDataset& dataset : datasets) titles.insert(score_title(data.utility_score(dataset.label)));
  return titles.size() == 1 ? *titles.begin() : "score";
}

/// Names the scores above those on original texts, which need an explanation and are no merit.
std::string remark_on_gains(const ReportTable& table, const std::vector<ScoredDataset>& datasets) {
  std::vector<std::string> gains;
  std::size_t column = table.labels;
  for (const ScoredDataset& dataset : datasets)
    for (const double epsilon : dataset.epsilons) {
      const std::optional<double>& original = table.rows.front()[column].value;
      for (std::size_t row = 2; row < table.rows.size() && original; ++row)
        if (const auto& value = table.rows[row][column].value; value && *value > *original)
          gains.push_back(fmt::format("{} on {} at ε = {} ({:.1f} against {:.1f})",
                                      table.rows[row][table.labels - 1].text, dataset.label,
                                      short_number(epsilon), *value, *original));
      ++column;
    }
  if (gains.empty()) return "";
  constexpr std::size_t kNamed = 4;
  const std::string more =
      gains.size() > kNamed ? fmt::format(" and {} more", gains.size() - kNamed) : std::string();
  gains.resize(std::min(gains.size(), kNamed));
  return fmt::format(
      " Higher than on original texts: {}{}. Noise does not help a classifier: look for chance (few runs, "
      "few test texts) or for a weak baseline.",
      fmt::join(gains, "; "), more);
}

ReportTable utility_table(const ReportData& data, const ClassifierSpec& spec, const SettingGroup& group,
                          std::size_t groups) {
  const std::vector<ScoredDataset> datasets = scored_datasets(data, group, CellKind::classify, spec.label);
  const std::string score = common_score(data, datasets);
  ReportTable table{id_in("utility-" + slug(spec.label), group, groups),
                    title_in(fmt::format("Utility: {} of {}", score, spec.label), group, groups) + ".",
                    "Score of a classifier trained and tested on privatized texts, in percent: ",
                    {},
                    setting_columns(data),
                    1,
                    {}};
  table.labels = table.columns.size();
  table.groups.push_back({"", table.labels});
  std::string scores;
  for (const ScoredDataset& dataset : datasets) {
    table.groups.push_back({dataset.label, dataset.epsilons.size()});
    for (const double epsilon : dataset.epsilons)
      table.columns.push_back({fmt::format("ε = {}", short_number(epsilon)), Better::higher});
    scores += fmt::format("{}{} ({})", scores.empty() ? "" : ", ",
                          score_title(data.utility_score(dataset.label)), dataset.label);
  }
  table.caption += scores + ". Means over repetitions and runs.";
  add_baseline_rows(data, spec, datasets, table);
  for (const Setting& setting : group.settings) {
    std::vector<TableCell> row = setting_labels(data, setting);
    bool filled = false;
    for (const ScoredDataset& dataset : datasets)
      for (const double epsilon : dataset.epsilons) {
        Question question = setting_question(CellKind::classify, dataset.label, setting, epsilon);
        question.measure = spec.label;
        row.push_back(percent(data.observations.figure(question, data.utility_score(dataset.label))));
        filled |= row.back().value.has_value();
      }
    if (filled) table.rows.push_back(std::move(row));
  }
  table.mark_best(2);
  if (const std::string note = table.spread_note(); !note.empty()) table.caption += " " + note;
  table.caption += remark_on_gains(table, datasets);
  return table;
}

/// The figures of an attack at one setting and ε.
struct AttackFigures {
  std::optional<Figure> utility, similarity, fixed, adaptive;
  std::optional<double> points, fixed_gain, adaptive_gain;
};

AttackFigures attack_figures(const ReportData& data, const AttackerSpec& spec, const std::string& dataset,
                             const Setting& setting, double epsilon) {
  const auto ask = [&](CellKind kind, const std::optional<std::string>& measure,
                       const std::optional<std::string>& mode, const std::string& value) {
    Question question = setting_question(kind, dataset, setting, epsilon);
    question.measure = measure;
    question.mode = mode;
    return data.observations.figure(question, value);
  };
  AttackFigures figures;
  const std::string score = "macro_f1";
  figures.fixed = ask(CellKind::attribute, spec.label, "static", score);
  figures.adaptive = ask(CellKind::attribute, spec.label, "adaptive", score);
  figures.similarity = ask(CellKind::similarity, std::nullopt, std::nullopt, "cs");
  if (data.run().classifiers.empty()) return figures;
  const std::string& classifier = data.run().classifiers.front().label;
  figures.utility = ask(CellKind::classify, classifier, std::nullopt, score);
  const auto majority = ask(CellKind::classify, classifier, std::nullopt, "majority_" + score);
  const auto original = data.baseline(CellKind::classify, dataset, setting.model, classifier, score);
  const auto attacked = data.baseline(CellKind::attribute, dataset, setting.model, spec.label, score);
  if (figures.utility && majority)
    figures.points = points_over_majority(figures.utility->mean, majority->mean);
  const auto gain = [&](const std::optional<Figure>& attack) -> std::optional<double> {
    if (!figures.utility || !original || !attacked || !attack) return std::nullopt;
    const auto value = relative_gain(figures.utility->mean, original->mean, attack->mean, attacked->mean);
    return value ? std::optional<double>(*value) : std::nullopt;
  };
  figures.fixed_gain = gain(figures.fixed);
  figures.adaptive_gain = gain(figures.adaptive);
  return figures;
}

std::string attack_caption(const ReportData& data, const AttackerSpec& spec, const std::string& dataset) {
  Question question = scores_question(CellKind::attribute, dataset, spec.label);
  question.mode = "unprotected";
  const auto unprotected = data.observations.figure(question, "macro_f1");
  const auto majority = data.observations.figure(question, "majority_macro_f1");
  std::string caption = fmt::format(
      "The attacker guesses '{}'. Macro F1 in percent. Static: trained on original texts; adaptive: trained "
      "on privatized texts.",
      spec.attribute);
  if (unprotected)
    caption += fmt::format(" On original texts the attacker has {:.1f}{}.", 100 * unprotected->mean,
                           majority ? fmt::format(", the majority class {:.1f}", 100 * majority->mean) : "");
  return caption;
}

/// The columns of an attack at one ε. The score of the task is named by what it is: elsewhere the utility may
/// be another one.
const std::vector<ReportColumn>& attack_columns() {
  static const std::vector<ReportColumn> columns = {{"task F1", Better::higher},
                                                    {"over majority", Better::higher},
                                                    {"CS", Better::neither},
                                                    {"attacker, static", Better::lower},
                                                    {"attacker, adaptive", Better::lower},
                                                    {"RG, static", Better::higher},
                                                    {"RG, adaptive", Better::higher}};
  return columns;
}

/// Explains the columns that are there.
std::string explain_columns(const ReportData& data, const ReportTable& table) {
  std::string text;
  if (table.has_column("task F1"))
    text +=
        fmt::format(" Task F1: macro F1 of {}, what is still useful.", data.run().classifiers.front().label);
  if (table.has_column("over majority"))
    text += " Over majority: its points above always guessing the most frequent class.";
  if (table.has_column("RG, static") || table.has_column("RG, adaptive"))
    text +=
        " RG, relative gain: the share of the task's original F1 that is kept, minus the share of the "
        "attacker's that is left; above 0, more utility is kept than success.";
  return text;
}

ReportTable attack_table(const ReportData& data, const AttackerSpec& spec, const ScoredDataset& dataset,
                         const SettingGroup& group, std::size_t groups) {
  ReportTable table{id_in(fmt::format("attack-{}-{}", slug(spec.label), slug(dataset.label)), group, groups),
                    title_in(fmt::format("{} on {}", spec.label, dataset.label), group, groups) + ".",
                    attack_caption(data, spec, dataset.label),
                    {},
                    setting_columns(data),
                    1,
                    {}};
  table.labels = table.columns.size();
  table.groups.push_back({"", table.labels});
  for (const double epsilon : dataset.epsilons) {
    table.groups.push_back({fmt::format("ε = {}", short_number(epsilon)), attack_columns().size()});
    table.columns.insert(table.columns.end(), attack_columns().begin(), attack_columns().end());
  }
  for (const Setting& setting : group.settings) {
    std::vector<TableCell> row = setting_labels(data, setting);
    bool filled = false;
    for (const double epsilon : dataset.epsilons) {
      const AttackFigures figures = attack_figures(data, spec, dataset.label, setting, epsilon);
      filled |= figures.fixed.has_value() || figures.adaptive.has_value();
      row.insert(row.end(), {percent(figures.utility), number(figures.points, 1), percent(figures.similarity),
                             percent(figures.fixed), percent(figures.adaptive), number(figures.fixed_gain, 2),
                             number(figures.adaptive_gain, 2)});
    }
    if (filled) table.rows.push_back(std::move(row));
  }
  table.drop_empty_columns();
  table.caption += explain_columns(data, table);
  table.mark_best();
  if (const std::string note = table.spread_note(); !note.empty()) table.caption += " " + note;
  return table;
}

struct WordFigures {
  std::optional<double> n_w, s_w, pp, cs, low;
};

WordFigures word_figures(const ReportData& data, const std::string& dataset, const Setting& setting,
                         double epsilon) {
  const auto ask = [&](CellKind kind, const std::string& value) -> std::optional<double> {
    const Question question = setting_question(kind, dataset, setting, epsilon);
    const auto figure = data.observations.figure(question, value);
    return figure ? std::optional<double>(figure->mean) : std::nullopt;
  };
  return {ask(CellKind::words, "n_w"), ask(CellKind::words, "s_w"), ask(CellKind::overlap, "pp"),
          ask(CellKind::similarity, "cs"), ask(CellKind::overlap, "low")};
}

std::string composite_classifier(const ReportData& data) {
  if (!data.run().report.puc_classifier.empty()) return data.run().report.puc_classifier;
  return data.run().classifiers.empty() ? std::string() : data.run().classifiers.front().label;
}

ReportTable composite_table(const ReportData& data, const std::string& dataset, const SettingGroup& group,
                            std::size_t groups) {
  const std::vector<double>& alphas = data.run().report.puc_alphas;
  ReportTable table{id_in("puc-" + slug(dataset), group, groups),
                    title_in(fmt::format("Privacy-utility composite on {}", dataset), group, groups) + ".",
                    "PUC (equation 4 of the comparative analysis) by the weight α of utility.",
                    {},
                    setting_columns(data),
                    1,
                    {}};
  table.labels = table.columns.size();
  table.groups.push_back({"", table.labels});
  const auto epsilons =
      epsilons_in(data, group, scores_question(CellKind::classify, dataset, composite_classifier(data)));
  for (const double alpha : alphas) {
    table.groups.push_back({fmt::format("α = {}", short_number(alpha)), epsilons.size()});
    for (const double epsilon : epsilons)
      table.columns.push_back({fmt::format("ε = {}", short_number(epsilon)), Better::higher});
  }
  for (const Setting& setting : group.settings) {
    std::vector<TableCell> row = setting_labels(data, setting);
    bool filled = false;
    for (const double alpha : alphas)
      for (const double epsilon : epsilons) {
        row.push_back(
            number(composite_score(data, dataset, setting.model, setting.mechanism, epsilon, alpha), 1));
        filled |= row.back().value.has_value();
      }
    if (filled) table.rows.push_back(std::move(row));
  }
  table.mark_best();
  return table;
}

/// The columns of the regression: one row per data set, setting and ε that has all figures.
struct RegressionRows {
  std::vector<Predictor> predictors = {{"epsilon", {}}, {"N_w", {}}, {"S_w", {}}, {"PP", {}}};
  std::vector<double> response;
};

RegressionRows regression_rows(const ReportData& data, const SettingGroup& group) {
  RegressionRows rows;
  for (const DatasetSpec& dataset : data.run().datasets)
    for (const Setting& setting : group.settings) {
      Question question;
      question.kind = CellKind::similarity;
      question.dataset = dataset.label;
      question.model = setting.model;
      question.mechanism = setting.mechanism;
      for (const double epsilon : data.observations.epsilons(question)) {
        const WordFigures figures = word_figures(data, dataset.label, setting, epsilon);
        if (!figures.n_w || !figures.s_w || !figures.pp || !figures.cs) continue;
        rows.predictors[0].values.push_back(epsilon);
        rows.predictors[1].values.push_back(100 * *figures.n_w);
        rows.predictors[2].values.push_back(*figures.s_w);
        rows.predictors[3].values.push_back(100 * *figures.pp);
        rows.response.push_back(100 * *figures.cs);
      }
    }
  return rows;
}

/// Of one unit of ε, since ε is one of the predictors; nullopt if there are too few rows.
std::optional<ReportTable> regression_table(const ReportData& data, const SettingGroup& group,
                                            std::size_t groups) {
  const RegressionRows rows = regression_rows(data, group);
  const auto fit = linear_regression(rows.predictors, rows.response);
  if (!fit) return std::nullopt;
  ReportTable table{id_in("regression", group, groups),
                    title_in("Multiple linear regression of the cosine similarity", group, groups) + ".",
                    fmt::format("CS (times 100) on ε, N_w, S_w and PP (in percent); n = {}, R² = {:.3f}.",
                                fit->n, fit->r_squared),
                    {},
                    {{"term", Better::neither},
                     {"coefficient", Better::neither},
                     {"std. error", Better::neither},
                     {"t", Better::neither},
                     {"P > |t|", Better::neither}},
                    1,
                    {}};
  for (const RegressionTerm& term : fit->terms)
    table.rows.push_back({TableCell::of(term.name), number(term.coefficient, 4),
                          number(term.standard_error, 4), number(term.t, 3), number(term.p, 4)});
  return table;
}

}  // namespace

std::optional<double> composite_score(const ReportData& data, const std::string& dataset,
                                      const std::string& model, const std::string& mechanism, double epsilon,
                                      double alpha) {
  const Setting setting{model, mechanism};
  const WordFigures figures = word_figures(data, dataset, setting, epsilon);
  const std::string classifier = composite_classifier(data);
  Question question = setting_question(CellKind::classify, dataset, setting, epsilon);
  question.measure = classifier;
  const auto accuracy = data.observations.figure(question, "accuracy");
  const auto baseline = data.baseline(CellKind::classify, dataset, model, classifier, "accuracy");
  if (!accuracy || !baseline || !figures.n_w || !figures.s_w || !figures.pp || !figures.cs || !figures.low)
    return std::nullopt;
  const auto score = privacy_utility_composite(
      WordLevelScores{100 * accuracy->mean, 100 * baseline->mean, 100 * *figures.n_w, *figures.s_w,
                      100 * *figures.pp, 100 * *figures.cs, 100 * *figures.low},
      alpha);
  return score ? std::optional<double>(*score) : std::nullopt;
}

std::vector<ReportTable> utility_tables(const ReportData& data) {
  std::vector<ReportTable> tables;
  const std::vector<SettingGroup> groups = setting_groups(data);
  for (const ClassifierSpec& spec : data.run().classifiers)
    for (const SettingGroup& group : groups)
      if (ReportTable table = utility_table(data, spec, group, groups.size()); table.has_figures())
        tables.push_back(std::move(table));
  return tables;
}

std::vector<ReportTable> attack_tables(const ReportData& data) {
  std::vector<ReportTable> tables;
  const std::vector<SettingGroup> groups = setting_groups(data);
  for (const AttackerSpec& spec : data.run().attackers)
    for (const SettingGroup& group : groups)
      for (const ScoredDataset& dataset : scored_datasets(data, group, CellKind::attribute, spec.label))
        if (ReportTable table = attack_table(data, spec, dataset, group, groups.size()); table.has_figures())
          tables.push_back(std::move(table));
  return tables;
}

std::vector<ReportTable> composite_tables(const ReportData& data) {
  std::vector<ReportTable> tables;
  if (data.run().report.puc_alphas.empty()) return tables;
  const std::vector<SettingGroup> groups = setting_groups(data);
  for (const DatasetSpec& dataset : data.run().datasets)
    for (const SettingGroup& group : groups)
      if (ReportTable table = composite_table(data, dataset.label, group, groups.size()); table.has_figures())
        tables.push_back(std::move(table));
  return tables;
}

std::vector<ReportTable> regression_tables(const ReportData& data) {
  std::vector<ReportTable> tables;
  if (!data.run().report.regression) return tables;
  const std::vector<SettingGroup> groups = setting_groups(data);
  for (const SettingGroup& group : groups)
    if (auto table = regression_table(data, group, groups.size())) tables.push_back(std::move(*table));
  return tables;
}

}  // namespace sotto::evaluate

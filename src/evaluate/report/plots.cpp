#include "evaluate/report/plots.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "evaluate/experiment/grid.hpp"
#include "evaluate/plot/plot.hpp"
#include "evaluate/plot/table.hpp"
#include "evaluate/report/panels.hpp"
#include "evaluate/report/tables.hpp"

namespace sotto::evaluate {
namespace {

FigureOf asker(const ReportData& data, Question question, std::string value) {
  return [&data, question = std::move(question), value = std::move(value)](const Setting& setting,
                                                                           double epsilon) {
    Question asked = question;
    asked.model = setting.model;
    asked.mechanism = setting.mechanism;
    asked.epsilon = epsilon;
    return data.observations.figure(asked, value);
  };
}

Question question_about(CellKind kind, const std::optional<std::string>& dataset,
                        const std::optional<std::string>& measure = std::nullopt) {
  Question question;
  question.kind = kind;
  question.dataset = dataset;
  question.measure = measure;
  return question;
}

FigureOf ratio_of(const FigureOf& stays, const FigureOf& distinct) {
  return [=](const Setting& setting, double epsilon) -> std::optional<Figure> {
    const auto above = stays(setting, epsilon);
    const auto below = distinct(setting, epsilon);
    if (!above || !below || below->mean <= 0) return std::nullopt;
    return Figure{100 * above->mean / below->mean, NAN, 1, std::nullopt};
  };
}

std::string word_plots(const ReportData& data, const std::string& dataset, const std::string& name) {
  const FigureOf stays = asker(data, question_about(CellKind::words, dataset), "n_w");
  const FigureOf distinct = asker(data, question_about(CellKind::words, dataset), "s_w");
  return epsilon_plots(data, {fmt::format("N_w on {}", name), "N_w in percent", {stays, 100}}) +
         epsilon_plots(data, {fmt::format("S_w on {}", name), "S_w", {distinct, 1}}) +
         epsilon_plots(data, {fmt::format("N_w : S_w on {} (lower: more deniable)", name),
                              "N_w : S_w",
                              {ratio_of(stays, distinct), 1},
                              true});
}

std::vector<std::string> model_labels(const ReportData& data) {
  std::vector<std::string> labels;
  for (const ModelSpec& model : data.run().models) labels.push_back(model.label);
  return labels;
}

/// A model with its own plots; nullopt: all models in one plot.
using PlottedModel = std::optional<std::string>;

bool depends_on_model(const ParameterValues& parameters) {
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const auto& parameter) { return parameter.second == kCellModel; });
}

/// Mechanisms with one model each can be compared in one plot, unless what is learnt depends on the model.
std::vector<PlottedModel> plotted_models(const ReportData& data, const ParameterValues& learner) {
  const std::vector<ExperimentMechanism>& mechanisms = data.run().mechanisms;
  if (!depends_on_model(learner) &&
      std::all_of(mechanisms.begin(), mechanisms.end(),
                  [](const ExperimentMechanism& mechanism) { return mechanism.models.size() == 1; }))
    return {std::nullopt};
  const std::vector<std::string> labels = model_labels(data);
  return {labels.begin(), labels.end()};
}

std::string on_model(const ReportData& data, const PlottedModel& model) {
  return model && data.run().models.size() > 1 ? ", " + *model : std::string();
}

/// The scores on original texts and of the majority class, for plots of a score against ε.
BaselinesOf baselines_of(const ReportData& data, CellKind kind, const std::string& dataset,
                         const std::string& measure, const std::string& score) {
  return [=, &data](const std::string& model) {
    std::vector<PlotLine> lines;
    if (const auto figure = data.baseline(kind, dataset, model, measure, score))
      lines.push_back({"unprotected", 100 * figure->mean});
    if (const auto figure = data.baseline(kind, dataset, model, measure, "majority_" + score))
      lines.push_back({"majority class", 100 * figure->mean});
    return lines;
  };
}

/// What the first classifier still learns, against what an attacker finds.
std::string trade_off_plots(const ReportData& data, const AttackerSpec& spec, const std::string& dataset,
                            const std::string& mode, const FigureOf& attack) {
  if (data.run().classifiers.empty()) return {};
  const std::string& classifier = data.run().classifiers.front().label;
  const std::string score = data.utility_score(dataset);
  std::string html;
  for (const PlottedModel& model : plotted_models(data, spec.parameters)) {
    const LinePlot about{fmt::format("Privacy and utility on {}{}: what {} ({}) finds, what {} still learns",
                                     dataset, on_model(data, model), spec.label, mode, classifier),
                         "attacker's macro F1 in percent (left: more private)",
                         score_title(score) + " in percent",
                         false,
                         false,
                         {},
                         {}};
    html += figure_plots(data, about, model, {attack, 100},
                         {asker(data, question_about(CellKind::classify, dataset, classifier), score), 100});
  }
  return html;
}

std::string attack_plot(const ReportData& data, const AttackerSpec& spec, const std::string& dataset) {
  std::string html;
  for (const char* mode : {"static", "adaptive"}) {
    Question question = question_about(CellKind::attribute, dataset, spec.label);
    question.mode = mode;
    const FigureOf attack = asker(data, question, "macro_f1");
    html += epsilon_plots(data, {fmt::format("{} ({}) on {}", spec.label, mode, dataset),
                                 "macro F1 in percent",
                                 {attack, 100},
                                 false,
                                 baselines_of(data, CellKind::attribute, dataset, spec.label, "macro_f1")});
    html += trade_off_plots(data, spec, dataset, mode, attack);
  }
  return html;
}

/// 1 − accuracy, as a loss.
FigureOf error_of(const FigureOf& accuracy) {
  return [=](const Setting& setting, double epsilon) -> std::optional<Figure> {
    auto figure = accuracy(setting, epsilon);
    if (!figure) return std::nullopt;
    figure->mean = 1 - figure->mean;
    if (figure->range) figure->range = std::pair(1 - figure->range->second, 1 - figure->range->first);
    return figure;
  };
}

std::string grid(const std::string& plots) {
  return plots.empty() ? std::string() : "<div class=\"plots\">" + plots + "</div>\n";
}

/// PUC by ε, a bar per setting.
BarPlot composite_plot(const ReportData& data, const SettingGroup& group, const std::string& dataset,
                       double alpha, const std::string& title) {
  BarPlot plot{title, "PUC", false, {}, {}};
  Question question = question_about(CellKind::classify, dataset);
  const std::vector<double> epsilons = epsilons_in(data, group, question);
  for (const double epsilon : epsilons) plot.groups.push_back(fmt::format("ε = {}", short_number(epsilon)));
  for (const Setting& setting : group.settings) {
    const std::string name =
        data.run().models.size() > 1 && group.unit.find(setting.model) == std::string::npos
            ? fmt::format("{}, {}", setting.mechanism, setting.model)
            : setting.mechanism;
    BarPlot::Series series{name, plot.series.size(), {}};
    for (const double epsilon : epsilons)
      series.values.push_back(
          composite_score(data, dataset, setting.model, setting.mechanism, epsilon, alpha));
    if (std::any_of(series.values.begin(), series.values.end(), [](const auto& value) { return value; }))
      plot.series.push_back(std::move(series));
  }
  return plot;
}

/// The name of a score at the beginning of a title.
std::string capitalized_title(const std::string& score) {
  std::string title = score_title(score);
  if (title == "accuracy") title = "Accuracy";
  return title;
}

}  // namespace

std::string privacy_plots(const ReportData& data) {
  std::string html;
  for (const DatasetSpec& dataset : data.run().datasets) {
    html += word_plots(data, dataset.label, dataset.label);
    html +=
        epsilon_plots(data, {"Cosine similarity on " + dataset.label,
                             "CS",
                             {asker(data, question_about(CellKind::similarity, dataset.label), "cs"), 1}});
  }
  return grid(html + word_plots(data, "", "the vocabulary"));
}

std::string utility_plots(const ReportData& data) {
  std::string html;
  for (const ClassifierSpec& spec : data.run().classifiers)
    for (const DatasetSpec& dataset : data.run().datasets) {
      const std::string score = data.utility_score(dataset.label);
      const FigureOf utility =
          asker(data, question_about(CellKind::classify, dataset.label, spec.label), score);
      const BaselinesOf baselines = baselines_of(data, CellKind::classify, dataset.label, spec.label, score);
      const std::string what = capitalized_title(score);
      html += epsilon_plots(data, {fmt::format("{}: {}, {}", what, dataset.label, spec.label),
                                   score_title(score) + " in percent",
                                   {utility, 100},
                                   false,
                                   baselines});
      for (const PlottedModel& model : plotted_models(data, spec.parameters)) {
        const LinePlot about{fmt::format("N_w and {}: {}{}, {}", score_title(score), dataset.label,
                                         on_model(data, model), spec.label),
                             "N_w in percent (left: more private)",
                             score_title(score) + " in percent",
                             false,
                             false,
                             {},
                             baselines(model.value_or(""))};
        html += figure_plots(data, about, model,
                             {asker(data, question_about(CellKind::words, dataset.label), "n_w"), 100},
                             {utility, 100});
      }
    }
  return grid(html);
}

std::string attack_plots(const ReportData& data) {
  std::string html;
  for (const AttackerSpec& spec : data.run().attackers)
    for (const DatasetSpec& dataset : data.run().datasets) html += attack_plot(data, spec, dataset.label);
  return grid(html);
}

std::string inference_plots(const ReportData& data) {
  std::string html;
  for (const InferenceSpec& spec : data.run().inference)
    for (const std::string& model : model_labels(data)) {
      const Question question = question_about(CellKind::inference, std::nullopt, spec.label);
      const FigureOf error = asker(data, question, "e_m");
      const std::string where = spec.label + on_model(data, model);
      html += epsilon_plots(data, {"Inference error: " + where, "E_M", {error, 1}, false, {}, model});
      if (!spec.words.empty())
        html += figure_plots(data,
                             {"Inference error and utility loss: " + where,
                              "L_M (left: more useful)",
                              "E_M",
                              false,
                              false,
                              {},
                              {}},
                             model, {asker(data, question, "l_m"), 1}, {error, 1});
      if (spec.prior.empty()) continue;
      for (const ClassifierSpec& classifier : data.run().classifiers) {
        const Question learns = question_about(CellKind::classify, spec.prior, classifier.label);
        html += figure_plots(data,
                             {fmt::format("Inference error and errors of {}: {}", classifier.label, where),
                              "classification error (left: more useful)",
                              "E_M",
                              false,
                              false,
                              {},
                              {}},
                             model, {error_of(asker(data, learns, "accuracy")), 1}, {error, 1});
      }
    }
  return grid(html);
}

std::string composite_plots(const ReportData& data) {
  std::string html;
  const std::vector<SettingGroup> groups = setting_groups(data);
  for (const DatasetSpec& dataset : data.run().datasets)
    for (const double alpha : data.run().report.puc_alphas)
      for (const SettingGroup& group : groups) {
        const std::string title = fmt::format("PUC on {}, α = {}", dataset.label, short_number(alpha));
        const BarPlot plot =
            composite_plot(data, group, dataset.label, alpha, title_in(title, group, groups.size()));
        if (!plot.series.empty()) html += to_html(plot);
      }
  return grid(html);
}

std::string speed_plots(const ReportData& data) {
  BarPlot plot{"Tokens per second, one thread", "tokens/s", true, {}, {}};
  const std::vector<std::string> models = model_labels(data);
  plot.groups = models;
  for (std::size_t i = 0; i < data.run().mechanisms.size(); ++i) {
    BarPlot::Series series{data.run().mechanisms[i].label, i, {}};
    for (const std::string& model : models) {
      double tokens = 0;
      double seconds = 0;
      for (const auto& speed : data.input.speeds) {
        if (speed.value("model", std::string()) != model ||
            speed.value("mechanism", std::string()) != series.name)
          continue;
        tokens += speed.value("tokens", 0.0);
        seconds += speed.value("seconds", 0.0);
      }
      series.values.push_back(seconds > 0 && tokens > 0 ? std::optional<double>(tokens / seconds)
                                                        : std::nullopt);
    }
    if (std::any_of(series.values.begin(), series.values.end(), [](const auto& value) { return value; }))
      plot.series.push_back(std::move(series));
  }
  return plot.series.empty() ? std::string() : grid(to_html(plot));
}

}  // namespace sotto::evaluate

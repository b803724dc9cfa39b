#include "evaluate/report/plots.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "evaluate/experiment/grid.hpp"
#include "evaluate/plot/plot.hpp"
#include "evaluate/plot/table.hpp"
#include "evaluate/report/tables.hpp"

namespace sotto::evaluate {
namespace {

/// A figure by mechanism and ε.
using FigureOf = std::function<std::optional<Figure>(const std::string& mechanism, double epsilon)>;

std::vector<double> all_epsilons(const ExperimentSpec& run) {
  std::vector<double> epsilons = run.epsilons;
  for (const ExperimentMechanism& mechanism : run.mechanisms)
    epsilons.insert(epsilons.end(), mechanism.epsilons.begin(), mechanism.epsilons.end());
  std::sort(epsilons.begin(), epsilons.end());
  epsilons.erase(std::unique(epsilons.begin(), epsilons.end()), epsilons.end());
  return epsilons;
}

bool wants_log(const std::vector<double>& epsilons) {
  return epsilons.size() > 2 && epsilons.back() / epsilons.front() > 8;
}

std::optional<std::pair<double, double>> range_of(const Figure& figure, double factor) {
  if (figure.interval) return std::pair(factor * figure.interval->first, factor * figure.interval->second);
  if (figure.n < 2 || !std::isfinite(figure.deviation)) return std::nullopt;
  return std::pair(factor * (figure.mean - figure.deviation), factor * (figure.mean + figure.deviation));
}

/// Mechanisms that are plotted together. A label "group / name" puts a mechanism into the plots of its group;
/// those without a group are in all plots, for comparison.
struct Panel {
  std::string group;
  struct Member {
    std::string mechanism;  ///< label
    std::string name;       ///< without the group
    bool in_group = false;
  };
  std::vector<Member> members;

  std::string title(const std::string& of) const { return group.empty() ? of : of + ": " + group; }
};

/// The lines of a panel, and whether one of them belongs to its group.
struct PanelLines {
  std::vector<PlotSeries> series;
  bool of_group = false;

  void add(PlotSeries line, const Panel::Member& member) {
    if (line.points.empty()) return;
    of_group |= member.in_group;
    series.push_back(std::move(line));
  }
};

constexpr std::string_view kGroupEnd = " / ";

std::string group_of(const std::string& label) {
  const std::size_t end = label.find(kGroupEnd);
  return end == std::string::npos ? std::string() : label.substr(0, end);
}

std::vector<Panel> panels(const ExperimentSpec& run) {
  std::vector<Panel> panels;
  for (const ExperimentMechanism& mechanism : run.mechanisms) {
    const std::string group = group_of(mechanism.label);
    if (!group.empty() &&
        std::none_of(panels.begin(), panels.end(), [&](const Panel& panel) { return panel.group == group; }))
      panels.push_back({group, {}});
  }
  if (panels.empty()) panels.emplace_back();
  for (Panel& panel : panels)
    for (const ExperimentMechanism& mechanism : run.mechanisms) {
      const std::string group = group_of(mechanism.label);
      if (group.empty()) {
        panel.members.push_back({mechanism.label, mechanism.label});
      } else if (group == panel.group) {
        // Another mechanism may have the same name without a group.
        const std::string name = mechanism.label.substr(group.size() + kGroupEnd.size());
        const bool taken = std::any_of(run.mechanisms.begin(), run.mechanisms.end(),
                                       [&](const ExperimentMechanism& other) { return other.label == name; });
        panel.members.push_back({mechanism.label, taken ? mechanism.label : name, true});
      }
    }
  return panels;
}

/// A plot per group that has figures. Mechanisms without a group are added to each, or plotted alone.
template <class LinesOf>
std::string panel_plots(const ExperimentSpec& run, const LinePlot& about, const LinesOf& lines_of) {
  std::string html;
  std::vector<PlotSeries> alone;
  for (const Panel& panel : panels(run)) {
    PanelLines lines = lines_of(panel);
    if (!lines.of_group) {
      alone = std::move(lines.series);
      continue;
    }
    LinePlot plot = about;
    plot.title = panel.title(about.title);
    plot.series = std::move(lines.series);
    html += to_html(plot);
  }
  if (!html.empty() || alone.empty()) return html;
  LinePlot plot = about;
  plot.series = std::move(alone);
  return to_html(plot);
}

/// A line per mechanism, its points by ε.
PanelLines by_epsilon(const ExperimentSpec& run, const Panel& panel, const FigureOf& y, double factor) {
  PanelLines all;
  for (std::size_t i = 0; i < panel.members.size(); ++i) {
    PlotSeries series{panel.members[i].name, i, {}};
    for (const double epsilon : all_epsilons(run))
      if (const auto figure = y(panel.members[i].mechanism, epsilon))
        series.points.push_back({epsilon, factor * figure->mean, range_of(*figure, factor), std::nullopt});
    all.add(std::move(series), panel.members[i]);
  }
  return all;
}

/// The same with another figure in place of ε.
PanelLines by_figure(const ExperimentSpec& run, const Panel& panel, const FigureOf& x, double x_factor,
                     const FigureOf& y, double y_factor) {
  PanelLines all;
  for (std::size_t i = 0; i < panel.members.size(); ++i) {
    PlotSeries series{panel.members[i].name, i, {}};
    for (const double epsilon : all_epsilons(run)) {
      const auto at = x(panel.members[i].mechanism, epsilon);
      const auto value = y(panel.members[i].mechanism, epsilon);
      if (at && value)
        series.points.push_back({x_factor * at->mean, y_factor * value->mean, range_of(*value, y_factor),
                                 range_of(*at, x_factor)});
    }
    all.add(std::move(series), panel.members[i]);
  }
  return all;
}

FigureOf asker(const ReportData& data, Question question, std::string value) {
  return [&data, question = std::move(question), value = std::move(value)](const std::string& mechanism,
                                                                           double epsilon) mutable {
    question.mechanism = mechanism;
    question.epsilon = epsilon;
    return data.observations.figure(question, value);
  };
}

Question question_about(CellKind kind, const std::optional<std::string>& dataset,
                        const std::optional<std::string>& model = std::nullopt,
                        const std::optional<std::string>& measure = std::nullopt) {
  Question question;
  question.kind = kind;
  question.dataset = dataset;
  question.model = model;
  question.measure = measure;
  return question;
}

std::string epsilon_plot(const ReportData& data, const std::string& title, const std::string& y_label,
                         const FigureOf& y, double factor, bool log_y = false,
                         const std::vector<PlotLine>& lines = {}) {
  const LinePlot about{title, "ε", y_label, wants_log(all_epsilons(data.run())), log_y, {}, lines};
  return panel_plots(data.run(), about,
                     [&](const Panel& panel) { return by_epsilon(data.run(), panel, y, factor); });
}

std::string figure_plot(const ReportData& data, const LinePlot& about, const FigureOf& x, double x_factor,
                        const FigureOf& y, double y_factor) {
  return panel_plots(data.run(), about, [&](const Panel& panel) {
    return by_figure(data.run(), panel, x, x_factor, y, y_factor);
  });
}

/// N_w:S_w, both averaged over models as in the paper.
FigureOf ratio_of(const FigureOf& stays, const FigureOf& distinct) {
  return [=](const std::string& mechanism, double epsilon) -> std::optional<Figure> {
    const auto above = stays(mechanism, epsilon);
    const auto below = distinct(mechanism, epsilon);
    if (!above || !below || below->mean <= 0) return std::nullopt;
    return Figure{100 * above->mean / below->mean, NAN, 1, std::nullopt};
  };
}

std::string word_plots(const ReportData& data, const std::string& dataset, const std::string& name) {
  const FigureOf stays = asker(data, question_about(CellKind::words, dataset), "n_w");
  const FigureOf distinct = asker(data, question_about(CellKind::words, dataset), "s_w");
  const std::string models = data.run().models.size() > 1 ? ", mean over the models" : "";
  return epsilon_plot(data, fmt::format("N_w on {}{}", name, models), "N_w in percent", stays, 100) +
         epsilon_plot(data, fmt::format("S_w on {}{}", name, models), "S_w", distinct, 1) +
         epsilon_plot(data, fmt::format("N_w : S_w on {}{} (lower: more deniable)", name, models),
                      "N_w : S_w", ratio_of(stays, distinct), 1, true);
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

std::vector<PlotLine> baseline_lines(const ReportData& data, CellKind kind, const std::string& dataset,
                                     const PlottedModel& model, const std::string& measure,
                                     const std::string& score) {
  std::vector<PlotLine> lines;
  if (const auto figure = data.baseline(kind, dataset, model.value_or(""), measure, score))
    lines.push_back({"unprotected", 100 * figure->mean});
  if (const auto figure = data.baseline(kind, dataset, model.value_or(""), measure, "majority_" + score))
    lines.push_back({"majority class", 100 * figure->mean});
  return lines;
}

std::string attack_plot(const ReportData& data, const AttackerSpec& spec, const std::string& dataset,
                        const PlottedModel& model) {
  std::string html;
  for (const char* mode : {"static", "adaptive"}) {
    Question question = question_about(CellKind::attribute, dataset, model, spec.label);
    question.mode = mode;
    const FigureOf attack = asker(data, question, "macro_f1");
    html +=
        epsilon_plot(data, fmt::format("{} ({}) on {}{}", spec.label, mode, dataset, on_model(data, model)),
                     "macro F1 in percent", attack, 100, false,
                     baseline_lines(data, CellKind::attribute, dataset, model, spec.label, "macro_f1"));
    if (data.run().classifiers.empty()) continue;
    const std::string& classifier = data.run().classifiers.front().label;
    const std::string score = data.utility_score(dataset);
    html += figure_plot(
        data,
        {fmt::format("Privacy and utility on {}{}: what {} ({}) finds, what {} still learns", dataset,
                     on_model(data, model), spec.label, mode, classifier),
         "attacker's macro F1 in percent (left: more private)",
         score_title(score) + " in percent",
         false,
         false,
         {},
         {}},
        attack, 100, asker(data, question_about(CellKind::classify, dataset, model, classifier), score), 100);
  }
  return html;
}

/// 1 − accuracy, as a loss.
FigureOf error_of(const FigureOf& accuracy) {
  return [=](const std::string& mechanism, double epsilon) -> std::optional<Figure> {
    auto figure = accuracy(mechanism, epsilon);
    if (!figure) return std::nullopt;
    figure->mean = 1 - figure->mean;
    return figure;
  };
}

std::string grid(const std::string& plots) {
  return plots.empty() ? std::string() : "<div class=\"plots\">" + plots + "</div>\n";
}

}  // namespace

std::string privacy_plots(const ReportData& data) {
  std::string html;
  for (const DatasetSpec& dataset : data.run().datasets) {
    html += word_plots(data, dataset.label, dataset.label);
    html += epsilon_plot(data, "Cosine similarity on " + dataset.label, "CS",
                         asker(data, question_about(CellKind::similarity, dataset.label), "cs"), 1);
  }
  return grid(html + word_plots(data, "", "the vocabulary"));
}

std::string utility_plots(const ReportData& data) {
  std::string html;
  for (const ClassifierSpec& spec : data.run().classifiers)
    for (const DatasetSpec& dataset : data.run().datasets)
      for (const PlottedModel& model : plotted_models(data, spec.parameters)) {
        const std::string score = data.utility_score(dataset.label);
        const FigureOf utility =
            asker(data, question_about(CellKind::classify, dataset.label, model, spec.label), score);
        const std::string where = fmt::format("{}{}, {}", dataset.label, on_model(data, model), spec.label);
        const auto lines = baseline_lines(data, CellKind::classify, dataset.label, model, spec.label, score);
        html += epsilon_plot(data, "Utility: " + where, score_title(score) + " in percent", utility, 100,
                             false, lines);
        html += figure_plot(data,
                            {"Privacy and utility: " + where,
                             "N_w in percent (left: more private)",
                             score_title(score) + " in percent",
                             false,
                             false,
                             {},
                             lines},
                            asker(data, question_about(CellKind::words, dataset.label, model), "n_w"), 100,
                            utility, 100);
      }
  return grid(html);
}

std::string attack_plots(const ReportData& data) {
  std::string html;
  for (const AttackerSpec& spec : data.run().attackers)
    for (const DatasetSpec& dataset : data.run().datasets)
      for (const PlottedModel& model : plotted_models(data, spec.parameters))
        html += attack_plot(data, spec, dataset.label, model);
  return grid(html);
}

std::string inference_plots(const ReportData& data) {
  std::string html;
  for (const InferenceSpec& spec : data.run().inference)
    for (const std::string& model : model_labels(data)) {
      const Question question = question_about(CellKind::inference, std::nullopt, model, spec.label);
      const FigureOf error = asker(data, question, "e_m");
      const std::string where = spec.label + on_model(data, model);
      html += epsilon_plot(data, "Inference error: " + where, "E_M", error, 1);
      if (!spec.words.empty())
        html += figure_plot(data,
                            {"Inference error and utility loss: " + where,
                             "L_M (left: more useful)",
                             "E_M",
                             false,
                             false,
                             {},
                             {}},
                            asker(data, question, "l_m"), 1, error, 1);
      if (spec.prior.empty()) continue;
      for (const ClassifierSpec& classifier : data.run().classifiers)
        html += figure_plot(
            data,
            {fmt::format("Inference error and errors of {}: {}", classifier.label, where),
             "classification error (left: more useful)",
             "E_M",
             false,
             false,
             {},
             {}},
            error_of(asker(data, question_about(CellKind::classify, spec.prior, model, classifier.label),
                           "accuracy")),
            1, error, 1);
    }
  return grid(html);
}

std::string composite_plots(const ReportData& data) {
  std::string html;
  const std::vector<double> epsilons = all_epsilons(data.run());
  for (const DatasetSpec& dataset : data.run().datasets)
    for (const double alpha : data.run().report.puc_alphas) {
      BarPlot plot{
          fmt::format("PUC on {}, α = {}", dataset.label, short_number(alpha)), "PUC", false, {}, {}};
      for (const double epsilon : epsilons)
        plot.groups.push_back(fmt::format("ε = {}", short_number(epsilon)));
      for (std::size_t i = 0; i < data.run().mechanisms.size(); ++i) {
        BarPlot::Series series{data.run().mechanisms[i].label, i, {}};
        for (const double epsilon : epsilons) {
          double sum = 0;
          std::size_t count = 0;
          for (const std::string& model : model_labels(data))
            if (const auto score = composite_score(data, dataset.label, model, series.name, epsilon, alpha)) {
              sum += *score;
              ++count;
            }
          series.values.push_back(count == 0 ? std::nullopt
                                             : std::optional<double>(sum / static_cast<double>(count)));
        }
        if (std::any_of(series.values.begin(), series.values.end(), [](const auto& value) { return value; }))
          plot.series.push_back(std::move(series));
      }
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

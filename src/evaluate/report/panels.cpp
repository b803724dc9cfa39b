#include "evaluate/report/panels.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace sotto::evaluate {
namespace {

/// Mechanisms that are plotted together.
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

/// What the error bars of a plot are.
enum class BarKind { interval, range, deviation };

/// The lines of a panel, and whether one of them belongs to its group.
struct PanelLines {
  std::vector<PlotSeries> series;
  std::set<BarKind> bars;
  bool of_group = false;

  void add(PlotSeries line, const Panel::Member& member) {
    if (line.points.empty()) return;
    of_group |= member.in_group;
    series.push_back(std::move(line));
  }

  std::string note() const {
    if (bars.empty()) return "";
    std::vector<std::string> kinds;
    if (bars.contains(BarKind::range)) kinds.emplace_back("the range of two runs, no confidence interval");
    if (bars.contains(BarKind::deviation)) kinds.emplace_back("± one standard deviation of the runs");
    if (bars.contains(BarKind::interval)) kinds.emplace_back("the confidence interval of a sampled figure");
    std::string text = "Bars: " + kinds.front();
    for (std::size_t i = 1; i < kinds.size(); ++i) text += "; or " + kinds[i];
    return text + ".";
  }
};

constexpr std::string_view kGroupEnd = " / ";

std::string label_group(const std::string& label) {
  const std::size_t end = label.find(kGroupEnd);
  return end == std::string::npos ? std::string() : label.substr(0, end);
}

std::vector<Panel> panels(const ExperimentSpec& run) {
  std::vector<Panel> panels;
  for (const ExperimentMechanism& mechanism : run.mechanisms) {
    const std::string group = label_group(mechanism.label);
    if (!group.empty() &&
        std::none_of(panels.begin(), panels.end(), [&](const Panel& panel) { return panel.group == group; }))
      panels.push_back({group, {}});
  }
  if (panels.empty()) panels.emplace_back();
  for (Panel& panel : panels)
    for (const ExperimentMechanism& mechanism : run.mechanisms) {
      const std::string group = label_group(mechanism.label);
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

/// A plot per group of labels that has figures. Mechanisms without a group are added to each, or plotted
/// alone.
template <class LinesOf>
std::string panel_plots(const ExperimentSpec& run, const LinePlot& about, const LinesOf& lines_of) {
  const auto plot_of = [&](std::string title, PanelLines lines) {
    LinePlot plot = about;
    plot.title = std::move(title);
    plot.note = lines.note();
    plot.series = std::move(lines.series);
    return to_html(plot);
  };
  std::string html;
  PanelLines alone;
  for (const Panel& panel : panels(run)) {
    PanelLines lines = lines_of(panel);
    if (lines.of_group)
      html += plot_of(panel.title(about.title), std::move(lines));
    else
      alone = std::move(lines);
  }
  return html.empty() && !alone.series.empty() ? plot_of(about.title, std::move(alone)) : html;
}

/// The error bar of a figure; notes what it is.
std::optional<std::pair<double, double>> bar_of(const Figure& figure, double factor,
                                                std::set<BarKind>& kinds) {
  const auto bar = [&](BarKind kind, double low, double high) {
    kinds.insert(kind);
    return std::pair(factor * low, factor * high);
  };
  if (figure.interval) return bar(BarKind::interval, figure.interval->first, figure.interval->second);
  if (figure.range) return bar(BarKind::range, figure.range->first, figure.range->second);
  if (figure.n < 3 || !std::isfinite(figure.deviation)) return std::nullopt;
  return bar(BarKind::deviation, figure.mean - figure.deviation, figure.mean + figure.deviation);
}

/// A line per setting of each member. `x` null: against ε.
PanelLines lines_of(const ReportData& data, const Panel& panel, const std::vector<Setting>& settings,
                    const PlottedFigure* x, const PlottedFigure& y) {
  PanelLines all;
  std::size_t further = panel.members.size();  // styles of a mechanism's second model and so on
  for (std::size_t i = 0; i < panel.members.size(); ++i) {
    const Panel::Member& member = panel.members[i];
    const auto is_own = [&](const Setting& setting) { return setting.mechanism == member.mechanism; };
    const bool several = std::count_if(settings.begin(), settings.end(), is_own) > 1;
    std::size_t style = i;
    for (const Setting& setting : settings) {
      if (!is_own(setting)) continue;
      PlotSeries line{several ? fmt::format("{}, {}", member.name, setting.model) : member.name, style, {}};
      style = further;
      further += several ? 1 : 0;
      for (const double epsilon : all_epsilons(data.run())) {
        const auto value = y.of(setting, epsilon);
        const auto at = x == nullptr ? std::nullopt : x->of(setting, epsilon);
        if (!value || (x != nullptr && !at)) continue;
        PlotPoint point{x == nullptr ? epsilon : x->factor * at->mean, y.factor * value->mean, {}, {}};
        point.y_range = bar_of(*value, y.factor, all.bars);
        if (at) point.x_range = bar_of(*at, x->factor, all.bars);
        line.points.push_back(std::move(point));
      }
      all.add(std::move(line), member);
    }
  }
  return all;
}

std::vector<Setting> with_model(std::vector<Setting> settings, const std::optional<std::string>& model) {
  if (model) std::erase_if(settings, [&](const Setting& setting) { return setting.model != *model; });
  return settings;
}

/// The model that all settings have, or an empty string.
std::string common_model(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings)
    if (setting.model != settings.front().model) return {};
  return settings.front().model;
}

bool wants_log(const std::vector<double>& epsilons) {
  return epsilons.size() > 2 && epsilons.back() / epsilons.front() > 8;
}

}  // namespace

std::vector<double> all_epsilons(const ExperimentSpec& run) {
  std::vector<double> epsilons = run.epsilons;
  for (const ExperimentMechanism& mechanism : run.mechanisms)
    epsilons.insert(epsilons.end(), mechanism.epsilons.begin(), mechanism.epsilons.end());
  std::sort(epsilons.begin(), epsilons.end());
  epsilons.erase(std::unique(epsilons.begin(), epsilons.end()), epsilons.end());
  return epsilons;
}

std::string epsilon_plots(const ReportData& data, const EpsilonPlot& about) {
  std::string html;
  const std::vector<SettingGroup> groups = setting_groups(data);
  for (const SettingGroup& group : groups) {
    const std::vector<Setting> settings = with_model(group.settings, about.model);
    if (settings.empty()) continue;
    LinePlot plot{title_in(about.title, group, groups.size()),
                  group.axis,
                  about.y_label,
                  wants_log(all_epsilons(data.run())),
                  about.log_y,
                  {},
                  {}};
    if (about.baselines) plot.lines = about.baselines(common_model(settings));
    html += panel_plots(data.run(), plot, [&](const Panel& panel) {
      return lines_of(data, panel, settings, nullptr, about.y);
    });
  }
  return html;
}

std::string figure_plots(const ReportData& data, const LinePlot& about,
                         const std::optional<std::string>& model, const PlottedFigure& x,
                         const PlottedFigure& y) {
  const std::vector<Setting> all = with_model(settings(data), model);
  return panel_plots(data.run(), about,
                     [&](const Panel& panel) { return lines_of(data, panel, all, &x, y); });
}

}  // namespace sotto::evaluate

// Line plots of a report: which mechanisms share one. Mechanisms whose ε have different units never share an
// axis of ε; where the axes are figures, all may be in one plot.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/plot/plot.hpp"
#include "evaluate/report/setting_groups.hpp"

namespace sotto::evaluate {

/// A figure by setting and ε.
using FigureOf = std::function<std::optional<Figure>(const Setting& setting, double epsilon)>;

/// A figure and how it is plotted.
struct PlottedFigure {
  FigureOf of;
  double factor = 1;
};

/// Baselines, which may depend on the model of a group; empty model: the group has several.
using BaselinesOf = std::function<std::vector<PlotLine>(const std::string& model)>;

/// What a plot of a figure against ε is about.
struct EpsilonPlot {
  std::string title;
  std::string y_label;
  PlottedFigure y;
  bool log_y = false;
  BaselinesOf baselines = {};
  std::optional<std::string> model = {};  ///< only settings with this one
};

/// A plot per unit of ε. A label "group / name" puts a mechanism into the plots of its group; those without a
/// group are in all plots, for comparison. Plots without figures are omitted.
std::string epsilon_plots(const ReportData& data, const EpsilonPlot& about);

/// Two figures against each other, whatever their ε: a plot per group of labels. `about` has no series.
std::string figure_plots(const ReportData& data, const LinePlot& about,
                         const std::optional<std::string>& model, const PlottedFigure& x,
                         const PlottedFigure& y);

/// The ε of the run, ascending.
std::vector<double> all_epsilons(const ExperimentSpec& run);

}  // namespace sotto::evaluate

// Plots as inline SVG. Colours and fonts come from the page's style sheet (classes s0 to s11), so that a plot
// is readable in light and dark and prints well.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sotto {

struct PlotPoint {
  double x = 0;
  double y = 0;
  std::optional<std::pair<double, double>> y_range;  ///< error bar
  std::optional<std::pair<double, double>> x_range;
};

/// Points in the order in which they are joined.
struct PlotSeries {
  std::string name;
  std::size_t style = 0;  ///< colour and marker; the same mechanism has the same in all plots
  std::vector<PlotPoint> points;
};

struct PlotLine {
  std::string name;
  double y = 0;
};

struct LinePlot {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<PlotSeries> series;
  std::vector<PlotLine> lines;  ///< horizontal, for baselines
};

/// Bars in groups, one bar of each series in each group.
struct BarPlot {
  std::string title;
  std::string y_label;
  bool log_y = false;
  std::vector<std::string> groups;
  struct Series {
    std::string name;
    std::size_t style = 0;
    std::vector<std::optional<double>> values;  ///< one for each group
  };
  std::vector<Series> series;
};

/// A <figure> with title, picture and legend. Points that a logarithmic axis cannot show are left out.
std::string to_html(const LinePlot& plot);
std::string to_html(const BarPlot& plot);

/// The same as an SVG file of its own, which needs no style sheet.
std::string to_svg(const LinePlot& plot);
std::string to_svg(const BarPlot& plot);

/// Where an axis begins and ends, and its marks.
struct AxisScale {
  double low = 0;
  double high = 1;
  bool logarithmic = false;
  std::vector<double> ticks;

  /// The share of the axis, from 0 to 1, at which a value lies.
  double place(double value) const;
};

/// A scale that covers all values, with about five round marks; a logarithmic one takes positive values only
/// and has marks at powers of ten, between them too where there are few.
AxisScale make_scale(const std::vector<double>& values, bool logarithmic);

}  // namespace sotto

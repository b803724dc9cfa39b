// Plots as inline SVG. Colours and fonts come from the page's style sheet (classes s0 to s11), so that a plot
// is readable in light and dark mode and prints well.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sotto::evaluate {

struct PlotPoint {
  double x = 0;
  double y = 0;
  std::optional<std::pair<double, double>> y_range;  ///< error bar
  std::optional<std::pair<double, double>> x_range;
  std::string label = {};  ///< beside the marker; empty: none
};

/// Points in the order in which they are connected.
struct PlotSeries {
  std::string name;
  std::size_t style = 0;  ///< colour and marker; a mechanism has the same style in all plots
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
  std::string note = {};        ///< below the legend of a page, for example what error bars mean
};

/// Grouped bars, one bar per series in each group.
struct BarPlot {
  std::string title;
  std::string y_label;
  bool log_y = false;
  std::vector<std::string> groups;
  struct Series {
    std::string name;
    std::size_t style = 0;
    std::vector<std::optional<double>> values;  ///< one per group
  };
  std::vector<Series> series;
};

/// A <figure> with title, image and legend. Points that a logarithmic axis cannot show are omitted.
std::string to_html(const LinePlot& plot);
std::string to_html(const BarPlot& plot);

/// The same as a standalone SVG file, which needs no style sheet.
std::string to_svg(const LinePlot& plot);
std::string to_svg(const BarPlot& plot);

/// The range of an axis, and its marks.
struct AxisScale {
  double low = 0;
  double high = 1;
  bool logarithmic = false;
  std::vector<double> ticks;

  /// Whether 0 is not on it although it could be: lengths on the axis then exaggerate differences, and a plot
  /// has to say so.
  bool is_cut() const { return !logarithmic && (low > 0 || high < 0); }

  /// The position of a value on the axis, from 0 to 1.
  double place(double value) const;
};

/// A scale that covers all values, with about five round marks, from 0 on where that costs less than half of
/// its length. A logarithmic one takes positive values only
/// and has marks at powers of ten, and between them if these are few.
AxisScale make_scale(const std::vector<double>& values, bool logarithmic);

}  // namespace sotto::evaluate

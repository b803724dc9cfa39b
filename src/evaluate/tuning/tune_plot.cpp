#include "evaluate/tuning/tune_plot.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluate/plot/plot.hpp"

namespace sotto::evaluate {
namespace {

PlotPoint point_of(const TuneReport& report, const TradeOff& measured) {
  const Estimate& y = report.objective_of(measured);
  PlotPoint point{measured.utility_loss.value, y.value, {}, {}, fmt::format("ε {:g}", measured.epsilon)};
  if (measured.exact) return point;
  point.y_range = {y.low, y.high};
  point.x_range = {measured.utility_loss.low, measured.utility_loss.high};
  return point;
}

/// One series per mechanism with its parameters. There may be more of them than colours; the names in the
/// legend and the titles of the series still distinguish them.
std::vector<PlotSeries> series_of(const TuneReport& report) {
  std::vector<PlotSeries> series;
  for (const TradeOff& measured : report.points) {
    if (measured.refusal) continue;
    const std::string name = measured.name();
    if (series.empty() || series.back().name != name) series.push_back({name, series.size(), {}});
    series.back().points.push_back(point_of(report, measured));
  }
  return series;
}

}  // namespace

std::string frontier_svg(const TuneReport& report) {
  LinePlot plot;
  plot.title =
      fmt::format("{} words, {}: privacy against loss", report.covered, fmt::join(report.models, ", "));
  plot.x_label = "expected utility loss";
  plot.y_label = report.objective == TuneObjective::inference_error ? "expected inference error"
                                                                    : "error of the best guess";
  plot.series = series_of(report);
  double low = 1;
  double high = 0;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  plot.series.push_back({fmt::format("limit {:g}", report.largest_loss),
                         plot.series.size(),
                         {{report.largest_loss, low, {}, {}, {}}, {report.largest_loss, high, {}, {}, {}}}});
  if (report.choice) {
    const TradeOff& chosen = report.points[*report.choice];
    plot.series.push_back({fmt::format("chosen: {}, ε = {:g}", chosen.name(), chosen.epsilon),
                           plot.series.size(),
                           {{chosen.utility_loss.value, report.objective_of(chosen).value, {}, {}, {}}}});
  }
  return to_svg(plot);
}

}  // namespace sotto::evaluate

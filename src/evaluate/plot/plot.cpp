#include "evaluate/plot/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "evaluate/plot/table.hpp"

namespace sotto::evaluate {
namespace {

// A small canvas: text stays readable when the plot is scaled to the width of a phone.
constexpr double kWidth = 440;
constexpr double kHeight = 290;
constexpr double kLeft = 54;
constexpr double kRight = 10;
constexpr double kTop = 10;
constexpr double kBottom = 42;
constexpr std::size_t kStyles = 12;

double to_x(double share) {
  return kLeft + share * (kWidth - kLeft - kRight);
}
double to_y(double share) {
  return kHeight - kBottom - share * (kHeight - kTop - kBottom);
}

std::string tick_label(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e6 || size < 1e-3) return fmt::format("{:.0e}", value);
  if (size >= 10'000) return fmt::format("{:g}k", value / 1000);
  return fmt::format("{:g}", std::round(value * 1e6) / 1e6);
}

/// The number among 1, 2, 5 times a power of ten that gives about five steps.
double round_step(double range) {
  const double raw = range / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power * 1.0000001) return factor * power;
  return 10 * power;
}

AxisScale linear_scale(double low, double high) {
  if (low > 0 && low < high / 2) low = 0;
  if (low == high) {
    const double margin = low == 0 ? 1 : std::abs(low) * 0.1;
    low -= margin;
    high += margin;
  }
  const double step = round_step(high - low);
  AxisScale scale;
  scale.low = std::floor(low / step + 1e-9) * step;
  scale.high = std::ceil(high / step - 1e-9) * step;
  const auto count = static_cast<int>(std::lround((scale.high - scale.low) / step));
  for (int i = 0; i <= count; ++i) scale.ticks.push_back(scale.low + i * step);
  return scale;
}

AxisScale log_scale(double low, double high) {
  AxisScale scale;
  scale.logarithmic = true;
  scale.low = low == high ? low / 2 : low;
  scale.high = low == high ? high * 2 : high;
  const int first = static_cast<int>(std::floor(std::log10(scale.low)));
  const int last = static_cast<int>(std::ceil(std::log10(scale.high)));
  const bool few = std::log10(scale.high / scale.low) < 2.2;
  const int step = std::max(1, (last - first) / 6);
  for (int exponent = first; exponent <= last; exponent += step) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10, exponent);
      if (factor > 1 && !few) break;
      if (tick >= scale.low * 0.999 && tick <= scale.high * 1.001) scale.ticks.push_back(tick);
    }
  }
  return scale;
}

std::string marker(double x, double y, std::size_t style) {
  constexpr double r = 3.2;
  const std::string css = fmt::format("class=\"m s{}\"", style % kStyles);
  switch (style % 4) {
    case 1:
      return fmt::format("<rect {} x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>", css, x - r, y - r,
                         2 * r, 2 * r);
    case 2:
      return fmt::format("<path {} d=\"M{:.1f} {:.1f}l{} {}h{}z\"/>", css, x, y - 1.3 * r, 1.25 * r, 2.2 * r,
                         -2.5 * r);
    case 3:
      return fmt::format("<path {} d=\"M{:.1f} {:.1f}l{} {} {} {} {} {}z\"/>", css, x, y - 1.35 * r, 1.35 * r,
                         1.35 * r, -1.35 * r, 1.35 * r, -1.35 * r, -1.35 * r);
    default:
      return fmt::format("<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>", css, x, y, r);
  }
}

/// A name and the symbol before it, in a box of 18 by 12.
struct LegendEntry {
  std::string key;
  std::string name;
};

struct Picture {
  std::string title;
  std::string svg;
  std::vector<LegendEntry> legend;
  std::string note;
};

std::string line_key(std::size_t style) {
  return fmt::format("<path class=\"l s{}\" d=\"M1 6H17\"/>{}", style % kStyles, marker(9, 6, style));
}

/// An axis' label, with what a reader of its marks must know.
std::string full_label(const std::string& label, const AxisScale& scale) {
  const char* warning = scale.logarithmic ? "logarithmic" : scale.is_cut() ? "axis cut, not from 0" : "";
  return *warning == '\0' ? label : fmt::format("{}{}{}", label, label.empty() ? "" : ", ", warning);
}

/// The sign of a cut axis, where its 0 would be.
std::string cut_sign(bool vertical) {
  const double x = kLeft;
  const double y = kHeight - kBottom;
  return vertical ? fmt::format("<path class=\"axis cut\" d=\"M{} {}v-4l-4 -2 8 -4 -4 -2v-5\"/>", x, y)
                  : fmt::format("<path class=\"axis cut\" d=\"M{} {}h4l2 -4 4 8 2 -4h5\"/>", x, y);
}

/// Axis lines, marks and labels. With a null `x`, the caller draws the marks of the x axis.
std::string axes_svg(const AxisScale* x, const AxisScale& y, const std::string& x_label,
                     const std::string& y_label) {
  std::string svg;
  for (const double tick : y.ticks) {
    const double at = to_y(y.place(tick));
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/><text class=\"t e\" x=\"{}\" "
        "y=\"{:.1f}\">{}</text>",
        kLeft, at, kWidth - kRight, kLeft - 6, at + 3.5, tick_label(tick));
  }
  if (x != nullptr)
    for (const double tick : x->ticks) {
      const double at = to_x(x->place(tick));
      svg += fmt::format(
          "<path class=\"axis\" d=\"M{:.1f} {:.1f}v4\"/><text class=\"t c\" x=\"{:.1f}\" "
          "y=\"{}\">{}</text>",
          at, kHeight - kBottom, at, kHeight - kBottom + 16, tick_label(tick));
    }
  svg += fmt::format("<path class=\"axis\" d=\"M{} {}H{}\"/>", kLeft, kHeight - kBottom, kWidth - kRight);
  if (y.is_cut()) svg += cut_sign(true);
  if (x != nullptr && x->is_cut()) svg += cut_sign(false);
  svg += fmt::format("<text class=\"t c\" x=\"{}\" y=\"{}\">{}</text>", (kLeft + kWidth - kRight) / 2,
                     kHeight - 6, escape_html(x == nullptr ? x_label : full_label(x_label, *x)));
  return svg + fmt::format("<text class=\"t c\" transform=\"translate(12 {}) rotate(-90)\">{}</text>",
                           (kTop + kHeight - kBottom) / 2, escape_html(full_label(y_label, y)));
}

std::string to_html(const Picture& picture) {
  if (picture.svg.empty()) return {};
  std::string legend;
  for (const LegendEntry& entry : picture.legend)
    legend +=
        fmt::format("<span><svg class=\"key\" viewBox=\"0 0 18 12\" aria-hidden=\"true\">{}</svg>{}</span>",
                    entry.key, escape_html(entry.name));
  const std::string note =
      picture.note.empty() ? "" : fmt::format("<div class=\"note\">{}</div>", escape_html(picture.note));
  return fmt::format(
      "<figure class=\"plot\"><figcaption>{0}</figcaption><svg viewBox=\"0 0 {1} {2}\" role=\"img\" "
      "aria-label=\"{0}\">{3}</svg><div class=\"legend\">{4}</div>{5}</figure>\n",
      escape_html(picture.title), kWidth, kHeight, picture.svg, legend, note);
}

constexpr const char* kFileStyle =
    "text{font-family:system-ui,sans-serif;font-size:11.5px;fill:#555}.title{font-weight:600;font-size:13px;"
    "fill:#222}.c{text-anchor:middle}.e{text-anchor:end}.grid{stroke:#ddd;stroke-width:.7;fill:none}"
    ".axis{stroke:#777;fill:none}.l{fill:none;stroke:currentColor;stroke-width:1.7;stroke-linejoin:round}"
    ".m{fill:currentColor;stroke:#fff;stroke-width:.6}.bar{stroke:currentColor;stroke-width:1.1;fill:none;"
    "opacity:.75}.f{fill:currentColor}.base{fill:none;stroke:#222;stroke-width:1.3;opacity:.75}"
    ".b0{stroke-dasharray:5 3}.b1{stroke-dasharray:1.5 3}.p{font-size:8.5px}";
constexpr std::array<const char*, kStyles> kFileColours = {"#0b66c3", "#c2410c", "#15803d", "#7e22ce",
                                                           "#b91c5c", "#0f766e", "#a16207", "#475569",
                                                           "#1e3a8a", "#991b1b", "#4d7c0f", "#86198f"};

std::string to_svg(const Picture& picture) {
  // A name takes half of the width; two columns fit even the longest names.
  constexpr double kTitleHeight = 26;
  constexpr double kLegendLine = 17;
  const double legend_top = kTitleHeight + kHeight + 4;
  const double rows = std::ceil(static_cast<double>(picture.legend.size()) / 2);
  std::string styles = kFileStyle;
  for (std::size_t i = 0; i < kStyles; ++i) styles += fmt::format(".s{}{{color:{}}}", i, kFileColours[i]);
  std::string legend;
  for (std::size_t i = 0; i < picture.legend.size(); ++i) {
    const std::size_t row = i / 2;
    legend +=
        fmt::format("<g transform=\"translate({} {})\">{}<text x=\"23\" y=\"10\">{}</text></g>",
                    i % 2 == 0 ? 14 : 14 + kWidth / 2, legend_top + kLegendLine * static_cast<double>(row),
                    picture.legend[i].key, escape_html(picture.legend[i].name));
  }
  const double height = legend_top + rows * kLegendLine + 8;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{2}\" height=\"{3}\">\n"
      "<style>{4}</style><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text class=\"title\" x=\"12\" y=\"18\">{5}</text>\n<g transform=\"translate(0 "
      "{6})\">{7}</g>\n{8}\n</svg>\n",
      kWidth, height, 2 * kWidth, 2 * height, styles, escape_html(picture.title), kTitleHeight, picture.svg,
      legend);
}

bool is_shown(const PlotPoint& point, const LinePlot& plot) {
  return std::isfinite(point.x) && std::isfinite(point.y) && (!plot.log_x || point.x > 0) &&
         (!plot.log_y || point.y > 0);
}

std::string error_bar(const PlotPoint& point, const AxisScale& x, const AxisScale& y, std::size_t style) {
  std::string svg;
  const auto inside = [](const AxisScale& scale, double value) {
    return std::clamp(value, scale.low, scale.high);
  };
  if (point.y_range)
    svg += fmt::format("<path class=\"bar s{}\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", style % kStyles,
                       to_x(x.place(point.x)), to_y(y.place(inside(y, point.y_range->first))),
                       to_y(y.place(inside(y, point.y_range->second))));
  if (point.x_range)
    svg += fmt::format("<path class=\"bar s{}\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", style % kStyles,
                       to_x(x.place(inside(x, point.x_range->first))), to_y(y.place(point.y)),
                       to_x(x.place(inside(x, point.x_range->second))));
  return svg;
}

/// Beside the marker, on the side that has room.
std::string point_label(double x, double y, const std::string& label) {
  const bool left = x > kWidth * 0.8;
  return fmt::format("<text class=\"t p{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", left ? " e" : "",
                     left ? x - 5 : x + 5, y - 4, escape_html(label));
}

std::string series_svg(const PlotSeries& series, const LinePlot& plot, const AxisScale& x,
                       const AxisScale& y) {
  std::string path;
  std::string bars;
  std::string markers;
  for (const PlotPoint& point : series.points) {
    if (!is_shown(point, plot)) continue;
    const double px = to_x(x.place(point.x));
    const double py = to_y(y.place(point.y));
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", px, py);
    bars += error_bar(point, x, y, series.style);
    markers += marker(px, py, series.style);
    if (!point.label.empty()) markers += point_label(px, py, point.label);
  }
  return fmt::format("<g><title>{}</title><path class=\"l s{}\" d=\"{}\"/>{}{}</g>", escape_html(series.name),
                     series.style % kStyles, path, bars, markers);
}

/// What the axes must cover.
void collect(const LinePlot& plot, std::vector<double>& xs, std::vector<double>& ys) {
  const auto add = [](std::vector<double>& values, bool logarithmic, double value) {
    if (!logarithmic || value > 0) values.push_back(value);
  };
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      if (!is_shown(point, plot)) continue;
      xs.push_back(point.x);
      ys.push_back(point.y);
      if (point.y_range) {
        add(ys, plot.log_y, point.y_range->first);
        add(ys, plot.log_y, point.y_range->second);
      }
    }
  for (const PlotLine& line : plot.lines) add(ys, plot.log_y, line.y);
}

}  // namespace

double AxisScale::place(double value) const {
  if (!logarithmic) return (value - low) / (high - low);
  return std::log(value / low) / std::log(high / low);
}

AxisScale make_scale(const std::vector<double>& values, bool logarithmic) {
  std::vector<double> shown;
  for (const double value : values)
    if (std::isfinite(value) && (!logarithmic || value > 0)) shown.push_back(value);
  if (shown.empty()) shown = {logarithmic ? 1.0 : 0.0};
  const auto [low, high] = std::minmax_element(shown.begin(), shown.end());
  return logarithmic ? log_scale(*low, *high) : linear_scale(*low, *high);
}

namespace {

Picture draw(const LinePlot& plot) {
  std::vector<double> xs;
  std::vector<double> ys;
  collect(plot, xs, ys);
  if (xs.empty()) return {};
  const AxisScale x = make_scale(xs, plot.log_x);
  const AxisScale y = make_scale(ys, plot.log_y);
  std::string svg = axes_svg(&x, y, plot.x_label, plot.y_label);
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const PlotLine& line = plot.lines[i];
    if (plot.log_y && line.y <= 0) continue;
    svg += fmt::format("<path class=\"base b{}\" d=\"M{} {:.1f}H{}\"/>", i % 2, kLeft, to_y(y.place(line.y)),
                       kWidth - kRight);
    legend.push_back({fmt::format("<path class=\"base b{}\" d=\"M1 6H17\"/>", i % 2), line.name});
  }
  for (const PlotSeries& series : plot.series) {
    svg += series_svg(series, plot, x, y);
    legend.push_back({line_key(series.style), series.name});
  }
  return {plot.title, std::move(svg), std::move(legend), plot.note};
}

Picture draw(const BarPlot& plot) {
  std::vector<double> values;
  if (!plot.log_y) values.push_back(0);
  for (const auto& series : plot.series)
    for (const auto& value : series.values)
      if (value) values.push_back(*value);
  if (values.size() < (plot.log_y ? 1U : 2U)) return {};
  AxisScale y = make_scale(values, plot.log_y);
  if (plot.log_y)
    y.low = std::pow(10, std::floor(std::log10(y.low * 0.999)));  // so that every bar has a height
  std::string svg = axes_svg(nullptr, y, "", plot.y_label);
  std::vector<LegendEntry> legend;
  const double group = 1.0 / static_cast<double>(plot.groups.size());
  const double bar = 0.86 * group / static_cast<double>(plot.series.size());
  const double floor = plot.log_y ? 0 : y.place(0);
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    const auto& series = plot.series[s];
    svg += fmt::format("<g><title>{}</title>", escape_html(series.name));
    for (std::size_t g = 0; g < plot.groups.size(); ++g) {
      if (!series.values[g] || (plot.log_y && *series.values[g] <= 0)) continue;
      const double left = to_x(static_cast<double>(g) * group + 0.07 * group + static_cast<double>(s) * bar);
      const double top = to_y(std::max(floor, y.place(*series.values[g])));
      const double bottom = to_y(std::min(floor, y.place(*series.values[g])));
      svg += fmt::format(
          "<rect class=\"f s{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\"/>",
          series.style % kStyles, left, top, 0.92 * bar * (kWidth - kLeft - kRight), bottom - top);
    }
    svg += "</g>";
    legend.push_back({fmt::format("<rect class=\"f s{}\" x=\"4\" y=\"1\" width=\"11\" height=\"11\"/>",
                                  series.style % kStyles),
                      series.name});
  }
  for (std::size_t g = 0; g < plot.groups.size(); ++g)
    svg += fmt::format("<text class=\"t c\" x=\"{:.1f}\" y=\"{}\">{}</text>",
                       to_x((static_cast<double>(g) + 0.5) * group), kHeight - kBottom + 16,
                       escape_html(plot.groups[g]));
  return {plot.title, std::move(svg), std::move(legend), {}};
}

}  // namespace

std::string to_html(const LinePlot& plot) {
  return to_html(draw(plot));
}

std::string to_html(const BarPlot& plot) {
  return to_html(draw(plot));
}

std::string to_svg(const LinePlot& plot) {
  return to_svg(draw(plot));
}

std::string to_svg(const BarPlot& plot) {
  return to_svg(draw(plot));
}

}  // namespace sotto::evaluate

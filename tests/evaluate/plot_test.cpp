#include "evaluate/plot/plot.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::evaluate;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(AxisScale, LinearScalesAreRoundAndCoverTheValues) {
  const AxisScale scale = make_scale({3.2, 97.4}, false);
  EXPECT_DOUBLE_EQ(scale.low, 0);
  EXPECT_DOUBLE_EQ(scale.high, 100);
  EXPECT_EQ(scale.ticks.size(), 6U);
  EXPECT_DOUBLE_EQ(scale.place(25), 0.25);
  for (const std::vector<double>& values :
       {std::vector<double>{-0.013, 0.002}, {5, 5}, {0, 0}, {1e-9, 2e-9}, {-1e6, 3e6}, {49.9, 50.1}}) {
    const AxisScale any = make_scale(values, false);
    for (const double value : values) {
      EXPECT_GE(any.place(value), -1e-9) << value;
      EXPECT_LE(any.place(value), 1 + 1e-9) << value;
    }
    EXPECT_GE(any.ticks.size(), 3U);
    EXPECT_LE(any.ticks.size(), 12U);
    EXPECT_TRUE(std::is_sorted(any.ticks.begin(), any.ticks.end()));
  }
}

// Lengths on an axis mean something only from 0 on.
TEST(AxisScale, BeginsAtZeroOrIsCut) {
  struct Case {
    std::vector<double> values;
    bool cut;
  };
  for (const Case& each : {Case{{3, 97}, false},
                           {{45, 97}, false},
                           {{55, 97}, true},
                           {{0, 1}, false},
                           {{-5, 5}, false},
                           {{-9, -8}, true},
                           {{49.9, 50.1}, true},
                           {{5, 5}, true}}) {
    const AxisScale scale = make_scale(each.values, false);
    EXPECT_EQ(scale.is_cut(), each.cut) << each.values.front() << " to " << each.values.back();
    EXPECT_EQ(scale.is_cut(), scale.low > 0 || scale.high < 0);
  }
  EXPECT_FALSE(make_scale({55, 97}, true).is_cut()) << "a logarithmic one has no 0";
}

TEST(Plot, SaysWhereAnAxisIsCutOrLogarithmic) {
  LinePlot plot{"t", "ε", "accuracy", true, false, {{"one", 0, {{1, 80, {}, {}}, {10, 90, {}, {}}}}}, {}};
  plot.note = "Bars: <x>";
  const std::string cut = to_html(plot);
  EXPECT_THAT(cut, HasSubstr("accuracy, axis cut, not from 0"));
  EXPECT_THAT(cut, HasSubstr("ε, logarithmic"));
  EXPECT_EQ(count(cut, "class=\"axis cut\""), 1U);
  EXPECT_THAT(cut, HasSubstr("Bars: &lt;x&gt;"));
  plot.series[0].points[0].y = 10;
  plot.log_x = false;
  EXPECT_THAT(to_html(plot), Not(HasSubstr("cut")));
}

TEST(Plot, PointsCarryTheirLabels) {
  LinePlot plot{"t", "x", "y", false, false, {{"one", 0, {{1, 1, {}, {}, "ε 3"}, {9, 2, {}, {}, "ε <9>"}}}},
                {}};
  const std::string svg = to_svg(plot);
  EXPECT_THAT(svg, HasSubstr(">ε 3</text>"));
  EXPECT_THAT(svg, HasSubstr(">ε &lt;9&gt;</text>"));
}

TEST(AxisScale, LogarithmicScalesLeaveOutWhatTheyCannotShow) {
  const AxisScale scale = make_scale({0, 0.1, 50, -3}, true);
  EXPECT_DOUBLE_EQ(scale.low, 0.1);
  EXPECT_DOUBLE_EQ(scale.high, 50);
  EXPECT_NEAR(scale.place(std::sqrt(0.1 * 50)), 0.5, 1e-12);
  EXPECT_GE(scale.ticks.size(), 3U);
  EXPECT_LE(make_scale({1e-8, 1e9}, true).ticks.size(), 12U);
  EXPECT_GE(make_scale({1, 10}, true).ticks.size(), 3U);
}

TEST(Plot, HasAMarkerForEachPointThatCanBeShown) {
  LinePlot plot{"a < b", "x", "y", true, false, {}, {{"base", 0.5}}};
  plot.series = {
      {"one", 0, {{1, 2, std::pair(1.0, 3.0), {}}, {10, 4, {}, {}}, {0, 5, {}, {}}, {2, NAN, {}, {}}}}};
  const std::string html = to_html(plot);
  EXPECT_EQ(count(html, "<circle class=\"m s0\""), 3U) << "two points and the legend";
  EXPECT_EQ(count(html, "class=\"bar s0\""), 1U);
  EXPECT_THAT(html, HasSubstr("a &lt; b"));
  EXPECT_THAT(html, Not(HasSubstr("nan")));
  EXPECT_EQ(to_html(LinePlot{}), "") << "nothing to show";
}

TEST(Plot, BarsStandOnZero) {
  BarPlot plot{
      "bars", "y", false, {"g1", "g2"}, {{"a", 0, {{10.0}, std::nullopt}}, {"b", 1, {{-5.0}, {20.0}}}}};
  const std::string html = to_html(plot);
  EXPECT_EQ(count(html, "class=\"f s0\""), 2U) << "a bar and the legend";
  EXPECT_EQ(count(html, "class=\"f s1\""), 3U) << "two bars and the legend";
  EXPECT_THAT(html, Not(HasSubstr("height=\"-")));
}

// A standalone file contains what the page provides otherwise: the namespace, styles, title and legend.
TEST(Plot, SvgFilesNeedNoPage) {
  const std::string svg = to_svg(BarPlot{"A & B", "y", false, {"g1"}, {{"<a>", 0, {{10.0}}}}});
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  for (const char* part : {"<style>", ".s0{color:#", "A &amp; B", "&lt;a&gt;", "</svg>\n"})
    EXPECT_THAT(svg, HasSubstr(part));
}

}  // namespace
}  // namespace sotto

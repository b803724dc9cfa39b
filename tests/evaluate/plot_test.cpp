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

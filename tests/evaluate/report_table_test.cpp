#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/plot/table.hpp"

namespace sotto {
namespace {

using namespace sotto::evaluate;
using ::testing::HasSubstr;

ReportTable sample() {
  ReportTable table{"t-1", "A & B.", "50 % of \"it\"", {{"", 1}, {"ε = 1", 2}}, {}, 1, {}};
  table.columns = {{"mechanism", Better::neither}, {"N_w", Better::lower}, {"S_w", Better::higher}};
  table.rows = {{TableCell::of("a,\"b\""), {"", 12.345, 0.5, 1, false}, {"", 7, std::nullopt, 1, false}},
                {TableCell::of("<c>"), {"", -0.01, 0.25, 1, false}, TableCell::no_figure()}};
  return table;
}

TEST(ReportTable, MarksTheBestOfEachColumn) {
  ReportTable table = sample();
  table.mark_best();
  EXPECT_FALSE(table.rows[0][1].best);
  EXPECT_TRUE(table.rows[1][1].best) << "lower is better";
  EXPECT_TRUE(table.rows[0][2].best) << "the only one";
  table = sample();
  table.mark_best(1);
  EXPECT_FALSE(table.rows[0][2].best) << "rows before the first do not take part";
}

TEST(ReportTable, ColumnsWithoutFiguresGoWithTheirGroups) {
  ReportTable table = sample();
  const TableCell nothing = TableCell::no_figure();
  table.groups.insert(table.groups.begin() + 1, {{"empty", 1}, {"half", 2}});
  table.columns.insert(table.columns.begin() + 1, {{"x"}, {"y"}, {"z"}});
  const TableCell four{"", 4, std::nullopt, 1, false};
  table.rows[0].insert(table.rows[0].begin() + 1, {nothing, nothing, four});
  table.rows[1].insert(table.rows[1].begin() + 1, {nothing, nothing, nothing});
  table.drop_empty_columns();
  EXPECT_EQ(to_csv(table),
            "mechanism,half z,ε = 1 N_w,ε = 1 N_w sd,ε = 1 S_w\n"
            "\"a,\"\"b\"\"\",4,12.345,0.5,7\n"
            "<c>,,-0.01,0.25,\n")
      << "a missing figure is empty";
  ReportTable full = sample();
  full.drop_empty_columns();
  EXPECT_EQ(to_csv(full), to_csv(sample()));
  EXPECT_TRUE(table.has_column("z"));
  EXPECT_FALSE(table.has_column("y"));
}

TEST(ReportTable, AsCsvKeepsEveryDigitAndQuotes) {
  EXPECT_EQ(to_csv(sample()),
            "mechanism,ε = 1 N_w,ε = 1 N_w sd,ε = 1 S_w\n"
            "\"a,\"\"b\"\"\",12.345,0.5,7\n"
            "<c>,-0.01,0.25,\n");
}

TEST(ReportTable, TwoRunsHaveARange) {
  ReportTable table = sample();
  EXPECT_THAT(table.spread_note(), HasSubstr("standard deviation"));
  table.rows[0][1].deviation.reset();
  table.rows[0][1].range = {11.25, 13.5};
  table.rows[0][2].note = "ε 3";
  EXPECT_EQ(to_csv(table),
            "mechanism,ε = 1 N_w,ε = 1 N_w sd,ε = 1 N_w lower of two,ε = 1 N_w higher of two,ε = 1 S_w,ε = 1 "
            "S_w note\n"
            "\"a,\"\"b\"\"\",12.345,,11.25,13.5,7,ε 3\n"
            "<c>,-0.01,0.25,,,,\n");
  EXPECT_THAT(to_html(table), HasSubstr("12.3<span class=\"sd\"> 11.2 to 13.5</span>"));
  EXPECT_THAT(to_html(table), HasSubstr("7.0<span class=\"sd\"> ε 3</span>"));
  EXPECT_THAT(to_latex(table), HasSubstr("12.3$_{11.2\\ldots 13.5}$ & 7.0 ($\\varepsilon$ 3)"));
  EXPECT_THAT(table.spread_note(), HasSubstr("or the range of two runs"));
  table.rows[1][1].deviation.reset();
  EXPECT_THAT(table.spread_note(), HasSubstr("no confidence interval"));
}

TEST(ReportTable, AsLatexIsEscapedAndBalanced) {
  const std::string latex = to_latex(sample());
  EXPECT_THAT(latex, HasSubstr("\\begin{tabular}{lrr}\n\\toprule"));
  EXPECT_THAT(latex, HasSubstr("\\multicolumn{2}{c}{$\\varepsilon$ = 1}"));
  EXPECT_THAT(latex, HasSubstr("\\cmidrule(lr){2-3}"));
  EXPECT_THAT(latex, HasSubstr("N\\_w $\\downarrow$"));
  EXPECT_THAT(latex, HasSubstr("12.3$_{\\pm 0.5}$ & 7.0 \\\\"));
  EXPECT_THAT(latex, HasSubstr("\\textless{}c\\textgreater{} & 0.0$_{\\pm 0.2}$ & --"));
  EXPECT_THAT(latex, HasSubstr("\\caption{A \\& B. 50 \\% of \"it\"}"));
  EXPECT_EQ(escape_latex("a\\b{c}~^#$"),
            "a\\textbackslash{}b\\{c\\}\\textasciitilde{}\\textasciicircum{}\\#\\$");
}

TEST(ReportTable, AsHtmlIsEscaped) {
  const std::string html = to_html(sample());
  EXPECT_THAT(html, HasSubstr("A &amp; B."));
  EXPECT_THAT(html, HasSubstr("&lt;c&gt;"));
  EXPECT_THAT(html, HasSubstr("50 % of &quot;it&quot;"));
  EXPECT_THAT(html, HasSubstr("12.3<span class=\"sd\"> ± 0.5</span>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"n\">–</td>")) << "in line with the figures";
}

TEST(ReportTable, TitlesStandWhereTheirColumnsStand) {
  ReportTable table;
  table.columns = {{"name"}, {"what"}, {"seconds"}};
  table.rows = {{TableCell::of("a"), TableCell::of("some words"), {"", 1.5, {}, 1, false}},
                {TableCell::of("b"), TableCell::no_figure(), TableCell::no_figure()}};
  const std::string html = to_html(table);
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\">what</th>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\" class=\"n\">seconds</th>"));
}

TEST(ReportTable, SlugsAreFileNames) {
  EXPECT_EQ(slug("AG News / GloVe 50"), "ag-news-glove-50");
  EXPECT_EQ(slug("ε–δ"), "");
  EXPECT_EQ(short_number(0.25), "0.25");
  EXPECT_EQ(short_number(10), "10");
}

}  // namespace
}  // namespace sotto

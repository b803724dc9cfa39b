#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <sotto/choose.hpp>
#include <sotto/terminal_text.hpp>
#include <sotto/version.hpp>

#include "evaluate/plot/plot.hpp"
#include "evaluate/plot/table.hpp"
#include "evaluate/report/html_page.hpp"

namespace sotto {
using namespace evaluate;
namespace {

constexpr double kPercent = 100;

TableCell share_cell(double share) {
  TableCell cell;
  cell.value = kPercent * share;
  cell.decimals = 0;
  return cell;
}

TableCell count_cell(std::uint64_t count) {
  TableCell cell;
  cell.value = static_cast<double>(count);
  cell.decimals = 0;
  return cell;
}

TableCell cosine_cell(const std::optional<double>& similarity) {
  if (!similarity) return TableCell::no_figure();
  TableCell cell;
  cell.value = *similarity;
  cell.decimals = 2;
  return cell;
}

void add_figures(const TextFigures& figures, std::vector<TableCell>& row) {
  row.push_back(share_cell(figures.changed));
  row.push_back(share_cell(figures.recovered));
  row.push_back(share_cell(figures.recovered_content));
  row.push_back(cosine_cell(figures.similarity));
}

/// The name of a mechanism with what distinguishes it from others of this name.
std::string name_of(const MechanismFindings& findings) {
  std::string name = findings.mechanism.name;
  for (const auto& [parameter, value] : findings.mechanism.parameters)
    name += fmt::format(" {}={}", parameter, value);
  return name;
}

const TextFigures& curve_figures(const Choice& choice, const ChoicePoint& point) {
  return choice.use_private ? *point.private_text : point.public_text;
}

std::string figures_section(const Choice& choice) {
  ReportTable table;
  table.id = "figures-table";
  table.caption =
      "Changed, recovered and content (recovered among words that are no stopwords) are percentages of the "
      "words in the vocabulary. Recovered: by an attacker who knows the mechanism, epsilon and public word "
      "frequencies and guesses each word by itself. Similar: mean cosine of texts before and after. Do not "
      "compare epsilons of different mechanisms; compare what the attacker recovers.";
  table.labels = 2;
  table.groups = {{"", 2},
                  {fmt::format("public text{}", choice.use_private ? "" : " (decides)"), 4},
                  {fmt::format("your text, confidential{}", choice.use_private ? " (decides)" : ""), 4}};
  table.columns = {{"mechanism"}, {"epsilon"}};
  for (int i = 0; i < 2; ++i)
    for (const char* title : {"changed", "recovered", "content", "similar"}) table.columns.push_back({title});
  for (const MechanismFindings& findings : choice.mechanisms)
    for (std::size_t i = 0; i < findings.points.size(); ++i) {
      const ChoicePoint& point = findings.points[i];
      std::vector<TableCell> row = {
          TableCell::of(i == 0 ? name_of(findings) : ""),
          TableCell::of(fmt::format("{:g}{}", point.epsilon, findings.at_limit == i ? " ◂ limit" : ""))};
      add_figures(point.public_text, row);
      if (point.private_text)
        add_figures(*point.private_text, row);
      else
        row.insert(row.end(), 4, TableCell::no_figure());
      table.rows.push_back(std::move(row));
    }
  return to_html(table);
}

std::string range_section(const Choice& choice) {
  ReportTable table;
  table.id = "ranges-table";
  table.caption =
      "Below the first epsilon the output is noise, above the last hardly a word changes. Blind: what the "
      "attacker recovers without seeing the output, in percent.";
  table.columns = {{"mechanism"},  {"useful epsilon"}, {"epsilon multiplies"}, {"guarantee"}, {"figures"},
                   {"candidates"}, {"blind"}};
  table.labels = 5;
  for (const MechanismFindings& findings : choice.mechanisms)
    table.rows.push_back({TableCell::of(name_of(findings)),
                          TableCell::of(fmt::format("{:g} to {:g}", findings.low, findings.high)),
                          TableCell::of(findings.unit), TableCell::of(to_string(findings.guarantee)),
                          TableCell::of(findings.exact ? "exact" : "drawn, lower bound"),
                          count_cell(choice.use_private ? findings.private_candidates : findings.candidates),
                          share_cell(findings.blind)});
  return to_html(table);
}

/// One plot per unit: epsilons of different units must not share an axis.
std::string plots_section(const Choice& choice) {
  std::map<std::string, LinePlot> by_unit;
  LinePlot trade{.title = "Similarity at equal attacker success",
                 .x_label = "words recovered (%)",
                 .y_label = "similarity",
                 .series = {},
                 .lines = {}};
  for (std::size_t style = 0; style < choice.mechanisms.size(); ++style) {
    const MechanismFindings& findings = choice.mechanisms[style];
    LinePlot& plot = by_unit[findings.unit];
    plot.title = fmt::format("Words recovered; epsilon multiplies the {}", findings.unit);
    plot.x_label = "epsilon";
    plot.y_label = "words recovered (%)";
    plot.log_x = true;
    plot.lines = {{"your limit", kPercent * choice.most_recovered},
                  {"blind guess", kPercent * findings.blind}};
    PlotSeries series{name_of(findings), style, {}};
    for (const ChoicePoint& point : findings.curve)
      if (point.epsilon >= findings.low / 4 && point.epsilon <= findings.high * 2)
        series.points.push_back({point.epsilon, kPercent * curve_figures(choice, point).recovered, {}, {}});
    plot.series.push_back(std::move(series));
    PlotSeries tradeoff{name_of(findings), style, {}};
    for (const ChoicePoint& point : findings.points)
      if (const TextFigures& figures = curve_figures(choice, point); figures.similarity)
        tradeoff.points.push_back({kPercent * figures.recovered, *figures.similarity, {}, {}});
    trade.series.push_back(std::move(tradeoff));
  }
  std::string html = "<div class=\"plots\">";
  if (!choice.encoder.empty()) html += to_html(trade);
  for (const auto& [unit, plot] : by_unit) html += to_html(plot);
  return html + "</div>";
}

/// Each line once, then what every mechanism made of it.
std::string samples_section(const Choice& choice) {
  std::string html;
  for (std::size_t i = 0; i < choice.mechanisms.front().samples.size(); ++i) {
    html += fmt::format("<h3>Line {}</h3>\n<p>{}</p>\n", i + 1,
                        escape_html(visible_text(choice.mechanisms.front().samples[i].before)));
    for (const MechanismFindings& findings : choice.mechanisms) {
      const std::size_t shown = findings.at_limit.value_or(findings.points.size() - 1);
      html +=
          fmt::format("<p><b>{}, epsilon {:g}</b><br>{}</p>\n", escape_html(name_of(findings)),
                      findings.points[shown].epsilon, escape_html(visible_text(findings.samples[i].after)));
    }
  }
  return html;
}

std::string recommendation_section(const Choice& choice, std::string_view command) {
  std::string html;
  if (choice.recommended) {
    const MechanismFindings& best = choice.mechanisms[*choice.recommended];
    html =
        fmt::format("<p><b>{} at epsilon {:g}</b></p>\n", escape_html(name_of(best)), best.mechanism.epsilon);
  }
  html += fmt::format("<p>{}</p>\n", escape_html(choice.reason));
  if (choice.recommended) html += fmt::format("<p><code>{}</code></p>\n", escape_html(command));
  return html;
}

std::string about_text(const MeasuredText& text) {
  return fmt::format("{}: {} in {}; {:.0f}% outside the vocabulary", text.source, counted(text.words, "word"),
                     documents_of(text), kPercent * text.unknown);
}

}  // namespace

std::string to_html(const Choice& choice, std::string_view command) {
  PageHeader header;
  header.title = fmt::format("Which mechanism and which epsilon for {}", choice.private_text.source);
  header.stamp = "Confidential: has figures and lines of the private text, which no guarantee covers";
  header.about =
      choice.use_private
          ? "The recommendation rests on the private text. It is a function of it, and the receipt of the "
            "recommended run says so."
          : "The recommendation rests on public text alone, so it reveals nothing about the private one. "
            "Figures of the private text stand beside it and do not change it.";
  header.facts = {about_text(choice.public_text), about_text(choice.private_text),
                  choice.encoder.empty() ? "similarity not measured: " + choice.encoder_absent
                                         : "similarity by " + choice.encoder};
  return html_page(
      header,
      {{"recommendation", "Recommendation", recommendation_section(choice, command)},
       {"figures", "What each setting does", figures_section(choice)},
       {"ranges", "Useful epsilon", range_section(choice)},
       {"plots", "Plots", plots_section(choice)},
       {"samples", "Lines of your text, confidential", samples_section(choice)}},
      fmt::format("Made by Sotto {}. Samples were drawn under a throwaway key: a later run gives others.",
                  kVersion));
}

}  // namespace sotto

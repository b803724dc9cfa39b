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
  table.id = "figures";
  table.title = "What each setting does";
  table.caption =
      "Shares of the words in the vocabulary, in percent. Recovered: by an attacker who knows the mechanism, "
      "epsilon and public word frequencies and guesses each word by itself. Similarity: cosine of texts "
      "before and "
      "after. Epsilons of different mechanisms do not compare; what attackers recover does.";
  table.labels = 2;
  table.groups = {{"", 2},
                  {fmt::format("public text{}", choice.use_private ? "" : " (decides)"), 4},
                  {fmt::format("your text, confidential{}", choice.use_private ? " (decides)" : ""), 4}};
  table.columns = {{"mechanism"}, {"epsilon"}};
  for (int i = 0; i < 2; ++i)
    for (const char* title : {"changed", "recovered", "content words", "similarity"})
      table.columns.push_back({title});
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
  table.id = "ranges";
  table.title = "Useful epsilon";
  table.caption =
      "Below the first epsilon the output is noise, above the last hardly a word changes. Found by "
      "bisection.";
  table.columns = {
      {"mechanism"},   {"useful epsilon"}, {"unit of epsilon"}, {"guarantee"}, {"candidates of the attacker"},
      {"blind guess"}, {"figures"}};
  for (const MechanismFindings& findings : choice.mechanisms)
    table.rows.push_back({TableCell::of(name_of(findings)),
                          TableCell::of(fmt::format("{:g} to {:g}", findings.low, findings.high)),
                          TableCell::of(findings.unit), TableCell::of(to_string(findings.guarantee)),
                          TableCell::of(fmt::format(
                              "{}", choice.use_private ? findings.private_candidates : findings.candidates)),
                          TableCell::of(fmt::format("{:.0f}%", kPercent * findings.blind)),
                          TableCell::of(findings.exact ? "exact" : "drawn; the attacker may do better")});
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
    plot.title = fmt::format("Words recovered, epsilon in {}", findings.unit);
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

std::string samples_section(const Choice& choice) {
  std::string html;
  for (const MechanismFindings& findings : choice.mechanisms) {
    if (findings.samples.empty()) continue;
    const std::size_t shown = findings.at_limit.value_or(findings.points.size() - 1);
    html += fmt::format("<h3>{} at epsilon {:g}</h3>\n", escape_html(name_of(findings)),
                        findings.points[shown].epsilon);
    for (const SampleLine& line : findings.samples)
      html += fmt::format("<p><b>before</b> {}<br><b>after</b> {}</p>\n", escape_html(line.before),
                          escape_html(line.after));
  }
  return html;
}

std::string recommendation_section(const Choice& choice, std::string_view command) {
  std::string html = fmt::format("<p>{}</p>\n", escape_html(choice.reason));
  if (choice.recommended) html += fmt::format("<p><code>{}</code></p>\n", escape_html(command));
  return html;
}

std::string about_text(const MeasuredText& text) {
  return fmt::format("{}: {} words of {}, drawn from {}{}; {:.0f}% of them outside the vocabulary",
                     text.source, text.words, counted(text.documents, "document"), text.documents_seen,
                     text.whole ? "" : " at its beginning", kPercent * text.unknown);
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
       {"figures", "Figures", figures_section(choice)},
       {"ranges", "Useful epsilon", range_section(choice)},
       {"plots", "Plots", plots_section(choice)},
       {"samples", "Sample lines, confidential", samples_section(choice)}},
      fmt::format("Made by Sotto {}. Samples were drawn under a throwaway key: a later run gives others.",
                  kVersion));
}

}  // namespace sotto

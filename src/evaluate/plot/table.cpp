#include "evaluate/plot/table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace sotto::evaluate {
namespace {

std::string arrow(Better better) {
  return better == Better::higher ? " ↑" : better == Better::lower ? " ↓" : "";
}

std::string plain_number(double value, int decimals) {
  if (std::abs(value) >= 1e5) return fmt::format("{:.3g}", value);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  // A minus sign before zeros is meaningless.
  if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
  return text;
}

bool has_spread(const TableCell& cell) {
  return cell.deviation && std::isfinite(*cell.deviation);
}

/// What stands beside a value: its spread and its note.
std::string small_print(const TableCell& cell) {
  std::string text;
  if (cell.range)
    text = fmt::format("{} to {}", plain_number(cell.range->first, cell.decimals),
                       plain_number(cell.range->second, cell.decimals));
  else if (has_spread(cell))
    text = fmt::format("± {}", plain_number(*cell.deviation, cell.decimals));
  if (!cell.note.empty()) text += (text.empty() ? "" : ", ") + cell.note;
  return text;
}

std::string cell_html(const TableCell& cell, bool is_label) {
  if (!cell.value) {
    const std::string text = escape_html(cell.text);
    // Sentences and long names may wrap; short ones and figures may not.
    const std::size_t short_enough = is_label ? 28 : 50;
    const char* wrap = cell.text.size() > short_enough ? " class=\"wrap\"" : "";
    if (cell.text == kNoFigure) return fmt::format("<td class=\"n\">{}</td>", text);
    return is_label ? fmt::format("<th scope=\"row\"{}>{}</th>", wrap, text)
                    : fmt::format("<td{}>{}</td>", wrap, text);
  }
  std::string text = plain_number(*cell.value, cell.decimals);
  if (const std::string print = small_print(cell); !print.empty())
    text += fmt::format("<span class=\"sd\"> {}</span>", escape_html(print));
  return fmt::format("<td class=\"n{}\">{}</td>", cell.best ? " best" : "", text);
}

/// Figures stand to the right, and so does their title; words and their title stand to the left.
bool holds_figures(const ReportTable& table, std::size_t column) {
  return column >= table.labels && std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
           return column >= row.size() || row[column].value || row[column].text == kNoFigure;
         });
}

std::string header_html(const ReportTable& table) {
  std::string html = "<thead>";
  if (!table.groups.empty()) {
    html += "<tr>";
    for (const ColumnGroup& group : table.groups)
      html += fmt::format("<th colspan=\"{}\" class=\"{}\">{}</th>", group.columns,
                          group.title.empty() ? "" : "group", escape_html(group.title));
    html += "</tr>";
  }
  html += "<tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    html += fmt::format("<th scope=\"col\"{}>{}{}</th>", holds_figures(table, i) ? " class=\"n\"" : "",
                        escape_html(table.columns[i].title), arrow(table.columns[i].better));
  return html + "</tr></thead>";
}

/// Column titles, each with that of its group.
std::vector<std::string> full_titles(const ReportTable& table) {
  std::vector<std::string> titles;
  for (const ColumnGroup& group : table.groups)
    for (std::size_t i = 0; i < group.columns; ++i) titles.push_back(group.title);
  titles.resize(table.columns.size());
  for (std::size_t i = 0; i < titles.size(); ++i) {
    if (!titles[i].empty()) titles[i] += " ";
    titles[i] += table.columns[i].title;
  }
  return titles;
}

/// A column of a CSV file that belongs to one of the table.
struct SideColumn {
  const char* title;
  bool (*exists)(const TableCell&);
  std::string (*text)(const TableCell&);
};

constexpr SideColumn kSideColumns[] = {
    {" sd", has_spread, [](const TableCell& cell) { return fmt::format("{}", *cell.deviation); }},
    {" lower of two", [](const TableCell& cell) { return cell.range.has_value(); },
     [](const TableCell& cell) { return fmt::format("{}", cell.range->first); }},
    {" higher of two", [](const TableCell& cell) { return cell.range.has_value(); },
     [](const TableCell& cell) { return fmt::format("{}", cell.range->second); }},
    {" note", [](const TableCell& cell) { return !cell.note.empty(); },
     [](const TableCell& cell) { return escape_csv(cell.note); }},
};

/// Those that a column needs because one of its cells has something to put there.
std::vector<std::vector<const SideColumn*>> side_columns(const ReportTable& table) {
  std::vector<std::vector<const SideColumn*>> needed(table.columns.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    for (const SideColumn& side : kSideColumns)
      if (std::any_of(table.rows.begin(), table.rows.end(),
                      [&](const auto& row) { return side.exists(row[i]); }))
        needed[i].push_back(&side);
  return needed;
}

std::string cell_latex(const TableCell& cell) {
  if (!cell.value) return escape_latex(cell.text);
  std::string text = plain_number(*cell.value, cell.decimals);
  if (cell.best) text = fmt::format("\\textbf{{{}}}", text);
  if (cell.range)
    text += fmt::format("$_{{{}\\ldots {}}}$", plain_number(cell.range->first, cell.decimals),
                        plain_number(cell.range->second, cell.decimals));
  else if (has_spread(cell))
    text += fmt::format("$_{{\\pm {}}}$", plain_number(*cell.deviation, cell.decimals));
  return cell.note.empty() ? text : fmt::format("{} ({})", text, escape_latex(cell.note));
}

std::string header_latex(const ReportTable& table) {
  std::string latex;
  if (!table.groups.empty()) {
    std::string rules;
    std::size_t column = 1;
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
      const ColumnGroup& group = table.groups[i];
      latex += i == 0 ? "" : " & ";
      latex += fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", group.columns, escape_latex(group.title));
      if (!group.title.empty())
        rules += fmt::format("\\cmidrule(lr){{{}-{}}} ", column, column + group.columns - 1);
      column += group.columns;
    }
    latex += " \\\\\n" + rules + "\n";
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Better better = table.columns[i].better;
    latex += i == 0 ? "" : " & ";
    latex += escape_latex(table.columns[i].title);
    if (better != Better::neither) latex += better == Better::higher ? " $\\uparrow$" : " $\\downarrow$";
  }
  return latex + " \\\\\n";
}

}  // namespace

bool ReportTable::has_figures() const {
  return std::any_of(rows.begin(), rows.end(), [](const auto& row) {
    return std::any_of(row.begin(), row.end(), [](const TableCell& cell) { return cell.value.has_value(); });
  });
}

bool ReportTable::has_column(std::string_view name) const {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const ReportColumn& column) { return column.title == name; });
}

void ReportTable::drop_empty_columns() {
  const auto is_empty = [&](std::size_t column) {
    return std::none_of(rows.begin(), rows.end(),
                        [&](const std::vector<TableCell>& row) { return row[column].value.has_value(); });
  };
  const auto shrink_group_over = [&](std::size_t column) {
    std::size_t end = 0;
    for (ColumnGroup& group : groups) {
      end += group.columns;
      if (column >= end) continue;
      --group.columns;
      return;
    }
  };
  // From the end, so that the remaining indices stay valid.
  for (std::size_t i = columns.size(); i-- > labels;) {
    if (!is_empty(i)) continue;
    const auto place = static_cast<std::ptrdiff_t>(i);
    columns.erase(columns.begin() + place);
    for (std::vector<TableCell>& row : rows) row.erase(row.begin() + place);
    shrink_group_over(i);
  }
  std::erase_if(groups, [](const ColumnGroup& group) { return group.columns == 0; });
}

void ReportTable::mark_best(std::size_t first) {
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const Better better = columns[column].better;
    if (better == Better::neither) continue;
    const TableCell* best = nullptr;
    const auto beats = [&](const TableCell& cell) {
      return best == nullptr ||
             (better == Better::higher ? *cell.value > *best->value : *cell.value < *best->value);
    };
    for (std::size_t row = first; row < rows.size(); ++row)
      if (rows[row][column].value && beats(rows[row][column])) best = &rows[row][column];
    if (best == nullptr) continue;
    for (std::size_t row = first; row < rows.size(); ++row)
      if (rows[row][column].value && *rows[row][column].value == *best->value) rows[row][column].best = true;
  }
}

std::string ReportTable::spread_note() const {
  bool range = false;
  bool deviation = false;
  for (const auto& row : rows)
    for (const TableCell& cell : row) {
      range |= cell.range.has_value();
      deviation |= !cell.range && has_spread(cell);
    }
  if (range && deviation) return "Small print: ± standard deviation, or the range of two runs.";
  if (range) return "Small print: the range of two runs, which is no confidence interval.";
  return deviation ? "Small print: ± standard deviation over repetitions and runs." : "";
}

std::string to_html(const ReportTable& table) {
  std::string html = fmt::format("<figure class=\"table\" id=\"{}\"><figcaption>", table.id);
  if (!table.title.empty()) html += fmt::format("<b>{}</b> ", escape_html(table.title));
  html += escape_html(table.caption);
  html += "</figcaption><div class=\"scroll\"><table>" + header_html(table) + "<tbody>";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) html += cell_html(row[i], i < table.labels);
    html += "</tr>";
  }
  return html + "</tbody></table></div></figure>\n";
}

std::string to_csv(const ReportTable& table) {
  const std::vector<std::string> titles = full_titles(table);
  const auto sides = side_columns(table);
  std::string csv;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    if (i > 0) csv += ',';
    csv += escape_csv(titles[i]);
    for (const SideColumn* side : sides[i]) csv += "," + escape_csv(titles[i] + side->title);
  }
  csv += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      csv += i == 0 ? "" : ",";
      csv += row[i].value               ? fmt::format("{}", *row[i].value)
             : row[i].text == kNoFigure ? ""
                                        : escape_csv(row[i].text);
      for (const SideColumn* side : sides[i]) csv += side->exists(row[i]) ? "," + side->text(row[i]) : ",";
    }
    csv += "\n";
  }
  return csv;
}

std::string to_latex(const ReportTable& table) {
  std::string latex = "\\begin{table}\n\\centering\n\\begin{tabular}{";
  for (std::size_t i = 0; i < table.columns.size(); ++i) latex += i < table.labels ? "l" : "r";
  latex += "}\n\\toprule\n" + header_latex(table) + "\\midrule\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) latex += " & ";
      latex += cell_latex(row[i]);
    }
    latex += " \\\\\n";
  }
  return latex + fmt::format(
                     "\\bottomrule\n\\end{{tabular}}\n\\caption{{{} {}}}\n\\label{{tab:{}}}\n"
                     "\\end{{table}}\n",
                     escape_latex(table.title), escape_latex(table.caption), table.id);
}

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string escape_csv(std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) return std::string(text);
  std::string escaped = "\"";
  for (const char c : text) escaped += c == '"' ? std::string("\"\"") : std::string(1, c);
  return escaped + "\"";
}

std::string escape_latex(std::string_view text) {
  struct Replacement {
    std::string_view from;
    std::string_view to;
  };
  static constexpr Replacement kReplacements[] = {{"\\", "\\textbackslash{}"},
                                                  {"{", "\\{"},
                                                  {"}", "\\}"},
                                                  {"$", "\\$"},
                                                  {"&", "\\&"},
                                                  {"#", "\\#"},
                                                  {"%", "\\%"},
                                                  {"_", "\\_"},
                                                  {"~", "\\textasciitilde{}"},
                                                  {"^", "\\textasciicircum{}"},
                                                  {"<", "\\textless{}"},
                                                  {">", "\\textgreater{}"},
                                                  {"ε", "$\\varepsilon$"},
                                                  {"α", "$\\alpha$"},
                                                  {"λ", "$\\lambda$"},
                                                  {"γ", "$\\gamma$"},
                                                  {"±", "$\\pm$"},
                                                  {"²", "$^2$"},
                                                  {"–", "--"},
                                                  {"×", "$\\times$"},
                                                  {"−", "$-$"},
                                                  {"≤", "$\\le$"},
                                                  {"…", "\\dots{}"}};
  std::string escaped;
  while (!text.empty()) {
    const auto* found = std::find_if(std::begin(kReplacements), std::end(kReplacements),
                                     [&](const Replacement& r) { return text.starts_with(r.from); });
    if (found == std::end(kReplacements)) {
      escaped += text.front();
      text.remove_prefix(1);
    } else {
      escaped += found->to;
      text.remove_prefix(found->from.size());
    }
  }
  return escaped;
}

std::string slug(std::string_view text) {
  std::string slug;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool upper = c >= 'A' && c <= 'Z';
    if (plain || upper) {
      slug += upper ? static_cast<char>(c + ('a' - 'A')) : c;
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug;
}

std::string short_number(double value) {
  return fmt::format("{}", value);
}

}  // namespace sotto::evaluate

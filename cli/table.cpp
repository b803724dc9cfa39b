#include "table.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace sotto::cli {
namespace {

std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::string format_row(const std::vector<Column>& columns, const std::vector<std::string>& texts) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    cells.push_back(wrap(texts[c], columns[c].width));
    height = std::max(height, cells.back().size());
  }
  std::string out;
  for (std::size_t line = 0; line < height; ++line) {
    std::string row;
    for (std::size_t c = 0; c < columns.size(); ++c)
      row += fmt::format("{:<{}}  ", line < cells[c].size() ? cells[c][line] : "", columns[c].width);
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + '\n';
  }
  return out;
}

}  // namespace

std::string format_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> titles;
  std::vector<std::string> rules;
  for (const Column& column : columns) {
    titles.push_back(column.title);
    rules.emplace_back(column.width, '-');
  }
  std::string out = format_row(columns, titles) + format_row(columns, rules);
  for (const auto& row : rows) out += format_row(columns, row);
  return out;
}

}  // namespace sotto::cli

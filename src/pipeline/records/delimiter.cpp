#include "pipeline/records/delimiter.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/message.hpp"
#include "pipeline/records/record_layout.hpp"
#include "pipeline/records/record_syntax.hpp"

namespace sotto::pipeline {
namespace {

constexpr std::string_view kDelimiters = ",;\t|";

bool has_columns(const std::vector<std::string_view>& header, RecordSyntax syntax,
                 const std::vector<std::string>& names) {
  text::OutputBuffer text;
  std::vector<std::string> columns;
  for (const std::string_view column : header) {
    unquote(column, syntax, text);
    columns.emplace_back(text.view());
  }
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end();
  });
}

/// The number of columns that all records have, and 0 if they differ or if quotes are in odd places.
std::size_t common_columns(std::string_view sample, bool at_end, RecordSyntax syntax) {
  RecordCursor cursor(sample, syntax, at_end);
  std::vector<std::string_view> fields;
  std::size_t common = 0;
  for (std::string_view record; cursor.next(record);) {
    const std::string_view body = without_line_end(record);
    if (body.empty()) continue;
    if (cursor.quote_is_open() || split_record(body, syntax, fields) != std::string_view::npos) return 0;
    const bool has_stray_quote = std::any_of(fields.begin(), fields.end(), [](std::string_view field) {
      return !field.starts_with('"') && field.ends_with('"');
    });
    if (has_stray_quote || (common != 0 && common != fields.size())) return 0;
    common = fields.size();
  }
  return common;
}

}  // namespace

std::optional<char> delimiter_of_header(std::string_view data, bool at_end,
                                        const std::vector<std::string>& names) {
  char best = kDelimiters.front();
  std::size_t most = 0;
  std::optional<char> found;
  for (const char delimiter : kDelimiters) {
    const RecordSyntax syntax(Format::csv, delimiter);
    RecordCursor cursor(data, syntax, at_end);
    std::string_view header;
    if (!cursor.next(header)) {
      if (!at_end) return std::nullopt;  // whatever is found must not depend on how much was read
      continue;
    }
    std::vector<std::string_view> columns;
    const bool is_sound = split_record(without_line_end(header), syntax, columns) == std::string_view::npos &&
                          !cursor.quote_is_open();
    if (!found && is_sound && has_columns(columns, syntax, names)) found = delimiter;
    if (columns.size() > most) {
      most = columns.size();
      best = delimiter;
    }
  }
  return found ? found : best;
}

Result<char> delimiter_of_records(std::string_view sample, bool at_end, std::size_t columns,
                                  std::string_view input) {
  std::vector<char> regular;
  std::vector<char> fitting;
  for (const char delimiter : kDelimiters) {
    const std::size_t common = common_columns(sample, at_end, {Format::csv, delimiter});
    // A file with a single column has no delimiter, so the comma stands for all.
    if (common == 0 || (common == 1 && delimiter != ',')) continue;
    regular.push_back(delimiter);
    if (common >= columns) fitting.push_back(delimiter);
  }
  if (fitting.size() == 1) return fitting.front();
  const bool is_empty = sample.find_first_not_of("\r\n") == std::string_view::npos;
  if (is_empty) return kDelimiters.front();
  if (regular.empty())
    return fail_parameter(
        "delimiter", "",
        base::format_message("missing; with none of , ; | or a tab do all of the first records of {} "
                             "have the same number of columns",
                             input));
  if (fitting.empty()) return regular.front();  // it lacks a column, which is noticed later
  return fail_parameter("delimiter", "",
                        base::format_message("missing; {} could be separated by {} or by {}", input,
                                             spell_delimiter(fitting[0]), spell_delimiter(fitting[1])));
}

}  // namespace sotto::pipeline

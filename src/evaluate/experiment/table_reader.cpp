#include "evaluate/experiment/table_reader.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/compressed_input.hpp"
#include "base/json.hpp"
#include "pipeline/records/record_syntax.hpp"
#include "text/printable.hpp"

namespace sotto {
namespace {

Result<std::string> read_unpacked(const std::filesystem::path& file) {
  SOTTO_ASSIGN(std::string content, read_content(file));
  if (content.starts_with(kByteOrderMark)) content.erase(0, kByteOrderMark.size());
  return content;
}

Result<void> read_delimited(std::string_view content, Format format, bool header, Table& table) {
  const bool quotes = format == Format::csv;
  std::vector<std::string_view> fields;
  OutputBuffer text;
  RecordCursor cursor(content, format, true);
  std::size_t number = 0;
  for (std::string_view record; cursor.next(record);) {
    ++number;
    const std::string_view body = without_line_end(record);
    if (cursor.quote_is_open())
      return fail(Errc::bad_format,
                  fmt::format("{}: record {}: a quoted field is not closed", table.file, number));
    if (body.empty()) continue;
    split_record(body, quotes ? ',' : '\t', quotes, fields);
    std::vector<std::string> row;
    for (const std::string_view field : fields) {
      unquote(field, quotes, text);
      row.emplace_back(text.view());
    }
    if (header && table.names.empty()) {
      table.names = std::move(row);
      continue;
    }
    if (row.size() != table.names.size())
      return fail(Errc::bad_format, fmt::format("{}: record {}: {} columns instead of {}", table.file, number,
                                                row.size(), table.names.size()));
    table.rows.push_back(std::move(row));
  }
  return {};
}

std::string plain(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? std::string() : value.dump();
}

Result<void> read_json_lines(std::string_view content, Table& table) {
  RecordCursor cursor(content, Format::jsonl, true);
  std::size_t record = 0;
  for (std::string_view line; cursor.next(line);) {
    ++record;
    if (line.find_first_not_of(" \t\r\n") == std::string_view::npos) continue;
    const auto object = parse_json(line);
    if (!object.is_object())
      return fail(Errc::bad_format, fmt::format("{}: line {}: not a JSON object", table.file, record));
    if (table.names.empty())
      for (const auto& [name, value] : object.items()) table.names.push_back(name);
    std::vector<std::string> row;
    for (const std::string& name : table.names) {
      if (!object.contains(name))
        return fail(Errc::bad_format,
                    fmt::format("{}: line {}: there is no field '{}', which the first line has", table.file,
                                record, printable(name)));
      row.push_back(plain(object[name]));
    }
    table.rows.push_back(std::move(row));
  }
  return {};
}

}  // namespace

Result<std::size_t> Table::column(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return fail(Errc::bad_format,
                fmt::format("{}: there is no column '{}'; it has {}", file, name, list_names(names)));
  return static_cast<std::size_t>(found - names.begin());
}

Result<Table> read_table(const std::filesystem::path& file, Format format, bool header,
                         const std::vector<std::string>& names) {
  SOTTO_ASSIGN(const std::string content, read_unpacked(file));
  Table table;
  table.file = file.string();
  if (format == Format::jsonl) {
    SOTTO_TRY(read_json_lines(content, table));
    return table;
  }
  if (!header) table.names = names;
  SOTTO_TRY(read_delimited(content, format, header, table));
  return table;
}

}  // namespace sotto

#include "evaluate/experiment/table_reader.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/checked_value.hpp"
#include "base/compressed_input.hpp"
#include "base/json.hpp"
#include "base/suggestion.hpp"
#include "pipeline/records/delimiter.hpp"
#include "pipeline/records/field_path.hpp"
#include "pipeline/records/record_syntax.hpp"
#include "text/printable.hpp"

namespace sotto::evaluate {
namespace {

Result<std::string> read_unpacked(const std::filesystem::path& file) {
  SOTTO_ASSIGN(std::string content, base::read_content(file));
  if (content.starts_with(base::kByteOrderMark)) content.erase(0, base::kByteOrderMark.size());
  return content;
}

Result<void> read_delimited(std::string_view content, pipeline::RecordSyntax syntax, bool header,
                            Table& table) {
  std::vector<std::string_view> fields;
  text::OutputBuffer text;
  pipeline::RecordCursor cursor(content, syntax, true);
  std::size_t number = 0;
  for (std::string_view record; cursor.next(record);) {
    ++number;
    const std::string_view body = pipeline::without_line_end(record);
    if (cursor.quote_is_open())
      return fail(Errc::bad_format,
                  fmt::format("{}: record {}: a quoted field is not closed", table.file, number));
    if (body.empty()) continue;
    if (pipeline::split_record(body, syntax, fields) != std::string_view::npos)
      return fail(
          Errc::bad_format,
          fmt::format("{}: record {}: more text follows the closing quote of a field", table.file, number));
    std::vector<std::string> row;
    for (const std::string_view field : fields) {
      pipeline::unquote(field, syntax, text);
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

/// The value at a path, or null.
const nlohmann::json* value_at(const nlohmann::json& object, const pipeline::FieldPath& path) {
  const nlohmann::json* value = &object;
  for (const std::string& step : path.steps()) {
    if (value->is_array()) {
      const auto index = read_integer("", step, 0, value->size());
      if (!index || *index == value->size()) return nullptr;
      value = &(*value)[*index];
    } else {
      if (!value->is_object() || !value->contains(step)) return nullptr;
      value = &(*value)[step];
    }
  }
  return value;
}

/// Reads JSON objects, each a row.
class JsonRows {
 public:
  JsonRows(const std::vector<std::string>& columns, Table& table) : wanted_(columns), table_(table) {}

  Result<void> read(std::string_view content, Format format) {
    const std::size_t begin = content.find_first_not_of(pipeline::kJsonBlanks);
    const bool is_array = begin != std::string_view::npos && content[begin] == '[';
    if (is_array) {
      format = Format::json;
      if (content[content.find_last_not_of(pipeline::kJsonBlanks)] != ']')
        return fail(Errc::bad_format, fmt::format("{}: the JSON array is not closed", table_.file));
      content.remove_prefix(begin + 1);
    }
    pipeline::RecordCursor cursor(content, format, true);
    for (std::string_view record; cursor.next(record);) {
      ++number_;
      const std::size_t value =
          record.find_first_not_of(is_array ? pipeline::kJsonSeparators : pipeline::kJsonBlanks);
      if (value == std::string_view::npos) continue;
      SOTTO_TRY(add(record.substr(value), format == Format::jsonl ? "line" : "record"));
    }
    return {};
  }

 private:
  Result<void> add(std::string_view text, std::string_view unit) {
    const std::string place = fmt::format("{}: {} {}", table_.file, unit, number_);
    const auto object = base::parse_json(text);
    if (!object.is_object()) return fail(Errc::bad_format, fmt::format("{}: not a JSON object", place));
    if (table_.rows.empty()) SOTTO_TRY(set_names(object));
    std::vector<std::string> row;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const nlohmann::json* value = value_at(object, paths_[i]);
      if (value == nullptr)
        return fail(Errc::bad_format, fmt::format("{}: there is no field '{}', which the first {} has", place,
                                                  text::printable(table_.names[i]), unit));
      row.push_back(plain(*value));
    }
    table_.rows.push_back(std::move(row));
    return {};
  }

  /// The members of the first object, and what pointers lead to.
  Result<void> set_names(const nlohmann::json& object) {
    for (const auto& [name, value] : object.items()) {
      SOTTO_ASSIGN(pipeline::FieldPath path, pipeline::FieldPath::parse("", pipeline::member_path(name)));
      table_.names.push_back(name);
      paths_.push_back(std::move(path));
    }
    for (const std::string& column : wanted_) {
      if (!column.starts_with('/')) continue;
      SOTTO_ASSIGN(pipeline::FieldPath path, pipeline::FieldPath::parse("text", column));
      if (value_at(object, path) == nullptr) continue;  // Table::column() tells what there is
      table_.names.push_back(column);
      paths_.push_back(std::move(path));
    }
    return {};
  }

  const std::vector<std::string>& wanted_;
  Table& table_;
  std::vector<pipeline::FieldPath> paths_;  // of each column
  std::size_t number_ = 0;
};

}  // namespace

Result<std::size_t> Table::column(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return fail(Errc::bad_format, fmt::format("{}: there is no column '{}'{}; it has {}", file, name,
                                              base::suggestion(name, names), text::list_names(names)));
  return static_cast<std::size_t>(found - names.begin());
}

Result<Table> read_table(const std::filesystem::path& file, Format format, bool header,
                         const std::vector<std::string>& names, const TableHints& hints) {
  SOTTO_ASSIGN(const std::string content, read_unpacked(file));
  Table table;
  table.file = file.string();
  if (format == Format::jsonl || format == Format::json) {
    SOTTO_TRY(JsonRows(hints.columns, table).read(content, format));
    return table;
  }
  if (!header) table.names = names;
  pipeline::RecordSyntax syntax = format;
  if (format == Format::csv && header)
    syntax.delimiter = pipeline::delimiter_of_header(content, true, hints.columns).value_or(',');
  if (hints.delimiter) syntax.delimiter = *hints.delimiter;
  SOTTO_TRY(read_delimited(content, syntax, header, table));
  return table;
}

}  // namespace sotto::evaluate

#include "pipeline/records/record_syntax.hpp"

#include <algorithm>

namespace sotto::pipeline {

/// A quote opens a quoted field only at the field's beginning, so a stray quote inside a plain field does no
/// harm.
std::size_t RecordCursor::csv_record_end() {
  open_quote_ = std::string_view::npos;
  for (std::size_t field = position_;;) {
    std::size_t i = field;
    while (i < data_.size() && data_[i] == '"') {  // a doubled quote continues it
      i = data_.find('"', i + 1);
      if (i == std::string_view::npos) {
        open_quote_ = field;
        return i;
      }
      ++i;
    }
    const text::LineEnd line = lines_.next(i);
    const std::size_t delimiter = data_.substr(i, line.begin - i).find(syntax_.delimiter);
    if (delimiter == std::string_view::npos) return line.end;
    field = i + delimiter + 1;
  }
}

namespace {

/// One past the JSON string that begins at `begin`, or npos.
std::size_t json_string_end(std::string_view data, std::size_t begin) {
  for (std::size_t quote = data.find('"', begin + 1); quote != std::string_view::npos;
       quote = data.find('"', quote + 1)) {
    std::size_t backslashes = 0;
    while (data[quote - 1 - backslashes] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return quote + 1;
  }
  return std::string_view::npos;
}

/// The same for an object or array. Whether its brackets match is left to the parser.
std::size_t json_container_end(std::string_view data, std::size_t begin) {
  std::size_t depth = 0;
  for (std::size_t i = begin; i < data.size(); ++i) {
    switch (data[i]) {
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (--depth == 0) return i + 1;
        break;
      case '"':
        i = json_string_end(data, i);
        if (i == std::string_view::npos) return i;
        --i;
        break;
      default:
        break;
    }
  }
  return std::string_view::npos;
}

std::size_t json_value_end(std::string_view data, std::size_t begin) {
  if (data[begin] == '"') return json_string_end(data, begin);
  if (data[begin] == '{' || data[begin] == '[') return json_container_end(data, begin);
  return data.find_first_of(" \t\r\n,[]{}\"", begin + 1);
}

}  // namespace

/// A value is whole once something follows it. So the last value of an array comes with the end of the
/// input, and an array that is not closed is noticed before that value is passed on.
std::size_t RecordCursor::json_record_end() const {
  const std::size_t value = data_.find_first_not_of(kJsonSeparators, position_);
  if (value == std::string_view::npos) return value;
  const std::size_t end = json_value_end(data_, value);
  if (end == std::string_view::npos || at_end_) return end;
  return data_.find_first_not_of(kJsonBlanks, end) == std::string_view::npos ? std::string_view::npos : end;
}

namespace {

/// whole_records() for records that are lines terminated by LF.
RecordExtent whole_lines(std::string_view data, bool at_end) {
  RecordExtent extent;
  for (std::size_t end = data.find('\n'); end != std::string_view::npos; end = data.find('\n', extent.bytes))
    extent = {end + 1, extent.records + 1};
  if (at_end && extent.bytes < data.size()) extent = {data.size(), extent.records + 1};
  return extent;
}

}  // namespace

RecordExtent whole_records(std::string_view data, RecordSyntax syntax, bool at_end) {
  const bool are_lines = !syntax.has_quotes() && syntax.format != Format::json;
  if (are_lines && data.find('\r') == std::string_view::npos) return whole_lines(data, at_end);
  RecordCursor cursor(data, syntax, at_end);
  std::uint64_t records = 0;
  for (std::string_view record; cursor.next(record);) ++records;
  return {cursor.position(), records};
}

RecordExtent records_before(std::string_view data, RecordSyntax syntax, std::size_t offset) {
  RecordCursor cursor(data, syntax, true);
  std::uint64_t records = 0;
  for (std::string_view record; cursor.position() < offset && cursor.next(record);) ++records;
  return {cursor.position(), records};
}

std::size_t split_record(std::string_view record, RecordSyntax syntax,
                         std::vector<std::string_view>& fields) {
  fields.clear();
  std::size_t stray = std::string_view::npos;
  std::size_t begin = 0;
  for (;;) {
    std::size_t i = begin;
    if (syntax.has_quotes() && i < record.size() && record[i] == '"') {
      do {
        i = std::min(record.find('"', i + 1), record.size() - 1) + 1;
      } while (i < record.size() && record[i] == '"');
      if (i < record.size() && record[i] != syntax.delimiter) stray = std::min(stray, begin);
    }
    const std::size_t end = std::min(record.find(syntax.delimiter, i), record.size());
    fields.push_back(record.substr(begin, end - begin));
    if (end == record.size()) return stray;
    begin = end + 1;
  }
}

bool is_quoted(std::string_view field) {
  return field.size() >= 2 && field.front() == '"' && field.back() == '"';
}

void unquote(std::string_view field, RecordSyntax syntax, text::OutputBuffer& text) {
  text.clear();
  if (!syntax.has_quotes() || !is_quoted(field)) {
    text.append(field);
    return;
  }
  field = field.substr(1, field.size() - 2);
  for (std::size_t quote = field.find('"'); quote != std::string_view::npos; quote = field.find('"')) {
    text.append(field.substr(0, quote + 1));
    field.remove_prefix(std::min(quote + 2, field.size()));
  }
  text.append(field);
}

}  // namespace sotto::pipeline

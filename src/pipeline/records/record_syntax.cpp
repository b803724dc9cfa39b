#include "pipeline/records/record_syntax.hpp"

#include <algorithm>

namespace sotto::pipeline {

/// One past the terminator of the CSV record that begins at position_, or npos if it is incomplete. A quote
/// opens a quoted field only at the field's beginning, so a stray quote inside a plain field does no harm.
std::size_t RecordCursor::csv_record_end() {
  quote_is_open_ = false;
  for (std::size_t field = position_;;) {
    std::size_t i = field;
    while (i < data_.size() && data_[i] == '"') {  // a doubled quote continues it
      i = data_.find('"', i + 1);
      if (i == std::string_view::npos) {
        quote_is_open_ = true;
        return i;
      }
      ++i;
    }
    const text::LineEnd line = lines_.next(i);
    const std::size_t comma = data_.substr(i, line.begin - i).find(',');
    if (comma == std::string_view::npos) return line.end;
    field = i + comma + 1;
  }
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

RecordExtent whole_records(std::string_view data, Format format, bool at_end) {
  if (format != Format::csv && data.find('\r') == std::string_view::npos) return whole_lines(data, at_end);
  RecordCursor cursor(data, format, at_end);
  std::uint64_t records = 0;
  for (std::string_view record; cursor.next(record);) ++records;
  return {cursor.position(), records};
}

RecordExtent records_before(std::string_view data, Format format, std::size_t offset) {
  RecordCursor cursor(data, format, true);
  std::uint64_t records = 0;
  for (std::string_view record; cursor.position() < offset && cursor.next(record);) ++records;
  return {cursor.position(), records};
}

void split_record(std::string_view record, char delimiter, bool quotes,
                  std::vector<std::string_view>& fields) {
  fields.clear();
  std::size_t begin = 0;
  for (;;) {
    std::size_t i = begin;
    if (quotes && i < record.size() && record[i] == '"') {
      do {
        i = std::min(record.find('"', i + 1), record.size() - 1) + 1;
      } while (i < record.size() && record[i] == '"');
    }
    const std::size_t end = std::min(record.find(delimiter, i), record.size());
    fields.push_back(record.substr(begin, end - begin));
    if (end == record.size()) return;
    begin = end + 1;
  }
}

bool is_quoted(std::string_view field) {
  return field.size() >= 2 && field.front() == '"' && field.back() == '"';
}

void unquote(std::string_view field, bool quotes, text::OutputBuffer& text) {
  text.clear();
  if (!quotes || !is_quoted(field)) {
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

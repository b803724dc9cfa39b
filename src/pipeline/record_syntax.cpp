#include "pipeline/record_syntax.hpp"

#include <algorithm>
#include <cstring>

namespace sotto {
namespace {

/// The end of the CSV record that begins at `begin` (one past its line end), or npos when it is not complete.
/// A quote opens a quoted field only at the field's beginning, so a stray quote inside a plain field does no
/// harm.
std::size_t csv_record_end(std::string_view data, std::size_t begin) {
  std::size_t i = begin;
  while (i < data.size()) {
    if (data[i] == '"') {
      do {
        i = data.find('"', i + 1);
        if (i == std::string_view::npos) return i;
        ++i;
      } while (i < data.size() && data[i] == '"');
    }
    i = data.find_first_of(",\n", i);
    if (i == std::string_view::npos) return i;
    if (data[i++] == '\n') return i;
  }
  return std::string_view::npos;
}

/// By memchr, which the C library has in vector code; std::count goes byte by byte.
std::uint64_t count_lines(std::string_view data) {
  std::uint64_t lines = 0;
  for (std::size_t end = data.find('\n'); end != std::string_view::npos; end = data.find('\n', end + 1))
    ++lines;
  return lines;
}

std::size_t record_end(std::string_view data, std::size_t begin, Format format) {
  if (format == Format::csv) return csv_record_end(data, begin);
  const std::size_t line_end = data.find('\n', begin);
  return line_end == std::string_view::npos ? line_end : line_end + 1;
}

}  // namespace

RecordExtent whole_records(std::string_view data, Format format, bool at_end) {
  RecordExtent extent;
  if (format == Format::csv) {
    for (std::size_t end = csv_record_end(data, 0); end != std::string_view::npos;
         end = csv_record_end(data, end))
      extent = {end, extent.records + 1};
  } else {
    const std::size_t line_end = data.rfind('\n');
    extent.bytes = line_end == std::string_view::npos ? 0 : line_end + 1;
    extent.records = count_lines(data.substr(0, extent.bytes));
  }
  if (at_end && extent.bytes < data.size()) extent = {data.size(), extent.records + 1};
  return extent;
}

std::size_t first_record(std::string_view data, Format format, bool at_end) {
  const std::size_t end = record_end(data, 0, format);
  return end == std::string_view::npos && at_end ? data.size() : end;
}

RecordExtent records_before(std::string_view data, Format format, std::size_t offset) {
  RecordExtent extent;
  while (extent.bytes < offset) {
    const std::size_t end = record_end(data, extent.bytes, format);
    extent = {end == std::string_view::npos ? data.size() : end, extent.records + 1};
  }
  return extent;
}

std::string_view without_line_end(std::string_view record) {
  if (!record.empty() && record.back() == '\n') record.remove_suffix(1);
  if (!record.empty() && record.back() == '\r') record.remove_suffix(1);
  return record;
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

void unquote(std::string_view field, bool quotes, OutputBuffer& text) {
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

}  // namespace sotto

// Where records end: at LF, CR LF or a lone CR; in CSV only outside quotes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <sotto/privatize.hpp>

#include "text/line_ends.hpp"
#include "text/output_buffer.hpp"

namespace sotto::pipeline {

/// Iterates over the records of `data`.
class RecordCursor {
 public:
  /// If `at_end`, nothing follows the data, and an unterminated last record counts as whole.
  RecordCursor(std::string_view data, Format format, bool at_end)
      : data_(data), quotes_(format == Format::csv), at_end_(at_end), lines_(data, at_end) {}

  /// Sets `record` to the next whole record with its terminator; returns false if there is none.
  bool next(std::string_view& record) {
    if (position_ == data_.size()) return false;
    std::size_t end = quotes_ ? csv_record_end() : lines_.next(position_).end;
    if (end == std::string_view::npos) {
      if (!at_end_) return false;
      end = data_.size();
    }
    record = data_.substr(position_, end - position_);
    position_ = end;
    return true;
  }

  /// The start of the next record.
  std::size_t position() const { return position_; }

  /// Whether the data ended inside the quotes of the last record returned.
  bool quote_is_open() const { return quote_is_open_; }

 private:
  std::size_t csv_record_end();

  std::string_view data_;
  bool quotes_;
  bool at_end_;
  text::LineEnds lines_;
  std::size_t position_ = 0;
  bool quote_is_open_ = false;
};

struct RecordExtent {
  std::size_t bytes = 0;      ///< total length of some records at the start of the data
  std::uint64_t records = 0;  ///< their number
};

/// The whole records at the start of `data`; `at_end` is as for RecordCursor.
RecordExtent whole_records(std::string_view data, Format format, bool at_end);

/// The records of `data`, all of them whole, that begin before `offset`.
RecordExtent records_before(std::string_view data, Format format, std::size_t offset);

/// `record` without its terminator.
inline std::string_view without_line_end(std::string_view record) {
  if (!record.empty() && record.back() == '\n') record.remove_suffix(1);
  if (!record.empty() && record.back() == '\r') record.remove_suffix(1);
  return record;
}

/// The fields of a CSV (quotes matter) or TSV record as written, including quotes.
void split_record(std::string_view record, char delimiter, bool quotes,
                  std::vector<std::string_view>& fields);

/// Whether a field is written in quotes.
bool is_quoted(std::string_view field);

/// Stores the text of a field as written in `text`.
void unquote(std::string_view field, bool quotes, text::OutputBuffer& text);

}  // namespace sotto::pipeline

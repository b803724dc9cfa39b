// Where records end: at LF, CR LF or a lone CR; in CSV only outside quotes; in JSON after a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <sotto/privatize.hpp>

#include "text/line_ends.hpp"
#include "text/output_buffer.hpp"

namespace sotto::pipeline {

/// A format in one of its dialects.
struct RecordSyntax {
  /// The usual dialect.
  RecordSyntax(Format usual)  // NOLINT(*-explicit-*)
      : format(usual), delimiter(usual == Format::tsv ? '\t' : ',') {}
  RecordSyntax(Format any, char between_fields) : format(any), delimiter(between_fields) {}

  bool is_delimited() const { return format == Format::csv || format == Format::tsv; }
  bool has_quotes() const { return format == Format::csv; }

  Format format;
  char delimiter;  ///< if is_delimited()
};

/// Iterates over the records of `data`. A record of Format::json is a value with what separates it from the
/// one before; what follows the last value is a record without a value.
class RecordCursor {
 public:
  /// If `at_end`, nothing follows the data, and an unterminated last record counts as whole.
  RecordCursor(std::string_view data, RecordSyntax syntax, bool at_end)
      : data_(data), syntax_(syntax), at_end_(at_end), lines_(data, at_end) {}

  /// Sets `record` to the next whole record with its terminator; returns false if there is none.
  bool next(std::string_view& record) {
    if (position_ == data_.size()) return false;
    std::size_t end = record_end();
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
  bool quote_is_open() const { return open_quote_ != std::string_view::npos; }
  /// The position of the quote that was not closed.
  std::size_t open_quote() const { return open_quote_; }

 private:
  /// One past the terminator of the record that begins at position_, or npos if it is incomplete.
  std::size_t record_end() {
    if (syntax_.has_quotes()) return csv_record_end();
    return syntax_.format == Format::json ? json_record_end() : lines_.next(position_).end;
  }
  std::size_t csv_record_end();
  std::size_t json_record_end() const;

  std::string_view data_;
  RecordSyntax syntax_;
  bool at_end_;
  text::LineEnds lines_;
  std::size_t position_ = 0;
  std::size_t open_quote_ = std::string_view::npos;
};

struct RecordExtent {
  std::size_t bytes = 0;      ///< total length of some records at the start of the data
  std::uint64_t records = 0;  ///< their number
};

/// The whole records at the start of `data`; `at_end` is as for RecordCursor.
RecordExtent whole_records(std::string_view data, RecordSyntax syntax, bool at_end);

/// The records of `data`, all of them whole, that begin before `offset`.
RecordExtent records_before(std::string_view data, RecordSyntax syntax, std::size_t offset);

/// `record` without its terminator.
inline std::string_view without_line_end(std::string_view record) {
  if (!record.empty() && record.back() == '\n') record.remove_suffix(1);
  if (!record.empty() && record.back() == '\r') record.remove_suffix(1);
  return record;
}

/// What separates JSON values, and closes the array they are in.
inline constexpr std::string_view kJsonSeparators = " \t\r\n,]";
inline constexpr std::string_view kJsonBlanks = " \t\r\n";

/// Stores the fields of a CSV or TSV record, without its terminator, as written, including quotes. Returns
/// the position of the first field whose closing quote is not followed by a delimiter: its opening quote is
/// probably a stray one, and the field may hold several records. npos if there is none.
std::size_t split_record(std::string_view record, RecordSyntax syntax, std::vector<std::string_view>& fields);

/// Whether a field is written in quotes.
bool is_quoted(std::string_view field);

/// Stores the text of a field as written in `text`.
void unquote(std::string_view field, RecordSyntax syntax, text::OutputBuffer& text);

}  // namespace sotto::pipeline

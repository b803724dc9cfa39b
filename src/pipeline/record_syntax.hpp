// Where records end. For CSV that depends on quotes; for the other formats a record is a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <sotto/privatize.hpp>

#include "text/output_buffer.hpp"

namespace sotto {

struct RecordExtent {
  std::size_t bytes = 0;      ///< length of the whole records at the beginning of the data
  std::uint64_t records = 0;  ///< how many there are
};

/// The whole records at the beginning of `data`. With `at_end` an unterminated last record counts as whole.
RecordExtent whole_records(std::string_view data, Format format, bool at_end);

/// The length of the first record of `data` including its line end, or npos when it is not complete.
std::size_t first_record(std::string_view data, Format format, bool at_end);

/// The records that begin before `offset`: their length and number.
RecordExtent records_before(std::string_view data, Format format, std::size_t offset);

/// `record` without its line end.
std::string_view without_line_end(std::string_view record);

/// The fields of a record of CSV (quotes count) or TSV as they are written, quotes included.
void split_record(std::string_view record, char delimiter, bool quotes,
                  std::vector<std::string_view>& fields);

/// True for a field that is written in quotes.
bool is_quoted(std::string_view field);

/// The text of a field as written, into `text`.
void unquote(std::string_view field, bool quotes, OutputBuffer& text);

}  // namespace sotto

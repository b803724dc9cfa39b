// Splits the inputs into chunks of whole records, so that threads need not deal with files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sotto/privatize.hpp>
#include <sotto/result.hpp>

#include "base/compressed_input.hpp"
#include "pipeline/records/record_syntax.hpp"
#include "text/output_buffer.hpp"

namespace sotto::pipeline {

/// A position between two records, where a resumed run can start.
struct Position {
  std::uint32_t input = 0;   ///< index of the input
  std::uint64_t offset = 0;  ///< bytes of that input, decompressed and as UTF-8, before the position
  std::uint64_t record = 0;  ///< records of that input before the position, not counting a header
  std::uint64_t line = 0;    ///< line ends of that input before the position
};

/// How an input is written, as seen at its beginning.
struct InputHead {
  RecordSyntax syntax = Format::text;
  /// What comes before the records: a byte order mark, the header with its terminator, the bracket of an
  /// array.
  std::string preamble;
  std::string_view header() const { return std::string_view(preamble).substr(header_begin); }
  std::size_t header_begin = 0;
  bool is_array = false;         ///< of JSON objects
  bool delimiter_found = false;  ///< it was not given
  std::size_t columns = 0;       ///< of a delimited input, unless it is empty
};

struct Chunk {
  text::OutputBuffer data;  ///< whole records; the last one of an input may lack its terminator
  Position begin;
  Position end;
  std::uint64_t sequence = 0;             ///< 0, 1, 2, … in input order
  std::shared_ptr<const InputHead> head;  ///< of its input
  std::uint64_t file_position = 0;        ///< bytes of all input files, as stored, that have been read
};

class RecordReader {
 public:
  struct Options {
    std::vector<std::filesystem::path> inputs;  ///< empty: standard input
    Format format = Format::text;
    base::TextEncoding encoding;             ///< of the inputs
    bool refuse_other_bytes = true;          ///< an input that is hardly in the encoding is an error
    std::optional<char> delimiter;           ///< of CSV; empty: to be found
    bool no_header = false;                  ///< of CSV and TSV
    std::vector<std::string> named_columns;  ///< in the header; they tell which delimiter is right
    std::size_t least_columns = 1;           ///< without a header
    std::uint64_t max_record_bytes = 0;
    std::size_t chunk_bytes = 0;  ///< how much is read at a time
    Shard shard;
    Position start;
  };
  static Result<RecordReader> open(Options options);

  /// Reads the next chunk; returns false at the end. The first call always yields a chunk (possibly empty) if
  /// there is a preamble to pass on. Calls must be serialized.
  Result<bool> next(Chunk& chunk);

  /// Polls `go_on` while an input (a pipe, a terminal) delivers nothing; false stops the wait with
  /// Errc::interrupted.
  void while_waiting(std::function<bool()> go_on) { go_on_ = std::move(go_on); }

  /// Bytes of all inputs as stored; 0 if unknown.
  std::uint64_t total_bytes() const { return total_bytes_; }
  /// How many of them are before a position; of a compressed input, roughly.
  std::uint64_t bytes_before(const Position& position) const {
    if (total_bytes_ == 0) return 0;
    return std::min(total_bytes_, file_starts_[position.input] + position.offset);
  }
  /// The encoding of the first input, in the byte order found. Of a pipe, call it after next().
  const base::TextEncoding& encoding() const { return encoding_; }
  /// The name of input number `input` in messages and as the default data set name.
  std::string input_name(std::uint32_t input) const;

 private:
  explicit RecordReader(Options options) : options_(std::move(options)) {}
  Result<void> measure_inputs();
  Result<std::uint64_t> look_into(std::uint32_t index);
  Result<void> place_shard(const std::vector<std::uint64_t>& sizes, bool all_known);
  Result<void> check_start() const;
  tl::unexpected<Error> start_is_beyond() const;
  Result<std::unique_ptr<base::InputStream>> open_stream(std::uint32_t index) const;
  Result<void> open_input(std::uint32_t index);
  Result<void> take_preamble();
  Result<void> take_array_start(text::OutputBuffer& data, InputHead& head);
  Result<void> find_delimiter(text::OutputBuffer& data, InputHead& head);
  Result<void> take_header(text::OutputBuffer& data, InputHead& head);
  Result<void> measure_first_record(text::OutputBuffer& data, InputHead& head);
  Result<void> check_header(std::string_view header, bool quote_is_open, InputHead& head) const;
  Result<void> check_like_previous(const InputHead& head) const;
  Result<void> check_array_end(const Chunk& chunk) const;
  tl::unexpected<Error> header_too_long() const;
  tl::unexpected<Error> bad_input(std::string_view problem) const;
  tl::unexpected<Error> record_too_long(std::string_view data, RecordSyntax syntax) const;
  Result<bool> fill(text::OutputBuffer& data);
  Result<RecordExtent> fill_whole_records(text::OutputBuffer& data);
  Result<bool> next_unsharded(Chunk& chunk);
  std::uint64_t line_ends_of(std::string_view data, std::uint64_t records) const;
  void cut_to_shard(Chunk& chunk) const;
  std::uint32_t input_count() const;

  Options options_;
  base::TextEncoding encoding_;
  std::vector<std::uint64_t> file_starts_;   // start of each input in the concatenation of all, as stored
  std::vector<std::uint64_t> input_starts_;  // the same for their content; only if there are shards
  std::set<std::uint32_t> looked_into_;      // inputs whose beginning has been checked
  std::uint64_t total_bytes_ = 0;
  std::uint64_t shard_begin_ = 0;
  std::uint64_t shard_end_ = ~0ULL;
  std::unique_ptr<base::InputStream> stream_;
  bool input_open_ = false;
  bool at_end_of_input_ = false;
  Position position_;
  std::string carry_;                      // the beginning of a record whose end has not been read yet
  std::shared_ptr<const InputHead> head_;  // of the latest input
  std::uint64_t sequence_ = 0;
  std::function<bool()> go_on_;
};

}  // namespace sotto::pipeline

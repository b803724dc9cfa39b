// Splits the inputs into chunks of whole records, so that threads need not deal with files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <sotto/privatize.hpp>
#include <sotto/result.hpp>

#include "base/compressed_input.hpp"
#include "pipeline/records/record_syntax.hpp"
#include "text/output_buffer.hpp"

namespace sotto {

/// A position between two records, where a resumed run can start.
struct Position {
  std::uint32_t input = 0;   ///< index of the input
  std::uint64_t offset = 0;  ///< bytes of that input, decompressed and as UTF-8, before the position
  std::uint64_t record = 0;  ///< records of that input before the position, not counting a header
};

struct Chunk {
  OutputBuffer data;  ///< whole records; the last one of an input may lack its terminator
  Position begin;
  Position end;
  std::uint64_t sequence = 0;  ///< 0, 1, 2, … in input order
  std::shared_ptr<const std::string>
      header;                       ///< the input's header record with its terminator; null if there is none
  bool byte_order_mark = false;     ///< whether the first input begins with one, which is not in `data`
  std::uint64_t file_position = 0;  ///< bytes of all input files, as stored, that have been read
};

class RecordReader {
 public:
  struct Options {
    std::vector<std::filesystem::path> inputs;  ///< empty: standard input
    Format format = Format::text;
    TextEncoding encoding;           ///< of the inputs
    bool refuse_other_bytes = true;  ///< an input that is hardly in the encoding is an error
    std::uint64_t max_record_bytes = 0;
    std::size_t chunk_bytes = 0;  ///< how much is read at a time
    Shard shard;
    Position start;
  };
  static Result<RecordReader> open(Options options);

  /// Reads the next chunk; returns false at the end. The first call always yields a chunk (possibly empty) if
  /// there is a header or a byte order mark to pass on. Calls must be serialized.
  Result<bool> next(Chunk& chunk);

  /// Polls `go_on` while an input (a pipe, a terminal) delivers nothing; false stops the wait with
  /// Errc::interrupted.
  void while_waiting(std::function<bool()> go_on) { go_on_ = std::move(go_on); }

  /// Bytes of all inputs as stored; 0 if unknown.
  std::uint64_t total_bytes() const { return total_bytes_; }
  /// The encoding of the first input, in the byte order found. Of a pipe, call it after next().
  const TextEncoding& encoding() const { return encoding_; }
  /// The name of input number `input` in messages and as the default data set name.
  std::string input_name(std::uint32_t input) const;

 private:
  explicit RecordReader(Options options) : options_(std::move(options)) {}
  Result<void> measure_inputs();
  Result<std::uint64_t> look_into(std::uint32_t index);
  Result<void> place_shard(const std::vector<std::uint64_t>& sizes, bool all_known);
  Result<void> check_start() const;
  tl::unexpected<Error> start_is_beyond() const;
  Result<std::unique_ptr<InputStream>> open_stream(std::uint32_t index) const;
  Result<void> open_input(std::uint32_t index);
  Result<void> take_preamble();
  Result<void> take_header(OutputBuffer& data);
  Result<void> check_header(std::string_view header, bool quote_is_open) const;
  tl::unexpected<Error> header_too_long() const;
  tl::unexpected<Error> bad_header(std::string_view problem) const;
  Result<bool> fill(OutputBuffer& data);
  Result<RecordExtent> fill_whole_records(OutputBuffer& data);
  Result<bool> next_unsharded(Chunk& chunk);
  void cut_to_shard(Chunk& chunk) const;
  std::uint32_t input_count() const;
  bool has_preamble() const { return header_ || byte_order_mark_; }
  bool is_delimited() const { return options_.format == Format::csv || options_.format == Format::tsv; }

  Options options_;
  TextEncoding encoding_;
  std::vector<std::uint64_t> file_starts_;   // start of each input in the concatenation of all, as stored
  std::vector<std::uint64_t> input_starts_;  // the same for their content; only if there are shards
  std::set<std::uint32_t> looked_into_;      // inputs whose beginning has been checked
  std::uint64_t total_bytes_ = 0;
  std::uint64_t shard_begin_ = 0;
  std::uint64_t shard_end_ = ~0ULL;
  std::unique_ptr<InputStream> stream_;
  bool input_open_ = false;
  bool at_end_of_input_ = false;
  Position position_;
  std::string carry_;  // the beginning of a record whose end has not been read yet
  std::shared_ptr<const std::string> header_;
  bool byte_order_mark_ = false;  // at the beginning of the first input
  std::uint64_t sequence_ = 0;
  std::function<bool()> go_on_;
};

}  // namespace sotto

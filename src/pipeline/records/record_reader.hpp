// Splits the inputs into chunks of whole records, so that threads need not deal with files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sotto/privatize.hpp>
#include <sotto/result.hpp>

#include "base/file.hpp"
#include "pipeline/records/record_syntax.hpp"
#include "text/output_buffer.hpp"

namespace sotto::pipeline {

/// A position between two records, where a resumed run can start.
struct Position {
  std::uint32_t input = 0;   ///< index of the input
  std::uint64_t offset = 0;  ///< bytes of that input before the position
  std::uint64_t record = 0;  ///< records of that input before the position, not counting a header
};

struct Chunk {
  text::OutputBuffer data;  ///< whole records; the last one of an input may lack its terminator
  Position begin;
  Position end;
  std::uint64_t sequence = 0;  ///< 0, 1, 2, … in input order
  std::shared_ptr<const std::string>
      header;  ///< the input's header record with its terminator; null if there is none
};

class RecordReader {
 public:
  struct Options {
    std::vector<std::filesystem::path> inputs;  ///< empty: standard input
    Format format = Format::text;
    std::uint64_t max_record_bytes = 0;
    std::size_t chunk_bytes = 0;  ///< how much is read at a time
    Shard shard;
    Position start;
  };
  static Result<RecordReader> open(Options options);

  /// Reads the next chunk; returns false at the end. The first call always yields a chunk (possibly empty) if
  /// there is a header to pass on. Calls must be serialized.
  Result<bool> next(Chunk& chunk);

  /// Polls `go_on` while an input (a pipe, a terminal) delivers nothing; false stops the wait with
  /// Errc::interrupted.
  void while_waiting(std::function<bool()> go_on) { go_on_ = std::move(go_on); }

  /// Bytes of all inputs; 0 if unknown.
  std::uint64_t total_bytes() const { return total_bytes_; }
  /// The name of input number `input` in messages and as the default data set name.
  std::string input_name(std::uint32_t input) const;

 private:
  explicit RecordReader(Options options) : options_(std::move(options)) {}
  Result<void> measure_inputs();
  Result<void> check_start() const;
  Result<void> open_input(std::uint32_t index);
  Result<void> take_preamble();
  Result<void> take_header(text::OutputBuffer& data);
  Result<void> check_header(std::string_view header, bool quote_is_open) const;
  tl::unexpected<Error> header_too_long() const;
  tl::unexpected<Error> bad_header(std::string_view problem) const;
  Result<bool> fill(text::OutputBuffer& data);
  Result<void> wait_for_data() const;
  Result<RecordExtent> fill_whole_records(text::OutputBuffer& data);
  Result<bool> next_unsharded(Chunk& chunk);
  void cut_to_shard(Chunk& chunk) const;
  std::uint32_t input_count() const;
  bool is_delimited() const { return options_.format == Format::csv || options_.format == Format::tsv; }

  Options options_;
  std::vector<std::uint64_t> input_starts_;  // start of each input in the concatenation of all
  std::uint64_t total_bytes_ = 0;
  std::uint64_t shard_begin_ = 0;
  std::uint64_t shard_end_ = ~0ULL;
  base::FileDescriptor file_;
  bool input_open_ = false;
  bool at_end_of_input_ = false;
  Position position_;
  std::string carry_;  // the beginning of a record whose end has not been read yet
  std::shared_ptr<const std::string> header_;
  std::uint64_t sequence_ = 0;
  std::function<bool()> go_on_;
};

}  // namespace sotto::pipeline

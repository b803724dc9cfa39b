// Cuts the inputs into chunks of whole records, so that threads can work on records without knowing about
// files.
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
#include "pipeline/record_syntax.hpp"
#include "text/output_buffer.hpp"

namespace sotto {

/// A place between two records. A resumed run starts at one.
struct Position {
  std::uint32_t input = 0;   ///< index of the input
  std::uint64_t offset = 0;  ///< bytes of that input before the place
  std::uint64_t record = 0;  ///< records of that input before the place, a header not counted
};

struct Chunk {
  OutputBuffer data;  ///< whole records; the last one of an input may lack its line end
  Position begin;
  Position end;
  std::uint64_t sequence = 0;  ///< 0, 1, 2, … in the order of the input
  std::shared_ptr<const std::string>
      header;  ///< the input's header record with its line end; null if there is none
};

class RecordReader {
 public:
  struct Options {
    std::vector<std::filesystem::path> inputs;  ///< empty: standard input
    Format format = Format::text;
    std::uint64_t max_record_bytes = 0;
    std::size_t chunk_bytes = 0;  ///< how much is read at once
    Shard shard;
    Position start;
  };
  static Result<RecordReader> open(Options options);

  /// The next chunk, or false at the end. The first call always gives a chunk (possibly empty) when there is
  /// a header to pass on. Calls must be serialized.
  Result<bool> next(Chunk& chunk);

  /// `go_on` is asked now and then while an input (a pipe, a terminal) is silent; false ends the waiting with
  /// Errc::interrupted.
  void while_waiting(std::function<bool()> go_on) { go_on_ = std::move(go_on); }

  /// Bytes of all inputs; 0 when unknown.
  std::uint64_t total_bytes() const { return total_bytes_; }
  /// What messages and the default data set name call input number `input`.
  std::string input_name(std::uint32_t input) const;

 private:
  explicit RecordReader(Options options) : options_(std::move(options)) {}
  Result<void> measure_inputs();
  Result<void> check_start() const;
  Result<void> open_input(std::uint32_t index);
  Result<void> take_preamble();
  Result<void> take_header(OutputBuffer& data);
  Result<void> check_header(std::string_view header, bool quote_is_open) const;
  tl::unexpected<Error> header_too_long() const;
  tl::unexpected<Error> bad_header(std::string_view problem) const;
  Result<bool> fill(OutputBuffer& data);
  Result<void> wait_for_data() const;
  Result<RecordExtent> fill_whole_records(OutputBuffer& data);
  Result<bool> next_unsharded(Chunk& chunk);
  void cut_to_shard(Chunk& chunk) const;
  std::uint32_t input_count() const;
  bool is_delimited() const { return options_.format == Format::csv || options_.format == Format::tsv; }

  Options options_;
  std::vector<std::uint64_t> input_starts_;  // of each input in the concatenation of all
  std::uint64_t total_bytes_ = 0;
  std::uint64_t shard_begin_ = 0;
  std::uint64_t shard_end_ = ~0ULL;
  FileDescriptor file_;
  bool input_open_ = false;
  bool at_end_of_input_ = false;
  Position position_;
  std::string carry_;  // the beginning of a record whose end is not read yet
  std::shared_ptr<const std::string> header_;
  std::uint64_t sequence_ = 0;
  std::function<bool()> go_on_;
};

}  // namespace sotto

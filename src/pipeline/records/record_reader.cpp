#include "pipeline/records/record_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "base/message.hpp"
#include "pipeline/records/record_syntax.hpp"
#include "text/encoding_guess.hpp"
#include "text/printable.hpp"

namespace sotto {
namespace {

constexpr std::size_t kLargestHeader = 64 << 10;
constexpr std::size_t kMostColumns = 10'000;

}  // namespace

Result<RecordReader> RecordReader::open(Options options) {
  RecordReader reader(std::move(options));
  SOTTO_TRY(reader.measure_inputs());
  SOTTO_TRY(reader.check_start());
  reader.position_ = reader.options_.start;
  return reader;
}

std::uint32_t RecordReader::input_count() const {
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(options_.inputs.size()));
}

std::string RecordReader::input_name(std::uint32_t input) const {
  return options_.inputs.empty() ? "standard input" : options_.inputs[input].string();
}

Result<void> RecordReader::measure_inputs() {
  bool all_known = !options_.inputs.empty();
  std::vector<std::uint64_t> sizes;
  for (std::uint32_t i = 0; i < options_.inputs.size(); ++i) {
    const std::filesystem::path& input = options_.inputs[i];
    std::error_code not_a_file;
    // Detects what cannot be read before anything is written. Briefly opening a pipe would cut off its
    // writer.
    if (std::filesystem::is_regular_file(input, not_a_file)) {
      SOTTO_ASSIGN(const std::uint64_t size, look_into(i));
      sizes.push_back(size);
      looked_into_.insert(i);
    } else if (!std::filesystem::is_fifo(input, not_a_file)) {
      SOTTO_TRY(open_for_reading(input));
    }
    const std::uint64_t stored = std::filesystem::file_size(input, not_a_file);
    all_known = all_known && !not_a_file;
    file_starts_.push_back(total_bytes_);
    total_bytes_ += not_a_file ? 0 : stored;
  }
  if (!all_known) total_bytes_ = 0;
  return options_.shard.count == 1 ? Result<void>() : place_shard(sizes, all_known);
}

/// Checks the beginning of an input. If there are shards, returns the size of its content, for which a
/// compressed file has to be read once more.
Result<std::uint64_t> RecordReader::look_into(std::uint32_t index) {
  SOTTO_ASSIGN(const auto stream, open_stream(index));
  if (index == 0) encoding_ = stream->encoding();
  std::string sample(kEncodingSample, '\0');
  std::uint64_t size = 0;
  for (std::size_t got = 1; got > 0 && size < sample.size(); size += got) {
    SOTTO_ASSIGN(got, stream->read(sample.data() + size, sample.size() - size));
  }
  if (options_.refuse_other_bytes)
    SOTTO_TRY(check_utf8(std::string_view(sample).substr(0, size), input_name(index)));
  if (options_.shard.count == 1) return size;
  std::error_code ignored;
  if (stream->is_plain()) return std::filesystem::file_size(options_.inputs[index], ignored);
  for (std::size_t got = 1; got > 0; size += got) {
    SOTTO_ASSIGN(got, stream->read(sample.data(), sample.size()));
  }
  return size;
}

Result<void> RecordReader::place_shard(const std::vector<std::uint64_t>& sizes, bool all_known) {
  if (!all_known || sizes.size() != options_.inputs.size())
    return fail_parameter("shard", "", "needs input files, it cannot cut standard input or a pipe");
  std::uint64_t total = 0;
  for (const std::uint64_t size : sizes) {
    input_starts_.push_back(total);
    total += size;
  }
  const auto [index, count] = options_.shard;
  using Wide = unsigned __int128;
  shard_begin_ = static_cast<std::uint64_t>(Wide{total} * (index - 1) / count);
  if (index < count) shard_end_ = static_cast<std::uint64_t>(Wide{total} * index / count);
  return {};
}

/// The start comes from a file, which may be damaged.
Result<void> RecordReader::check_start() const {
  const Position& start = options_.start;
  const bool start_of_all = start.input == 0 && start.offset == 0;
  return start_of_all || start.input < options_.inputs.size() ? Result<void>() : start_is_beyond();
}

tl::unexpected<Error> RecordReader::start_is_beyond() const {
  return fail_parameter("resume", "", "the checkpoint points beyond the inputs; remove it to start over",
                        Errc::bad_format);
}

Result<std::unique_ptr<InputStream>> RecordReader::open_stream(std::uint32_t index) const {
  const InputOptions how{options_.encoding, go_on_};
  if (!options_.inputs.empty()) return InputStream::open(options_.inputs[index], how);
  FileDescriptor standard_input(::dup(STDIN_FILENO));
  if (standard_input.get() < 0)
    return fail(Errc::io, fmt::format("cannot read standard input: {}", std::strerror(errno)));
  return InputStream::open(std::move(standard_input), input_name(index), how);
}

Result<void> RecordReader::open_input(std::uint32_t index) {
  SOTTO_ASSIGN(stream_, open_stream(index));
  if (index == 0) encoding_ = stream_->encoding();
  input_open_ = true;
  at_end_of_input_ = false;
  const Position start = position_;
  position_.offset = 0;
  SOTTO_TRY(take_preamble());
  if (start.offset == 0) return {};
  carry_.clear();
  at_end_of_input_ = false;
  position_ = start;
  SOTTO_ASSIGN(stream_, open_stream(index));
  SOTTO_ASSIGN(const bool found, stream_->skip(position_.offset));
  return found ? Result<void>() : start_is_beyond();
}

/// Consumes the byte order mark and the header, if any, at the start of an input.
Result<void> RecordReader::take_preamble() {
  OutputBuffer data;
  // A pipe may give the mark byte by byte.
  while (data.size() < kByteOrderMark.size() && !at_end_of_input_) SOTTO_TRY(fill(data));
  if (options_.refuse_other_bytes && !looked_into_.contains(position_.input))  // a pipe
    SOTTO_TRY(check_utf8(data.view().substr(0, kEncodingSample), input_name(position_.input)));
  if (data.view().starts_with(kByteOrderMark)) {
    byte_order_mark_ = byte_order_mark_ || position_.input == 0;
    position_.offset += kByteOrderMark.size();
    data.remove_prefix(kByteOrderMark.size());
  }
  if (is_delimited()) SOTTO_TRY(take_header(data));
  carry_.assign(data.view());
  return {};
}

Result<void> RecordReader::take_header(OutputBuffer& data) {
  for (;;) {
    RecordCursor cursor(data.view(), options_.format, at_end_of_input_);
    std::string_view header;
    if (cursor.next(header)) {
      SOTTO_TRY(check_header(header, cursor.quote_is_open()));
      header_ = std::make_shared<const std::string>(header);
      position_.offset += header_->size();
      data.remove_prefix(header_->size());
      return {};
    }
    if (at_end_of_input_)
      return bad_header(fmt::format("empty, but {} needs a header line", to_string(options_.format)));
    if (data.size() > kLargestHeader) return header_too_long();
    SOTTO_TRY(fill(data));
  }
}

/// Refuses anything that does not look like a header: its names are copied in clear, and so would be a whole
/// file that is all header because its records have an unknown terminator.
Result<void> RecordReader::check_header(std::string_view header, bool quote_is_open) const {
  const std::string_view body = without_line_end(header);
  if (body.size() > kLargestHeader) return header_too_long();
  if (quote_is_open) return bad_header("a quoted name in the header line is not closed");
  const bool quotes = options_.format == Format::csv;
  std::vector<std::string_view> columns;
  split_record(body, quotes ? ',' : '\t', quotes, columns);
  if (columns.size() > kMostColumns)
    return bad_header(
        fmt::format("the header line has {} columns; at most {} are allowed", columns.size(), kMostColumns));
  // Some systems terminate records with other characters.
  for (const std::string_view column : columns)
    if (!(quotes && is_quoted(column)) && has_control_characters(column))
      return bad_header(
          fmt::format("a name in the header line holds control characters; is this {} in UTF-8?",
                      to_string(options_.format)));
  if (header_ && without_line_end(*header_) != body)
    return bad_header(fmt::format("its header differs from that of {}", input_name(0)));
  return {};
}

tl::unexpected<Error> RecordReader::header_too_long() const {
  return bad_header(
      fmt::format("the header line is longer than {} bytes; is this {}, and does it have a header?",
                  kLargestHeader, to_string(options_.format)));
}

tl::unexpected<Error> RecordReader::bad_header(std::string_view problem) const {
  return fail(Errc::bad_format, fmt::format("{}: {}", input_name(position_.input), problem));
}

/// Reads more bytes; returns false at the end of the input.
Result<bool> RecordReader::fill(OutputBuffer& data) {
  SOTTO_ASSIGN(const std::size_t got,
               stream_->read(data.reserve(options_.chunk_bytes), options_.chunk_bytes));
  data.advance(got);
  if (got == 0) at_end_of_input_ = true;
  return got > 0;
}

/// Reads until there is at least one whole record or the input ends.
Result<RecordExtent> RecordReader::fill_whole_records(OutputBuffer& data) {
  for (;;) {
    const RecordExtent extent = whole_records(data.view(), options_.format, at_end_of_input_);
    if (extent.bytes > 0 || at_end_of_input_) return extent;
    if (data.size() > options_.max_record_bytes)
      return fail(Errc::limit, format_message("{}: record {} is longer than {{max_document_bytes}} allows",
                                              input_name(position_.input), position_.record + 1));
    SOTTO_TRY(fill(data));
  }
}

Result<bool> RecordReader::next_unsharded(Chunk& chunk) {
  while (position_.input < input_count()) {
    if (!input_open_) SOTTO_TRY(open_input(position_.input));
    chunk.data.clear();
    chunk.data.append(carry_);
    carry_.clear();
    SOTTO_ASSIGN(const RecordExtent extent, fill_whole_records(chunk.data));
    carry_.assign(chunk.data.view().substr(extent.bytes));
    chunk.data.truncate(extent.bytes);
    chunk.begin = position_;
    position_.offset += extent.bytes;
    position_.record += extent.records;
    chunk.end = position_;
    chunk.header = header_;
    chunk.byte_order_mark = byte_order_mark_;
    chunk.file_position = stream_->file_position();
    if (!file_starts_.empty()) chunk.file_position += file_starts_[chunk.begin.input];
    if (at_end_of_input_) {
      position_ = {position_.input + 1, 0, 0};
      input_open_ = false;
    }
    if (extent.bytes > 0 || (has_preamble() && sequence_ == 0)) return true;
  }
  return false;
}

void RecordReader::cut_to_shard(Chunk& chunk) const {
  const std::uint64_t base = input_starts_[chunk.begin.input] + chunk.begin.offset;
  if (shard_end_ < base + chunk.data.size()) {
    const std::uint64_t offset = shard_end_ > base ? shard_end_ - base : 0;
    chunk.data.truncate(records_before(chunk.data.view(), options_.format, offset).bytes);
  }
  if (shard_begin_ > base) {
    const std::uint64_t offset = std::min<std::uint64_t>(shard_begin_ - base, chunk.data.size());
    const RecordExtent skip = records_before(chunk.data.view(), options_.format, offset);
    chunk.data.remove_prefix(skip.bytes);
    chunk.begin.offset += skip.bytes;
    chunk.begin.record += skip.records;
  }
}

Result<bool> RecordReader::next(Chunk& chunk) {
  for (;;) {
    SOTTO_ASSIGN(const bool more, next_unsharded(chunk));
    if (!more) return false;
    if (options_.shard.count > 1) cut_to_shard(chunk);
    const bool passes_preamble = has_preamble() && sequence_ == 0;
    if (chunk.data.size() == 0 && !passes_preamble) continue;
    chunk.sequence = sequence_++;
    return true;
  }
}

}  // namespace sotto

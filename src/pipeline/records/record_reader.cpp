#include "pipeline/records/record_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "base/message.hpp"
#include "pipeline/records/delimiter.hpp"
#include "pipeline/records/record_layout.hpp"
#include "pipeline/records/record_syntax.hpp"
#include "text/encoding_guess.hpp"
#include "text/printable.hpp"

namespace sotto::pipeline {
namespace {

constexpr std::size_t kLargestHeader = 64 << 10;
constexpr std::size_t kMostColumns = 10'000;
constexpr std::size_t kLongRecord = 1 << 20;

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
      SOTTO_TRY(base::open_for_reading(input));
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
  std::string sample(text::kEncodingSample, '\0');
  std::uint64_t size = 0;
  for (std::size_t got = 1; got > 0 && size < sample.size(); size += got) {
    SOTTO_ASSIGN(got, stream->read(sample.data() + size, sample.size() - size));
  }
  if (options_.refuse_other_bytes)
    SOTTO_TRY(text::check_utf8(std::string_view(sample).substr(0, size), input_name(index)));
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

Result<std::unique_ptr<base::InputStream>> RecordReader::open_stream(std::uint32_t index) const {
  const base::InputOptions how{options_.encoding, go_on_};
  if (!options_.inputs.empty()) return base::InputStream::open(options_.inputs[index], how);
  base::FileDescriptor standard_input(::dup(STDIN_FILENO));
  if (standard_input.get() < 0)
    return fail(Errc::io, fmt::format("cannot read standard input: {}", std::strerror(errno)));
  return base::InputStream::open(std::move(standard_input), input_name(index), how);
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

/// Consumes what comes before the records of an input.
Result<void> RecordReader::take_preamble() {
  InputHead head;
  head.syntax = options_.format;
  if (options_.delimiter) head.syntax.delimiter = *options_.delimiter;
  text::OutputBuffer data;
  // A pipe may give the mark byte by byte.
  while (data.size() < base::kByteOrderMark.size() && !at_end_of_input_) SOTTO_TRY(fill(data));
  if (options_.refuse_other_bytes && !looked_into_.contains(position_.input))  // a pipe
    SOTTO_TRY(text::check_utf8(data.view().substr(0, text::kEncodingSample), input_name(position_.input)));
  if (data.view().starts_with(base::kByteOrderMark)) {
    head.preamble = base::kByteOrderMark;
    data.remove_prefix(base::kByteOrderMark.size());
  }
  head.header_begin = head.preamble.size();
  if (head.syntax.is_delimited()) {
    SOTTO_TRY(find_delimiter(data, head));
    SOTTO_TRY(options_.no_header ? measure_first_record(data, head) : take_header(data, head));
  } else if (options_.format != Format::text) {
    SOTTO_TRY(take_array_start(data, head));
  }
  SOTTO_TRY(check_like_previous(head));
  position_.offset += head.preamble.size();
  position_.line += text::count_line_ends(head.preamble);
  carry_.assign(data.view());
  head_ = std::make_shared<const InputHead>(std::move(head));
  return {};
}

/// JSON lines cannot begin with a bracket, so whatever does is an array.
Result<void> RecordReader::take_array_start(text::OutputBuffer& data, InputHead& head) {
  // What is found here and below must not depend on how much was read.
  const auto first_byte = [&] {
    return data.view().substr(0, kLargestHeader).find_first_not_of(kJsonBlanks);
  };
  while (first_byte() == std::string_view::npos && !at_end_of_input_ && data.size() < kLargestHeader)
    SOTTO_TRY(fill(data));
  const std::size_t begin = first_byte();
  if (begin == std::string_view::npos || data.view()[begin] != '[') return {};
  head.is_array = true;
  head.syntax = Format::json;
  head.preamble += data.view().substr(0, begin + 1);
  data.remove_prefix(begin + 1);
  return {};
}

Result<void> RecordReader::find_delimiter(text::OutputBuffer& data, InputHead& head) {
  if (options_.format != Format::csv || options_.delimiter) return {};
  head.delimiter_found = true;
  std::optional<char> delimiter;
  if (options_.no_header) {
    while (data.size() < kLargestHeader && !at_end_of_input_) SOTTO_TRY(fill(data));
    const std::string_view sample = data.view().substr(0, kLargestHeader);
    const bool is_whole = at_end_of_input_ && sample.size() == data.size();
    SOTTO_ASSIGN(delimiter,
                 delimiter_of_records(sample, is_whole, options_.least_columns, input_name(position_.input)));
  } else {
    constexpr std::size_t kMost = kLargestHeader + std::string_view("\r\n").size();
    for (;;) {
      const bool is_all = at_end_of_input_ || data.size() >= kMost;
      delimiter = delimiter_of_header(data.view().substr(0, kMost), is_all, options_.named_columns);
      if (delimiter) break;
      SOTTO_TRY(fill(data));
    }
  }
  head.syntax.delimiter = *delimiter;
  return {};
}

Result<void> RecordReader::take_header(text::OutputBuffer& data, InputHead& head) {
  for (;;) {
    RecordCursor cursor(data.view(), head.syntax, at_end_of_input_);
    std::string_view header;
    if (cursor.next(header)) {
      SOTTO_TRY(check_header(header, cursor.quote_is_open(), head));
      head.preamble += header;
      data.remove_prefix(header.size());
      return {};
    }
    if (at_end_of_input_)
      return bad_input(fmt::format("empty, but {} needs a header line", to_string(options_.format)));
    if (data.size() > kLargestHeader) return header_too_long();
    SOTTO_TRY(fill(data));
  }
}

/// Without a header all records have as many columns as the first one that is not blank.
Result<void> RecordReader::measure_first_record(text::OutputBuffer& data, InputHead& head) {
  for (;;) {
    RecordCursor cursor(data.view(), head.syntax, at_end_of_input_);
    for (std::string_view record; cursor.next(record);) {
      const std::string_view body = without_line_end(record);
      if (body.empty()) continue;
      std::vector<std::string_view> columns;
      split_record(body, head.syntax, columns);
      head.columns = columns.size();
      return {};
    }
    if (at_end_of_input_) return {};
    if (data.size() > options_.max_record_bytes) return record_too_long(data.view(), head.syntax);
    SOTTO_TRY(fill(data));
  }
}

/// Refuses anything that does not look like a header: its names are copied in clear, and so would be a whole
/// file that is all header because its records have an unknown terminator.
Result<void> RecordReader::check_header(std::string_view header, bool quote_is_open, InputHead& head) const {
  const std::string_view body = without_line_end(header);
  if (body.size() > kLargestHeader) return header_too_long();
  std::vector<std::string_view> columns;
  const bool is_stray = split_record(body, head.syntax, columns) != std::string_view::npos;
  if (quote_is_open || is_stray) return bad_input("a quoted name in the header line is not closed");
  if (columns.size() > kMostColumns)
    return bad_input(
        fmt::format("the header line has {} columns; at most {} are allowed", columns.size(), kMostColumns));
  // Some systems terminate records with other characters.
  for (const std::string_view column : columns)
    if (!(head.syntax.has_quotes() && is_quoted(column)) && text::has_control_characters(column))
      return bad_input(fmt::format("a name in the header line holds control characters; is this {} in UTF-8?",
                                   to_string(options_.format)));
  head.columns = columns.size();
  return {};
}

/// The output is one file, so its parts must be written alike.
Result<void> RecordReader::check_like_previous(const InputHead& head) const {
  if (!head_) return {};
  const std::string first = input_name(0);
  if (head.is_array != head_->is_array)
    return bad_input(fmt::format("it is {} JSON array, but {} is {}", head.is_array ? "a" : "no", first,
                                 head_->is_array ? "one" : "not"));
  if (!head.syntax.is_delimited()) return {};
  if (head.columns == 0 || head_->columns == 0) return {};  // without records, and without a header
  if (head.syntax.delimiter != head_->syntax.delimiter)
    return bad_input(fmt::format("it is separated by {}, but {} by {}",
                                 spell_delimiter(head.syntax.delimiter), first,
                                 spell_delimiter(head_->syntax.delimiter)));
  if (without_line_end(head.header()) != without_line_end(head_->header()))
    return bad_input(fmt::format("its header differs from that of {}", first));
  if (head.columns != head_->columns)
    return bad_input(fmt::format("it has {} columns, but {} has {}", head.columns, first, head_->columns));
  return {};
}

/// An array ends with a bracket, which comes with the last value (see RecordCursor). A resumed run may have
/// passed it before.
Result<void> RecordReader::check_array_end(const Chunk& chunk) const {
  const std::string_view data = chunk.data.view();
  const std::size_t last = data.find_last_not_of(kJsonBlanks);
  const bool is_closed =
      last == std::string_view::npos ? chunk.begin.offset > head_->preamble.size() : data[last] == ']';
  return is_closed ? Result<void>() : bad_input("the JSON array is not closed");
}

tl::unexpected<Error> RecordReader::header_too_long() const {
  return bad_input(
      fmt::format("the header line is longer than {} bytes; is this {}, and does it have a header?",
                  kLargestHeader, to_string(options_.format)));
}

tl::unexpected<Error> RecordReader::bad_input(std::string_view problem) const {
  return fail(Errc::bad_format, fmt::format("{}: {}", input_name(position_.input), problem));
}

/// `data` begins with the record. A stray quote makes all that follows one record.
tl::unexpected<Error> RecordReader::record_too_long(std::string_view data, RecordSyntax syntax) const {
  RecordCursor cursor(data, syntax, true);
  std::string_view record;
  cursor.next(record);
  const std::string place = fmt::format("{}: record {}", input_name(position_.input), position_.record + 1);
  if (cursor.quote_is_open())
    return fail(Errc::limit,
                base::format_message(
                    "{} (line {}): a quoted field is not closed within the {} bytes that "
                    "{{max_document_bytes}} allows",
                    place, position_.line + text::count_line_ends(data.substr(0, cursor.open_quote())) + 1,
                    options_.max_record_bytes));
  return fail(Errc::limit, base::format_message("{} is longer than {{max_document_bytes}} allows", place));
}

/// Reads more bytes; returns false at the end of the input.
Result<bool> RecordReader::fill(text::OutputBuffer& data) {
  SOTTO_ASSIGN(const std::size_t got,
               stream_->read(data.reserve(options_.chunk_bytes), options_.chunk_bytes));
  data.advance(got);
  if (got == 0) at_end_of_input_ = true;
  return got > 0;
}

/// Reads until there is at least one whole record or the input ends. A long record is searched for its end
/// only when its length has doubled, so that the work is linear.
Result<RecordExtent> RecordReader::fill_whole_records(text::OutputBuffer& data) {
  for (std::size_t next_search = 0;;) {
    if (data.size() >= next_search || at_end_of_input_) {
      const RecordExtent extent = whole_records(data.view(), head_->syntax, at_end_of_input_);
      if (extent.bytes > 0 || at_end_of_input_) return extent;
      if (data.size() > options_.max_record_bytes) return record_too_long(data.view(), head_->syntax);
      if (data.size() > kLongRecord)
        next_search = std::min<std::size_t>(2 * data.size(), options_.max_record_bytes + 1);
    }
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
    chunk.head = head_;
    if (at_end_of_input_ && head_->is_array) SOTTO_TRY(check_array_end(chunk));
    position_.offset += extent.bytes;
    position_.record += extent.records;
    position_.line += line_ends_of(chunk.data.view(), extent.records);
    chunk.end = position_;
    chunk.file_position = stream_->file_position();
    if (!file_starts_.empty()) chunk.file_position += file_starts_[chunk.begin.input];
    if (at_end_of_input_) {
      position_ = {position_.input + 1, 0, 0, 0};
      input_open_ = false;
    }
    if (extent.bytes > 0 || (!head_->preamble.empty() && sequence_ == 0)) return true;
  }
  return false;
}

/// Line ends in some records; those of most formats have one each.
std::uint64_t RecordReader::line_ends_of(std::string_view data, std::uint64_t records) const {
  const Format format = head_->syntax.format;
  return format == Format::csv || format == Format::json ? text::count_line_ends(data) : records;
}

void RecordReader::cut_to_shard(Chunk& chunk) const {
  const std::uint64_t base = input_starts_[chunk.begin.input] + chunk.begin.offset;
  if (shard_end_ < base + chunk.data.size()) {
    const std::uint64_t offset = shard_end_ > base ? shard_end_ - base : 0;
    chunk.data.truncate(records_before(chunk.data.view(), chunk.head->syntax, offset).bytes);
  }
  if (shard_begin_ > base) {
    const std::uint64_t offset = std::min<std::uint64_t>(shard_begin_ - base, chunk.data.size());
    const RecordExtent skip = records_before(chunk.data.view(), chunk.head->syntax, offset);
    chunk.begin.line += line_ends_of(chunk.data.view().substr(0, skip.bytes), skip.records);
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
    const bool passes_preamble = !chunk.head->preamble.empty() && sequence_ == 0;
    if (chunk.data.empty() && !passes_preamble) continue;
    chunk.sequence = sequence_++;
    return true;
  }
}

}  // namespace sotto::pipeline

// Splitting inputs into records: chunk sizes and shards change nothing, and nothing is lost.
#include "fuzz.hpp"
#include "pipeline/records/record_reader.hpp"
#include "pipeline/records/record_syntax.hpp"

namespace {

using namespace sotto;
using fuzz::require;

struct Reading {
  bool failed = false;
  std::string preamble;
  char delimiter = 0;
  std::string bytes;
  std::vector<std::string> records;
};

void take_records(const pipeline::Chunk& chunk, Reading& reading) {
  const std::size_t before = reading.records.size();
  pipeline::RecordCursor cursor(chunk.data.view(), chunk.head->syntax, true);
  for (std::string_view record; cursor.next(record);) {
    require(!record.empty(), "a record takes some of the bytes");
    reading.records.emplace_back(record);
  }
  require(reading.records.size() - before == chunk.end.record - chunk.begin.record,
          "a chunk holds as many records as it says");
  require(chunk.data.size() == chunk.end.offset - chunk.begin.offset,
          "a chunk holds as many bytes as it says");
}

/// A reader of a scratch file.
pipeline::RecordReader::Options reading_of(const std::filesystem::path& file, Format format) {
  pipeline::RecordReader::Options options;
  options.inputs = {file};
  options.format = format;
  options.max_record_bytes = 1 << 16;
  return options;
}

Reading read(pipeline::RecordReader::Options options, std::size_t chunk_bytes, Shard shard) {
  options.chunk_bytes = chunk_bytes;
  options.shard = shard;
  options.refuse_other_bytes = false;
  Reading reading;
  auto reader = pipeline::RecordReader::open(options);
  reading.failed = !reader;
  pipeline::Chunk chunk;
  while (!reading.failed) {
    const auto more = reader->next(chunk);
    reading.failed = !more;
    if (!more || !*more) break;
    reading.preamble = chunk.head->preamble;
    reading.delimiter = chunk.head->syntax.delimiter;
    reading.bytes += chunk.data.view();
    if (shard.count == 1) take_records(chunk, reading);
  }
  return reading;
}

void check_fields(std::string_view record, pipeline::RecordSyntax syntax) {
  const std::string_view body = pipeline::without_line_end(record);
  std::vector<std::string_view> fields;
  pipeline::split_record(body, syntax, fields);
  std::string joined;
  text::OutputBuffer text;
  for (const std::string_view field : fields) {
    if (!joined.empty() || field.data() != body.data()) joined += syntax.delimiter;
    joined += field;
    pipeline::unquote(field, syntax, text);
    require(text.size() <= field.size(), "a field's text is not longer than the field");
  }
  require(joined == body, "the fields put together are the record");
}

/// Neither how much is read at a time nor shards change anything, and nothing is lost.
void check_reading(const pipeline::RecordReader::Options& options, std::string_view input, unsigned choice) {
  if (base::compression_by_content(input) != base::Compression::none) return;  // of another target
  const std::size_t few_bytes = 1 + choice % 16;
  const Reading whole = read(options, 1 << 20, {});
  const Reading pieces = read(options, few_bytes, {});
  require(whole.failed == pieces.failed, "whether records can be read does not depend on chunks");
  if (whole.failed) return;
  require(whole.preamble == pieces.preamble && whole.records == pieces.records,
          "records do not depend on chunks");
  require(whole.preamble + whole.bytes == input, "the chunks put together are the input");
  if (options.format == Format::csv || options.format == Format::tsv)
    for (const std::string& record : whole.records) check_fields(record, {options.format, whole.delimiter});
  std::string shards;
  for (std::uint32_t i = 1; i <= 3; ++i) {
    const Reading shard = read(options, few_bytes, {i, 3});
    require(!shard.failed, "what can be read can be read in shards");
    shards += shard.bytes;
  }
  require(shards == whole.bytes, "the shards put together are the whole");
}

}  // namespace

SOTTO_FUZZ_TARGET(records) {
  const unsigned choice = fuzz::take_byte(input);
  check_reading(reading_of(fuzz::write_scratch("records", input), static_cast<Format>(choice % 4)), input,
                choice / 4);
}

/// The same for JSON, for CSV without a header, and for delimiters that are given or found.
SOTTO_FUZZ_TARGET(dialects) {
  const unsigned choice = fuzz::take_byte(input);
  const bool is_json = choice % 4 == 0;
  pipeline::RecordReader::Options options =
      reading_of(fuzz::write_scratch("dialects", input), is_json ? Format::json : Format::csv);
  options.no_header = choice % 4 == 1;
  options.named_columns = {"doc"};
  options.least_columns = 2;
  if (choice % 4 == 3) options.delimiter = ';';
  check_reading(options, input, choice / 4);
}

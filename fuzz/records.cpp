// Splitting inputs into records: chunk sizes and shards change nothing, and nothing is lost.
#include "fuzz.hpp"
#include "pipeline/records/record_reader.hpp"
#include "pipeline/records/record_syntax.hpp"

namespace {

using namespace sotto;
using fuzz::require;

struct Reading {
  bool failed = false;
  std::string header;
  std::string bytes;
  std::vector<std::string> records;
};

void take_records(const Chunk& chunk, Format format, Reading& reading) {
  const std::size_t before = reading.records.size();
  RecordCursor cursor(chunk.data.view(), format, true);
  for (std::string_view record; cursor.next(record);) {
    require(!record.empty(), "a record takes some of the bytes");
    reading.records.emplace_back(record);
  }
  require(reading.records.size() - before == chunk.end.record - chunk.begin.record,
          "a chunk holds as many records as it says");
  require(chunk.data.size() == chunk.end.offset - chunk.begin.offset,
          "a chunk holds as many bytes as it says");
}

Reading read(const std::filesystem::path& file, Format format, std::size_t chunk_bytes, Shard shard) {
  RecordReader::Options options;
  options.inputs = {file};
  options.format = format;
  options.max_record_bytes = 1 << 16;
  options.chunk_bytes = chunk_bytes;
  options.shard = shard;
  options.refuse_other_bytes = false;
  Reading reading;
  auto reader = RecordReader::open(options);
  reading.failed = !reader;
  Chunk chunk;
  while (!reading.failed) {
    const auto more = reader->next(chunk);
    reading.failed = !more;
    if (!more || !*more) break;
    if (chunk.header) reading.header = *chunk.header;
    reading.bytes += chunk.data.view();
    if (shard.count == 1) take_records(chunk, format, reading);
  }
  return reading;
}

void check_fields(std::string_view record, Format format) {
  const char delimiter = format == Format::csv ? ',' : '\t';
  const bool quotes = format == Format::csv;
  const std::string_view body = without_line_end(record);
  std::vector<std::string_view> fields;
  split_record(body, delimiter, quotes, fields);
  std::string joined;
  OutputBuffer text;
  for (const std::string_view field : fields) {
    if (!joined.empty() || field.data() != body.data()) joined += delimiter;
    joined += field;
    unquote(field, quotes, text);
    require(text.size() <= field.size(), "a field's text is not longer than the field");
  }
  require(joined == body, "the fields put together are the record");
}

}  // namespace

SOTTO_FUZZ_TARGET(records) {
  const unsigned choice = fuzz::take_byte(input);
  if (compression_by_content(input) != Compression::none) return;  // of another target
  const auto format = static_cast<Format>(choice % 4);
  const std::filesystem::path file = fuzz::write_scratch("records", input);
  const Reading whole = read(file, format, 1 << 20, {});
  const Reading pieces = read(file, format, 1 + choice / 4 % 16, {});
  require(whole.failed == pieces.failed, "whether records can be read does not depend on chunks");
  if (whole.failed) return;
  require(whole.header == pieces.header && whole.records == pieces.records,
          "records do not depend on chunks");
  const std::string_view mark = input.starts_with("\xEF\xBB\xBF") ? input.substr(0, 3) : "";
  require(std::string(mark) + whole.header + whole.bytes == input, "the chunks put together are the input");
  if (format == Format::csv || format == Format::tsv)
    for (const std::string& record : whole.records) check_fields(record, format);
  std::string shards;
  for (std::uint32_t i = 1; i <= 3; ++i) {
    const Reading shard = read(file, format, 1 + choice / 4 % 16, {i, 3});
    require(!shard.failed, "what can be read can be read in shards");
    shards += shard.bytes;
  }
  require(shards == whole.bytes, "the shards put together are the whole");
}

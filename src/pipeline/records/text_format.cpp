// One document per line.
#include <fmt/format.h>

#include "base/message.hpp"
#include "pipeline/records/formats.hpp"
#include "pipeline/records/record_syntax.hpp"

namespace sotto::pipeline {

tl::unexpected<Error> record_error(const ChunkJob& job, const RecordPlace& place, Error error) {
  std::string where = fmt::format("{}: record {}", job.input_name, place.record + 1);
  const Format format = job.chunk.head->syntax.format;
  if (format != Format::text && format != Format::jsonl) {
    const std::uint64_t before = text::count_line_ends(job.chunk.data.view().substr(0, place.offset));
    where += fmt::format(" (line {})", job.chunk.begin.line + before + 1);
  }
  return base::fail_at(where, std::move(error));
}

tl::unexpected<Error> record_error(const ChunkJob& job, const RecordPlace& place, Errc code,
                                   Message message) {
  return record_error(job, place, fail(code, std::move(message)).value());
}

Result<void> rewrite_text(const ChunkJob& job) {
  RecordCursor cursor(job.chunk.data.view(), Format::text, true);
  std::uint64_t record = job.chunk.begin.record;
  for (std::string_view line; cursor.next(line); ++record) {
    const std::string_view text = without_line_end(line);
    if (auto done = job.rewriter.rewrite(job.streams, {{}, record}, "", text, Rewriter::Lifetime::chunk);
        !done)
      return record_error(job, {record, 0}, std::move(done.error()));
    job.rewriter.copy(line.substr(text.size()));
  }
  job.records += record - job.chunk.begin.record;
  return {};
}

Result<void> rewrite_chunk(const ChunkJob& job) {
  switch (job.chunk.head->syntax.format) {
    case Format::text:
      return rewrite_text(job);
    case Format::jsonl:
    case Format::json:
      return rewrite_json(job);
    case Format::csv:
    case Format::tsv:
      return rewrite_delimited(job);
  }
  return {};
}

}  // namespace sotto::pipeline

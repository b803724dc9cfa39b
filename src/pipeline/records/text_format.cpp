// One document per line.
#include <fmt/format.h>

#include "base/message.hpp"
#include "pipeline/records/formats.hpp"
#include "pipeline/records/record_syntax.hpp"

namespace sotto::pipeline {

tl::unexpected<Error> record_error(const ChunkJob& job, std::uint64_t record, Error error) {
  return base::fail_at(fmt::format("{}: record {}", job.input_name, record + 1), std::move(error));
}

tl::unexpected<Error> record_error(const ChunkJob& job, std::uint64_t record, Errc code, Message message) {
  return record_error(job, record, fail(code, std::move(message)).value());
}

Result<void> rewrite_text(const ChunkJob& job) {
  RecordCursor cursor(job.chunk.data.view(), Format::text, true);
  std::uint64_t record = job.chunk.begin.record;
  for (std::string_view line; cursor.next(line); ++record) {
    const std::string_view text = without_line_end(line);
    if (auto done = job.rewriter.rewrite(job.streams, {{}, record}, "", text, Rewriter::Lifetime::chunk);
        !done)
      return record_error(job, record, std::move(done.error()));
    job.rewriter.copy(line.substr(text.size()));
  }
  job.records += record - job.chunk.begin.record;
  return {};
}

Result<void> rewrite_chunk(const ChunkJob& job) {
  switch (job.layout.format) {
    case Format::text:
      return rewrite_text(job);
    case Format::jsonl:
      return rewrite_jsonl(job);
    case Format::csv:
    case Format::tsv:
      return rewrite_delimited(job);
  }
  return {};
}

}  // namespace sotto::pipeline

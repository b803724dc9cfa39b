// One document a line.
#include <fmt/format.h>

#include "pipeline/formats.hpp"
#include "pipeline/record_syntax.hpp"

namespace sotto {

tl::unexpected<Error> record_error(const ChunkJob& job, std::uint64_t record, Errc code,
                                   std::string_view message) {
  return fail(code, fmt::format("{}: record {}: {}", job.input_name, record + 1, message));
}

Result<void> rewrite_text(const ChunkJob& job) {
  std::string_view rest = job.chunk.data.view();
  for (std::uint64_t record = job.chunk.begin.record; !rest.empty(); ++record) {
    const std::size_t line_end = rest.find('\n');
    const std::string_view line = rest.substr(0, line_end);
    if (auto done = job.rewriter.rewrite(job.streams, {{}, record}, "", line, Rewriter::Lifetime::chunk);
        !done)
      return record_error(job, record, done.error().code, done.error().message);
    if (line_end == std::string_view::npos) break;
    job.rewriter.copy("\n");
    rest.remove_prefix(line_end + 1);
  }
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

}  // namespace sotto

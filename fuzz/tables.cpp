// Readers of public data: tables for experiments, and corpora for counting.
#include "collocation/corpus_reader.hpp"
#include "evaluate/experiment/table_reader.hpp"
#include "fuzz.hpp"

namespace {

using namespace sotto;
using fuzz::require;

struct Documents {
  bool failed = false;
  std::vector<std::string> texts;
};

Documents read_corpus(const std::filesystem::path& file, CorpusFormat format, std::size_t block_bytes) {
  Documents documents;
  auto reader = collocation::CorpusReader::open({{file}, format, "utf-8", block_bytes});
  documents.failed = !reader;
  collocation::DocumentExtractor extractor("text");
  collocation::CorpusBlock block;
  while (!documents.failed) {
    const auto more = reader->next(block);
    documents.failed = !more;
    if (!more || !*more) break;
    documents.failed = !extractor.for_each(
        block, "corpus", [&](std::string_view text) { documents.texts.emplace_back(text); });
  }
  return documents;
}

}  // namespace

SOTTO_FUZZ_TARGET(table) {
  const unsigned choice = fuzz::take_byte(input);
  const auto format = static_cast<Format>(choice % 4);
  if (format == Format::text) return;
  const bool header = choice / 4 % 2 == 0 || format == Format::jsonl;
  const std::vector<std::string> names = {"a", "b"};
  const auto table = evaluate::read_table(fuzz::write_scratch("table", input), format, header,
                                          header ? std::vector<std::string>() : names);
  if (!table) return;
  for (const auto& row : table->rows)
    require(row.size() == table->names.size(), "every row has every column");
}

SOTTO_FUZZ_TARGET(corpus) {
  const unsigned choice = fuzz::take_byte(input);
  const auto format = choice % 2 == 0 ? CorpusFormat::text : CorpusFormat::jsonl;
  const std::filesystem::path file = fuzz::write_scratch("corpus", input);
  const Documents whole = read_corpus(file, format, 1 << 20);
  const Documents pieces = read_corpus(file, format, 1 + choice / 2 % 32);
  require(whole.failed == pieces.failed, "whether a corpus can be read does not depend on blocks");
  require(whole.failed || whole.texts == pieces.texts, "documents do not depend on blocks");
}

// Counting: threads turn the corpus into chunks that fit into memory. A corpus of one chunk is counted in
// memory; the chunks of a larger one are spilled and merged. Both give the same n-grams in the same order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include <sotto/collocations.hpp>
#include <sotto/tokenizer.hpp>

#include "base/checked_value.hpp"
#include "base/file.hpp"
#include "base/parallel.hpp"
#include "collocation/chunk.hpp"
#include "collocation/corpus_reader.hpp"
#include "collocation/phrase_collector.hpp"
#include "collocation/run_merger.hpp"
#include "collocation/spilled_run.hpp"

namespace sotto {
using namespace collocation;
namespace {

constexpr std::uint64_t kSmallestMemory = 1 << 20;
// The intended use of a chunk's memory; the rest is for words and their numbers.
constexpr std::uint64_t kKeyShare = 6;     // at least one part in this many is for keys
constexpr std::uint64_t kBlockShare = 64;  // one part in this many of a thread's memory is for a text block
// Counting takes about a third as long as reading.
constexpr std::uint64_t kCountingShare = 3;
// A chunk's counts are 32-bit numbers of positions.
constexpr std::uint64_t kLargestChunk = std::numeric_limits<std::uint32_t>::max();

Result<void> check_options(const CountOptions& options) {
  if (options.memory < kSmallestMemory)
    return fail_parameter("memory", fmt::to_string(options.memory),
                          fmt::format("{} bytes are not enough; give at least 1M", options.memory));
  if (options.min_count == 0) return base::not_allowed("min_count", "0", "a number above 0");
  if (!(std::abs(options.min_pmi) <= 1000))
    return base::not_allowed("min_pmi", options.min_pmi, "a number from -1000 to 1000");
  SOTTO_TRY(base::check_uncompressed("output", options.output, "a phrase table"));
  for (const auto& input : options.inputs) {
    SOTTO_TRY(base::check_output(options.output, input));
    if (options.counts && base::same_file(*options.counts, input))
      return fail_parameter(
          "counts", options.counts->string(),
          fmt::format("'{}' is also an input; give another file", options.counts->string()));
  }
  if (options.counts && base::same_file(*options.counts, options.output))
    return fail_parameter(
        "counts", options.counts->string(),
        fmt::format("'{}' is also the phrase table; give another file", options.counts->string()));
  return {};
}

std::filesystem::path temporary_folder(const std::filesystem::path& output) {
  std::error_code ignored;
  if (std::filesystem::is_other(output, ignored)) return std::filesystem::temp_directory_path(ignored);
  return output.has_parent_path() ? output.parent_path() : ".";
}

class Counter {
 public:
  Counter(const CountOptions& options, CorpusReader reader)
      : options_(options),
        reader_(std::move(reader)),
        threads_(base::thread_count(options.threads)),
        folder_(temporary_folder(options.output)) {
    reader_.while_waiting([this] { return report_progress(reader_.bytes_read()); });
  }

  static std::size_t block_bytes(const CountOptions& options) {
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(
        options.memory / (kBlockShare * base::thread_count(options.threads)), 16 << 10, 1 << 20));
  }

  Result<CountReport> run() {
    // A missing folder is detected before hours of work, not after.
    SOTTO_TRY(base::AtomicFile::create(options_.output));
    std::optional<base::AtomicFile> counts;
    if (options_.counts) {
      SOTTO_ASSIGN(base::AtomicFile created, base::AtomicFile::create(*options_.counts));
      counts.emplace(std::move(created));
    }
    while (!at_end_) {
      SOTTO_ASSIGN(NgramChunk chunk, collect());
      text_ += chunk.text_counts();
      if (at_end_ && runs_.empty() && !counts) return count_in_memory(chunk);
      SOTTO_TRY(spill_chunk(chunk));
    }
    return merge(counts ? &*counts : nullptr);
  }

 private:
  /// The memory a chunk may use.
  std::uint64_t limit() const {
    // A tenth is reserved for allocation overhead, and each thread holds a block of text and its tokens.
    const std::uint64_t blocks = std::uint64_t{4} * threads_ * block_bytes(options_);
    return options_.memory - options_.memory / 10 - std::min(blocks, options_.memory / 4);
  }

  Result<NgramChunk> collect();
  void collect_words(WordCollector& collector, std::size_t index);
  bool take_block(CorpusBlock& block);
  void note_usage(WordCollector& collector, std::size_t index);
  void note_error(Error error);
  bool report_progress(std::uint64_t done);
  Result<void> report_counting(std::uint64_t done, std::uint64_t total);

  std::uint64_t key_bytes(const NgramChunk& chunk) const;
  Result<void> spill_chunk(NgramChunk& chunk);
  Result<CountReport> count_in_memory(NgramChunk& chunk);
  Result<CountReport> merge(base::AtomicFile* counts);
  Result<void> merge_ranges(const RunMerger& merger, const PhraseFilter& filter, PhraseCollector& all);
  Result<CountReport> write_table(PhraseCollector& phrases, const RankedWords& words);

  const CountOptions& options_;
  CorpusReader reader_;
  unsigned threads_;
  std::filesystem::path folder_;
  TextCounts text_;
  bool at_end_ = false;

  // While a chunk is being collected.
  struct Usage {
    std::uint64_t bytes = 0;
    std::uint64_t entries = 0;
    std::uint64_t largest_count = 0;
  };
  std::mutex mutex_;
  bool full_ = false;
  std::optional<Error> error_;
  std::vector<Usage> usage_;

  std::optional<TemporaryFile> spill_file_;
  std::vector<SpilledRun> runs_;
};

bool Counter::report_progress(std::uint64_t done) {
  const std::uint64_t bytes = reader_.total_bytes();
  return !options_.progress || options_.progress(done, bytes == 0 ? 0 : bytes + bytes / kCountingShare);
}

Result<void> Counter::report_counting(std::uint64_t done, std::uint64_t total) {
  const double share = static_cast<double>(done) / static_cast<double>(std::max<std::uint64_t>(total, 1));
  const std::uint64_t all = reader_.total_bytes() / kCountingShare;
  const double extra = static_cast<double>(all) * share;
  if (report_progress(reader_.bytes_read() + static_cast<std::uint64_t>(extra))) return {};
  return fail(Errc::interrupted, "interrupted");
}

void Counter::note_error(Error error) {
  if (!error_) error_ = std::move(error);
}

bool Counter::take_block(CorpusBlock& block) {
  const std::lock_guard lock(mutex_);
  if (full_ || at_end_ || error_) return false;
  if (!report_progress(reader_.bytes_read())) {
    note_error(fail(Errc::interrupted, "interrupted").value());
    return false;
  }
  auto more = reader_.next(block);
  if (!more) note_error(std::move(more.error()));
  at_end_ = more && !*more;
  return more && *more;
}

void Counter::note_usage(WordCollector& collector, std::size_t index) {
  const std::lock_guard lock(mutex_);
  usage_[index] = {collector.bytes(), collector.stream().size(), collector.dictionary().largest_count()};
  Usage all;
  for (const Usage& usage : usage_) {
    all.bytes += usage.bytes;
    all.entries += usage.entries;
    all.largest_count += usage.largest_count;
  }
  // The keys of the most frequent word are sorted as one piece.
  const std::uint64_t keys = std::max(8 * all.largest_count, limit() / kKeyShare);
  const std::uint64_t room = static_cast<std::uint64_t>(threads_) * block_bytes(options_);
  full_ = full_ || all.bytes + keys >= limit() || all.entries + room >= kLargestChunk;
}

void Counter::collect_words(WordCollector& collector, std::size_t index) {
  DocumentExtractor documents(options_.field);
  CorpusBlock block;
  while (take_block(block)) {
    auto result = documents.for_each(block, reader_.input_name(block.input),
                                     [&](std::string_view document) { collector.add(document); });
    note_usage(collector, index);
    if (result) continue;
    const std::lock_guard lock(mutex_);
    note_error(std::move(result.error()));
  }
}

Result<NgramChunk> Counter::collect() {
  std::vector<WordCollector> collectors(threads_);
  full_ = false;
  usage_.assign(threads_, {});
  base::parallel_for(threads_, 1, threads_,
                     [&](std::size_t i, std::size_t) { collect_words(collectors[i], i); });
  if (error_) return tl::unexpected(*error_);
  return NgramChunk(std::move(collectors), threads_);
}

std::uint64_t Counter::key_bytes(const NgramChunk& chunk) const {
  // What is encoded or kept of a portion shares memory with its keys.
  const std::uint64_t used = chunk.bytes();
  const std::uint64_t left = limit() > used ? limit() - used : 0;
  return std::max(left / 5 * 3, limit() / (2 * kKeyShare));
}

Result<void> Counter::spill_chunk(NgramChunk& chunk) {
  if (!spill_file_) {
    SOTTO_ASSIGN(TemporaryFile created, TemporaryFile::create(folder_));
    spill_file_.emplace(std::move(created));
  }
  SOTTO_ASSIGN(SpilledRun run, spill(chunk, key_bytes(chunk), *spill_file_));
  runs_.push_back(std::move(run));
  return {};
}

/// Collects phrases from the pieces of a single chunk.
class DirectHandler final : public PieceHandler {
 public:
  DirectHandler(const PhraseFilter& filter, PhraseCollector& all,
                std::function<Result<void>(std::uint32_t)> done)
      : filter_(filter), all_(all), done_(std::move(done)) {}

  std::unique_ptr<NgramSink> begin_piece(std::uint32_t first_word) override {
    begins_.push_back(first_word);
    return std::make_unique<PhraseCollector>(filter_);
  }
  Result<void> end_piece(std::unique_ptr<NgramSink> sink) override {
    all_.append(std::move(static_cast<PhraseCollector&>(*sink)));
    return done_(begins_[ended_++]);
  }

 private:
  const PhraseFilter& filter_;
  PhraseCollector& all_;
  std::function<Result<void>(std::uint32_t)> done_;
  std::vector<std::uint32_t> begins_;
  std::size_t ended_ = 0;
};

Result<CountReport> Counter::count_in_memory(NgramChunk& chunk) {
  const RankedWords words = chunk.words();
  const PhraseFilter filter(words, text_.words, options_);
  PhraseCollector phrases(filter);
  DirectHandler handler(filter, phrases,
                        [&](std::uint32_t word) { return report_counting(word, words.size()); });
  SOTTO_TRY(chunk.count(key_bytes(chunk), handler));
  return write_table(phrases, words);
}

/// Splits the first words into ranges with about equally many occurrences in the corpus.
std::vector<std::uint32_t> split_words(const RankedWords& words, std::uint64_t total, std::uint64_t ranges) {
  std::vector<std::uint32_t> begins = {0};
  std::uint64_t covered = 0;
  for (std::uint32_t rank = 0; rank < words.size(); ++rank) {
    if (covered > total / ranges) {
      begins.push_back(rank);
      covered = 0;
    }
    covered += words.counts[rank];
  }
  begins.push_back(words.size());
  return begins;
}

Result<void> Counter::merge_ranges(const RunMerger& merger, const PhraseFilter& filter,
                                   PhraseCollector& all) {
  constexpr std::uint64_t kRangesPerThread = 8;
  const auto begins = split_words(merger.words(), text_.words, kRangesPerThread * threads_);
  std::vector<PhraseCollector> parts(begins.size() - 1, PhraseCollector(filter));
  std::uint64_t done = 0;
  base::parallel_for(parts.size(), 1, threads_, [&](std::size_t i, std::size_t) {
    {
      const std::lock_guard lock(mutex_);
      if (error_) return;
    }
    auto result = merger.merge(begins[i], begins[i + 1], parts[i]);
    const std::lock_guard lock(mutex_);
    if (result) result = report_counting(++done, parts.size());
    if (!result) note_error(std::move(result.error()));
  });
  if (error_) return tl::unexpected(*error_);
  for (PhraseCollector& part : parts) all.append(std::move(part));
  return {};
}

Result<CountReport> Counter::merge(base::AtomicFile* counts) {
  const unsigned threads = counts == nullptr ? threads_ : 1;
  SOTTO_ASSIGN(const RunMerger merger,
               RunMerger::create(folder_, *spill_file_, runs_, options_.memory / 2, threads));
  const RankedWords words = merger.words();
  const PhraseFilter filter(words, text_.words, options_);
  PhraseCollector phrases(filter);
  if (counts == nullptr) {
    SOTTO_TRY(merge_ranges(merger, filter, phrases));
  } else {
    CountsWriter lines(words, *counts, phrases);
    // In small steps, so that an interruption is noticed soon.
    const auto begins = split_words(words, text_.words, 256);
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
      SOTTO_TRY(merger.merge(begins[i], begins[i + 1], lines));
      SOTTO_TRY(report_counting(i, begins.size()));
    }
    SOTTO_TRY(lines.finish());
  }
  SOTTO_ASSIGN(CountReport report, write_table(phrases, words));
  report.spilled = spill_file_->size();
  if (counts != nullptr) SOTTO_TRY(counts->commit());
  return report;
}

const char* to_string(ConnectorRule rule) {
  constexpr const char* kNames[] = {"none", "inside", "any"};
  return kNames[static_cast<std::size_t>(rule)];
}

/// The metadata holds neither memory, threads nor time: the table does not depend on them.
Result<CountReport> Counter::write_table(PhraseCollector& phrases, const RankedWords& words) {
  CountReport report;
  report.file = options_.output;
  report.documents = text_.documents;
  report.sentences = text_.sentences;
  report.words = text_.words;
  report.distinct_words = words.size();
  phrases.report(report);
  auto metadata = options_.metadata;
  const auto add = [&](const char* key, std::string value) { metadata.emplace_back(key, std::move(value)); };
  add("connectors", to_string(options_.connectors));
  add("distinct_words", fmt::format("{}", report.distinct_words));
  add("documents", fmt::format("{}", report.documents));
  add("min_count", fmt::format("{}", options_.min_count));
  add("min_pmi", fmt::format("{}", options_.min_pmi));
  add("sentences", fmt::format("{}", report.sentences));
  add("tokenizer", fmt::format("{}", kTokenizerVersion));
  add("words", fmt::format("{}", report.words));
  SOTTO_ASSIGN(PhraseParts parts, phrases.finish(words));
  SOTTO_ASSIGN(report.sha256, write_phrase_file(options_.output, std::move(parts), metadata));
  return report;
}

}  // namespace

Result<CountReport> count_collocations(const CountOptions& options) {
  SOTTO_TRY(check_options(options));
  SOTTO_ASSIGN(CorpusReader reader, CorpusReader::open({options.inputs, options.format, options.encoding,
                                                        Counter::block_bytes(options)}));
  return Counter(options, std::move(reader)).run();
}

}  // namespace sotto

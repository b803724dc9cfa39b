#include "collocation/run_merger.hpp"

#include <algorithm>
#include <queue>

namespace sotto::collocation {
namespace {

constexpr std::size_t kSmallestBuffer = 4 << 10;
constexpr std::size_t kLargestBuffer = 256 << 10;

// The run with the smallest key first; for equal keys the lower run, so that the order is deterministic.
struct Head {
  std::uint64_t key;
  std::size_t run;
  bool operator<(const Head& other) const { return key != other.key ? key > other.key : run > other.run; }
};
using Heads = std::priority_queue<Head>;

// All words of all runs in order; `use` gets each run that has a word, with the word's count there.
template <class Use>
Result<void> for_each_word(std::vector<SpilledWords>& readers, const Use& use) {
  const auto later = [&](std::size_t a, std::size_t b) {
    const int order = readers[a].word().compare(readers[b].word());
    return order != 0 ? order > 0 : a > b;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> heads(later);
  for (std::size_t run = 0; run < readers.size(); ++run)
    if (readers[run].next()) heads.push(run);
  std::string word;
  for (bool first = true; !heads.empty(); first = false) {
    const std::size_t run = heads.top();
    heads.pop();
    const bool is_new = first || readers[run].word() != word;
    if (is_new) word = readers[run].word();
    use(run, readers[run], is_new);
    if (readers[run].next()) heads.push(run);
  }
  for (const SpilledWords& reader : readers)
    if (reader.error()) return tl::unexpected(*reader.error());
  return {};
}

std::vector<SpilledWords> word_readers(const TemporaryFile& file, const std::vector<SpilledRun>& runs,
                                       std::size_t buffer_size) {
  std::vector<SpilledWords> readers;
  readers.reserve(runs.size());
  for (const SpilledRun& run : runs) readers.emplace_back(file, run, buffer_size);
  return readers;
}

// Merges the triples of one pair from several runs.
void merge_triples(std::vector<SpilledNgrams>& readers, const std::vector<std::size_t>& runs,
                   const std::vector<std::span<std::uint32_t>>& maps, NgramSink& sink) {
  if (runs.size() == 1) {
    SpilledNgrams& reader = readers[runs[0]];
    while (reader.next_triple()) sink.triple(maps[runs[0]][reader.third()], reader.triple_count());
    return;
  }
  Heads heads;
  const auto advance = [&](std::size_t run) {
    if (readers[run].next_triple()) heads.push({maps[run][readers[run].third()], run});
  };
  for (const std::size_t run : runs) advance(run);
  while (!heads.empty()) {
    const std::uint64_t third = heads.top().key;
    std::uint64_t count = 0;
    while (!heads.empty() && heads.top().key == third) {
      const std::size_t run = heads.top().run;
      heads.pop();
      count += readers[run].triple_count();
      advance(run);
    }
    sink.triple(static_cast<std::uint32_t>(third), count);
  }
}

}  // namespace

Result<RunMerger> RunMerger::create(const std::filesystem::path& folder, const TemporaryFile& file,
                                    const std::vector<SpilledRun>& runs, std::uint64_t buffer_bytes,
                                    unsigned threads) {
  RunMerger merger;
  merger.file_ = &file;
  merger.runs_ = &runs;
  merger.buffer_size_ = static_cast<std::size_t>(std::clamp<std::uint64_t>(
      buffer_bytes / (std::max<std::uint64_t>(1, runs.size()) * threads), kSmallestBuffer, kLargestBuffer));
  SOTTO_TRY(merger.make_room(folder));
  SOTTO_TRY(merger.merge_words());
  return merger;
}

/// Allocates the arrays at their final size.
Result<void> RunMerger::make_room(const std::filesystem::path& folder) {
  std::uint64_t words = 0;
  std::uint64_t bytes = 0;
  auto readers = word_readers(*file_, *runs_, buffer_size_);
  SOTTO_TRY(for_each_word(readers, [&](std::size_t, const SpilledWords& reader, bool is_new) {
    words += is_new ? 1 : 0;
    bytes += is_new ? reader.word().size() : 0;
  }));
  if (words >= ~std::uint32_t{0}) return fail(Errc::limit, "more than 4294967294 distinct words");
  SOTTO_ASSIGN(pool_, TemporaryArray<char>::create(folder, bytes));
  SOTTO_ASSIGN(offsets_, TemporaryArray<std::uint64_t>::create(folder, words + 1));
  SOTTO_ASSIGN(counts_, TemporaryArray<std::uint64_t>::create(folder, words));
  std::uint64_t entries = 0;
  for (const SpilledRun& run : *runs_) entries += run.words;
  SOTTO_ASSIGN(all_maps_, TemporaryArray<std::uint32_t>::create(folder, entries));
  std::span<std::uint32_t> rest = all_maps_.elements();
  for (const SpilledRun& run : *runs_) {
    maps_.push_back(rest.first(run.words));
    rest = rest.subspan(run.words);
  }
  return {};
}

Result<void> RunMerger::merge_words() {
  const auto pool = pool_.elements();
  const auto offsets = offsets_.elements();
  const auto counts = counts_.elements();
  std::uint64_t words = 0;
  std::uint64_t bytes = 0;
  std::vector<std::uint32_t> next(runs_->size(), 0);
  offsets[0] = 0;
  auto readers = word_readers(*file_, *runs_, buffer_size_);
  return for_each_word(readers, [&](std::size_t run, const SpilledWords& reader, bool is_new) {
    if (is_new) {
      std::copy(reader.word().begin(), reader.word().end(),
                pool.begin() + static_cast<std::ptrdiff_t>(bytes));
      bytes += reader.word().size();
      offsets[++words] = bytes;
      counts[words - 1] = 0;
    }
    counts[words - 1] += reader.count();
    maps_[run][next[run]++] = static_cast<std::uint32_t>(words - 1);
  });
}

Result<void> RunMerger::merge(std::uint32_t begin, std::uint32_t end, NgramSink& sink) const {
  std::vector<SpilledNgrams> readers;
  readers.reserve(runs_->size());
  Heads heads;
  const auto advance = [&](std::size_t run) {
    if (readers[run].next_pair())
      heads.push(
          {std::uint64_t{maps_[run][readers[run].first()]} << 32 | maps_[run][readers[run].second()], run});
  };
  for (std::size_t run = 0; run < runs_->size(); ++run) {
    const auto local = [&](std::uint32_t rank) {
      return static_cast<std::uint32_t>(std::lower_bound(maps_[run].begin(), maps_[run].end(), rank) -
                                        maps_[run].begin());
    };
    readers.emplace_back(*file_, (*runs_)[run], buffer_size_, local(begin), local(end));
    advance(run);
  }
  std::vector<std::size_t> same;
  while (!heads.empty()) {
    const std::uint64_t key = heads.top().key;
    std::uint64_t count = 0;
    same.clear();
    for (; !heads.empty() && heads.top().key == key; heads.pop()) {
      same.push_back(heads.top().run);
      count += readers[same.back()].pair_count();
    }
    sink.pair(static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), count);
    merge_triples(readers, same, maps_, sink);
    for (const std::size_t run : same) advance(run);
  }
  for (const SpilledNgrams& reader : readers)
    if (reader.error()) return tl::unexpected(*reader.error());
  return {};
}

}  // namespace sotto::collocation

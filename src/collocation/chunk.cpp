#include "collocation/chunk.hpp"

#include <algorithm>
#include <cstring>

#include <hwy/contrib/sort/vqsort.h>

#include "base/parallel.hpp"

namespace sotto::collocation {
namespace {

constexpr std::uint32_t kWordMask = ~WordStream::kStart;

// The first eight bytes as a number in the same order, which decides most word comparisons.
struct SortedWord {
  std::uint64_t prefix;
  std::uint32_t id;
};

std::vector<SortedWord> sorted_words(const WordDictionary& dictionary) {
  std::vector<SortedWord> words;
  words.reserve(dictionary.size());
  for (std::uint32_t id = 0; id < dictionary.size(); ++id) {
    const std::string_view word = dictionary.word(id);
    std::uint64_t prefix = 0;
    std::memcpy(&prefix, word.data(), std::min<std::size_t>(word.size(), sizeof prefix));
    words.push_back({__builtin_bswap64(prefix), id});
  }
  std::sort(words.begin(), words.end(), [&](const SortedWord& a, const SortedWord& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    return dictionary.word(a.id) < dictionary.word(b.id);
  });
  return words;
}

void sort_keys(std::uint64_t* begin, std::uint64_t* end, const hwy::Sorter& sorter) {
  constexpr std::ptrdiff_t kWorthVectors = 64;
  if (end - begin < kWorthVectors)
    std::sort(begin, end);
  else
    sorter(begin, static_cast<std::size_t>(end - begin), hwy::SortAscending());
}

// A key is (second + 1, third + 1), with 0 for a missing third.
void pass_on(std::uint32_t first, const std::uint64_t* begin, const std::uint64_t* end, NgramSink& sink) {
  while (begin != end) {
    const std::uint64_t second = *begin >> 32;
    const std::uint64_t* pair_end = begin + 1;
    while (pair_end != end && *pair_end >> 32 == second) ++pair_end;
    sink.pair(first, static_cast<std::uint32_t>(second - 1), static_cast<std::uint64_t>(pair_end - begin));
    while (begin != pair_end) {
      const std::uint64_t* run_end = begin + 1;
      while (run_end != pair_end && *run_end == *begin) ++run_end;
      if (const auto third = static_cast<std::uint32_t>(*begin); third != 0)
        sink.triple(third - 1, static_cast<std::uint64_t>(run_end - begin));
      begin = run_end;
    }
  }
}

}  // namespace

NgramChunk::NgramChunk(std::vector<WordCollector> collectors, unsigned threads) : threads_(threads) {
  rank_words(collectors);
  for (WordCollector& collector : collectors) {
    text_counts_ += collector.counts();
    streams_.push_back(std::move(collector.stream()));
  }
}

void NgramChunk::rank_words(std::vector<WordCollector>& collectors) {
  const std::size_t count = collectors.size();
  std::vector<std::vector<SortedWord>> sorted(count);
  base::parallel_for(count, 1, threads_, [&](std::size_t i, std::size_t) {
    sorted[i] = sorted_words(collectors[i].dictionary());
  });
  local_.resize(count);
  offsets_.push_back(0);
  std::vector<std::size_t> next(count, 0);
  const auto word = [&](std::size_t i) { return collectors[i].dictionary().word(sorted[i][next[i]].id); };
  for (;;) {
    std::size_t least = count;
    for (std::size_t i = 0; i < count; ++i)
      if (next[i] < sorted[i].size() && (least == count || word(i) < word(least))) least = i;
    if (least == count) break;
    const auto rank = static_cast<std::uint32_t>(counts_.size());
    const std::string_view spelling = word(least);
    pool_ += spelling;
    offsets_.push_back(pool_.size());
    counts_.push_back(0);
    for (std::size_t i = 0; i < count; ++i) {
      if (next[i] == sorted[i].size() || word(i) != spelling) continue;
      const std::uint32_t times = collectors[i].dictionary().count(sorted[i][next[i]].id);
      counts_.back() += times;
      local_[i].words.push_back({rank, times});
      ++next[i];
    }
  }
  base::parallel_for(count, 1, threads_, [&](std::size_t i, std::size_t) {
    std::vector<std::uint32_t> ranks(sorted[i].size());
    for (std::size_t k = 0; k < sorted[i].size(); ++k) ranks[sorted[i][k].id] = local_[i].words[k].rank;
    collectors[i].stream().for_each_block([&](std::uint32_t* entries, std::size_t size) {
      for (std::size_t k = 0; k < size; ++k)
        entries[k] = ranks[entries[k] & kWordMask] | (entries[k] & WordStream::kStart);
    });
  });
}

std::uint64_t NgramChunk::bytes() const {
  std::uint64_t bytes = pool_.capacity() + 8 * (offsets_.capacity() + counts_.capacity());
  for (std::size_t i = 0; i < streams_.size(); ++i)
    bytes += streams_[i].bytes() + local_[i].words.capacity() * sizeof(LocalWord);
  return bytes;
}

/// Takes as many first words as fit, and determines where the keys of each stream go.
void NgramChunk::plan(Portion& portion, std::uint64_t key_bytes) {
  const std::uint64_t word_bytes = 8 * (2 * streams_.size() + 2);
  portion.begin = portion.end;
  portion.bucket_starts.assign(1, 0);
  std::uint64_t keys = 0;
  for (std::uint64_t used = 0; portion.end < counts_.size(); ++portion.end) {
    used += 8 * counts_[portion.end] + word_bytes;
    if (used > key_bytes && portion.end > portion.begin) break;
    keys += counts_[portion.end];
    portion.bucket_starts.push_back(keys);
  }
  if (keys > key_capacity_) {
    keys_.reset();
    keys_ = std::make_unique_for_overwrite<std::uint64_t[]>(keys);
    key_capacity_ = keys;
  }
  std::vector<std::uint64_t> next(portion.bucket_starts.begin(), portion.bucket_starts.end() - 1);
  portion.parts.resize(streams_.size());
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    portion.parts[i] = {next, next};
    LocalWords& local = local_[i];
    for (; local.next < local.words.size() && local.words[local.next].rank < portion.end; ++local.next)
      next[local.words[local.next].rank - portion.begin] += local.words[local.next].count;
  }
}

/// Stores the keys of a stream's positions; `cursors` advance from the begins of its parts to their ends.
void NgramChunk::distribute(const Portion& portion, WordStream& stream, std::vector<std::uint64_t>& cursors) {
  const std::uint32_t begin = portion.begin;
  const std::uint32_t words = portion.end - portion.begin;
  std::uint64_t* const keys = keys_.get();
  const auto put = [&](std::uint32_t first, std::uint32_t second, std::uint32_t third) {
    const std::uint32_t bucket = (first & kWordMask) - begin;
    if (bucket >= words || (second & WordStream::kStart) != 0) return;
    const std::uint32_t last = (third & WordStream::kStart) != 0 ? 0 : third + 1;
    keys[cursors[bucket]++] = (std::uint64_t{second} + 1) << 32 | last;
  };
  std::uint32_t first = WordStream::kStart;
  std::uint32_t second = WordStream::kStart;
  std::uint64_t seen = 0;
  stream.for_each_block([&](const std::uint32_t* entries, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t third = entries[i];
      if (seen++ >= 2) put(first, second, third);
      first = second;
      second = third;
    }
  });
  if (seen >= 2) put(first, second, WordStream::kStart);
}

/// The begins of a portion's pieces, with about equally many keys each.
std::vector<std::uint32_t> NgramChunk::cut(const Portion& portion) const {
  constexpr std::uint64_t kSmallestPiece = 1 << 14;
  const std::uint64_t all = portion.bucket_starts.back();
  const std::uint64_t size = std::max(all / (std::uint64_t{8} * threads_), kSmallestPiece);
  std::vector<std::uint32_t> begins;
  std::uint64_t covered = 0;
  for (std::uint32_t word = portion.begin; word < portion.end; ++word) {
    const std::uint64_t start = portion.bucket_starts[word - portion.begin];
    if (!begins.empty() && start - covered < size) continue;
    begins.push_back(word);
    covered = start;
  }
  begins.push_back(portion.end);
  return begins;
}

void NgramChunk::count_piece(const Portion& portion, std::uint32_t begin, std::uint32_t end,
                             NgramSink& sink) {
  const hwy::Sorter sorter;
  std::uint64_t* const keys = keys_.get();
  for (std::uint32_t word = begin; word < end; ++word) {
    const std::uint32_t bucket = word - portion.begin;
    // The parts of the streams are adjacent, with gaps for positions without a second word.
    std::uint64_t* const start = keys + portion.bucket_starts[bucket];
    std::uint64_t* last = start;
    for (const Parts& parts : portion.parts)
      last = std::copy(keys + parts.begins[bucket], keys + parts.ends[bucket], last);
    sort_keys(start, last, sorter);
    pass_on(word, start, last, sink);
  }
}

Result<void> NgramChunk::count(std::uint64_t key_bytes, PieceHandler& handler) {
  Portion portion;
  while (portion.end < counts_.size()) {
    plan(portion, key_bytes);
    base::parallel_for(streams_.size(), 1, threads_, [&](std::size_t i, std::size_t) {
      distribute(portion, streams_[i], portion.parts[i].ends);
    });
    const std::vector<std::uint32_t> begins = cut(portion);
    std::vector<std::unique_ptr<NgramSink>> sinks;
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) sinks.push_back(handler.begin_piece(begins[i]));
    base::parallel_for(sinks.size(), 1, threads_, [&](std::size_t i, std::size_t) {
      count_piece(portion, begins[i], begins[i + 1], *sinks[i]);
    });
    for (auto& sink : sinks) SOTTO_TRY(handler.end_piece(std::move(sink)));
  }
  return {};
}

}  // namespace sotto::collocation

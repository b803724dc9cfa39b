#include "embed/unknown/subword_vectors.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/check.hpp"
#include "text/token_folding.hpp"

namespace sotto::embed {
namespace {

constexpr std::size_t kShortestSubword = 3;
constexpr std::size_t kLongestSubword = 5;

constexpr std::size_t kMostMarked = text::kMostFoldedLetters + 2;  // with a mark at either end
constexpr std::size_t kMostNgrams = (kLongestSubword - kShortestSubword + 1) * kMostMarked;

/// FNV-1a. The file stores n-grams as these hashes.
constexpr std::uint32_t kHashOfNothing = 0x811C9DC5;
std::uint32_t hash_with(std::uint32_t hash, char c) {
  return (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
}

struct HashedNgrams {
  std::array<std::uint32_t, kMostNgrams> hashes;
  std::size_t count = 0;
  std::size_t shortest = 0;  // how many of them, at the beginning, are of kShortestSubword letters
};

/// Of the letters between two marks.
HashedNgrams hash_ngrams(std::string_view letters) {
  std::array<char, kMostMarked> marked;
  const std::size_t size = letters.size() + 2;
  SOTTO_CHECK(size <= kMostMarked);
  marked[0] = '<';
  letters.copy(marked.data() + 1, letters.size());
  marked[size - 1] = '>';
  HashedNgrams ngrams;
  std::array<std::size_t, kLongestSubword + 1> next{};  // by length
  for (std::size_t length = kShortestSubword; length <= kLongestSubword && length <= size; ++length) {
    next[length] = ngrams.count;
    ngrams.count += size - length + 1;
    if (length == kShortestSubword) ngrams.shortest = ngrams.count;
  }
  for (std::size_t i = 0; i < size; ++i) {
    std::uint32_t hash = kHashOfNothing;
    for (std::size_t length = 1; length <= kLongestSubword && i + length <= size; ++length) {
      hash = hash_with(hash, marked[i + length - 1]);
      if (length >= kShortestSubword) ngrams.hashes[next[length]++] = hash;
    }
  }
  return ngrams;
}

/// Of at most kMostNgrams vectors.
using Sums = std::array<std::int16_t, kSubwordDimension>;

Sums sum_of(std::span<const std::uint8_t* const> vectors) {
  // Two bytes at a time, as integers of 16 bits: loops over these the compiler turns into vector
  // instructions.
  constexpr std::size_t kPairs = kStoredVectorBytes / 2;
  std::array<std::array<std::uint16_t, kPairs>, 4> sums{};
  for (const std::uint8_t* const vector : vectors) {
    std::array<std::uint16_t, kPairs> pairs;
    std::memcpy(pairs.data(), vector, kStoredVectorBytes);
    for (std::size_t quarter = 0; quarter < sums.size(); ++quarter)
      for (std::size_t i = 0; i < kPairs; ++i)
        sums[quarter][i] = static_cast<std::uint16_t>(sums[quarter][i] + (pairs[i] >> 4 * quarter & 0xF));
  }
  const int offset = kSubwordOffset * static_cast<int>(vectors.size());
  Sums all;
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<std::int16_t>(sums[i % 4][i / 4] - offset);
  return all;
}

/// The sums scaled so that the largest becomes kLargestQuery, each rounded to the nearest integer. Quotients
/// of floats, rounded down, are those of integers here: the integers are below 2²⁴, and a quotient that is no
/// integer is further from the next one than it may be rounded.
SubwordQuery scaled(const Sums& sums) {
  std::int16_t largest = 1;
  for (const std::int16_t sum : sums)
    largest = std::max(largest, std::max<std::int16_t>(sum, static_cast<std::int16_t>(-sum)));
  SubwordQuery query;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto doubled = static_cast<float>(2 * kLargestQuery * std::abs(sums[i]) + largest);
    const auto rounded = static_cast<std::int32_t>(doubled / static_cast<float>(2 * largest));
    query[i] = static_cast<std::int8_t>(sums[i] < 0 ? -rounded : rounded);
  }
  return query;
}

/// The block at which each group begins, and the end of the last.
std::vector<std::uint32_t> blocks_of_groups(std::span<const std::uint8_t> word_groups, std::size_t groups) {
  constexpr std::uint32_t kBlock = kSubwordBlock;
  std::vector<std::uint32_t> begins(groups + 1);
  for (const std::uint8_t group : word_groups) ++begins[group + 1U];
  for (std::size_t group = 0; group < groups; ++group)
    begins[group + 1] = begins[group] + (begins[group + 1] + kBlock - 1) / kBlock;
  return begins;
}

}  // namespace

SubwordVectors::SubwordVectors(const StoredSubwords& stored)
    : hashes_(stored.ngram_hashes),
      ngram_vectors_(stored.ngram_vectors),
      begins_(kBegins + 1),
      word_count_(static_cast<WordNumber>(stored.word_groups.size())),
      groups_(kMostWordGroups / kSubwordBlock),
      group_begins_(blocks_of_groups(stored.word_groups, stored.group_vectors.size() / kStoredVectorBytes)),
      words_(group_begins_.back()) {
  for (const std::uint32_t hash : hashes_) ++begins_[hash / kHashesPerBegin + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  for (WordNumber group = 0; group + 1 < group_begins_.size(); ++group)
    groups_.set(group, group, stored.group_vectors.data() + group * kStoredVectorBytes);
  std::vector<std::size_t> next;
  for (const std::uint32_t block : group_begins_) next.push_back(block * kSubwordBlock);
  for (WordNumber word = 0; word < word_count_; ++word)
    words_.set(next[stored.word_groups[word]]++, word,
               stored.word_vectors.data() + word * kStoredVectorBytes);
}

const std::uint8_t* SubwordVectors::vector_of(std::uint32_t hash) const {
  const std::uint32_t end = begins_[hash / kHashesPerBegin + 1];
  for (std::uint32_t row = begins_[hash / kHashesPerBegin]; row < end; ++row)
    if (hashes_[row] == hash) return ngram_vectors_.data() + row * kStoredVectorBytes;
  return nullptr;
}

/// Each step begins the memory accesses of the next one for all n-grams, so that they overlap.
std::optional<SubwordQuery> SubwordVectors::query(std::string_view letters) const {
  const HashedNgrams ngrams = hash_ngrams(letters);
  const std::span<const std::uint32_t> hashes = std::span(ngrams.hashes).first(ngrams.count);
  for (const std::uint32_t hash : hashes)
    __builtin_prefetch(hashes_.data() + begins_[hash / kHashesPerBegin]);
  std::array<const std::uint8_t*, kMostNgrams> vectors;
  std::size_t found = 0;
  std::size_t known = 0;  // of the shortest
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::uint8_t* const vector = vector_of(hashes[i]);
    if (vector == nullptr) continue;
    __builtin_prefetch(vector);
    vectors[found++] = vector;
    known += i < ngrams.shortest ? 1 : 0;
  }
  if (ngrams.shortest == 0 || 2 * known < ngrams.shortest) return std::nullopt;
  return scaled(sum_of(std::span(vectors).first(found)));
}

SubwordRanking::SubwordRanking(const SubwordVectors& vectors, const SubwordQuery& query)
    : vectors_(vectors), query_(query), groups_left_(vectors.group_begins_.size() - 1) {
  constexpr std::array<std::uint32_t, kMostWordGroups / kSubwordBlock> kBlocks = {0, 1, 2, 3};
  std::array<SubwordScores, kBlocks.size()> scores;
  vectors.groups_.multiply(kBlocks, query, scores.data());
  auto next = products_.begin();
  for (const SubwordScores& block : scores)
    next = std::copy(block.products.begin(), block.products.end(), next);
  std::fill(products_.begin() + static_cast<std::ptrdiff_t>(groups_left_), products_.end(), kTakenProduct);
}

WordNumber SubwordRanking::next() {
  for (;;) {
    const WordNumber word = words_ ? words_->next() : kNoWord;
    if (word != kNoWord || groups_left_ == 0) return word;
    words_.emplace(vectors_.words_, query_, next_blocks());
  }
}

/// Takes the best groups.
std::vector<std::uint32_t> SubwordRanking::next_blocks() {
  const std::size_t wanted = std::min(groups_left_, kGroupsAtOnce);
  groups_left_ -= wanted;
  std::array<std::uint8_t, kGroupsAtOnce> groups;
  take_largest(products_, std::span(groups).first(wanted));
  std::vector<std::uint32_t> blocks;
  blocks.reserve(2 * kGroupsAtOnce);
  for (const std::uint8_t group : std::span(groups).first(wanted))
    for (std::uint32_t block = vectors_.group_begins_[group]; block < vectors_.group_begins_[group + 1U];
         ++block)
      blocks.push_back(block);
  return blocks;
}

}  // namespace sotto::embed

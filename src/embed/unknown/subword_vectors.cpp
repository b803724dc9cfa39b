#include "embed/unknown/subword_vectors.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

namespace sotto::embed {
namespace {

constexpr std::size_t kShortestSubword = 3;
constexpr std::size_t kLongestSubword = 5;

/// FNV-1a. The file stores n-grams as these hashes.
std::uint32_t subword_hash(std::string_view ngram) {
  std::uint32_t hash = 0x811C9DC5;
  for (const char c : ngram) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return hash;
}

/// No product is as small.
constexpr std::int16_t kTaken = std::numeric_limits<std::int16_t>::min();

using Sums = std::array<std::int32_t, kSubwordDimension>;

/// The sums scaled so that the largest becomes kLargestQuery, each rounded to the nearest integer.
SubwordQuery scaled(const Sums& sums) {
  std::int32_t largest = 1;
  for (const std::int32_t sum : sums) largest = std::max(largest, std::abs(sum));
  SubwordQuery query;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::int32_t rounded = (2 * std::abs(sums[i]) * kLargestQuery + largest) / (2 * largest);
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

/// The largest product that at least `count` groups reach. Bisection counts without branches, which is faster
/// than sorting.
std::int16_t least_of_best(const SubwordRanking::Products& products, std::size_t count) {
  int low = std::numeric_limits<std::int16_t>::min();
  int high = std::numeric_limits<std::int16_t>::max();
  while (low < high) {
    const int middle = high - (high - low) / 2;
    const auto enough = static_cast<std::int16_t>(middle);
    std::uint16_t reaching = 0;
    for (const std::int16_t product : products)
      reaching = static_cast<std::uint16_t>(reaching + (product >= enough ? 1 : 0));
    if (reaching >= count)
      low = middle;
    else
      high = middle - 1;
  }
  return static_cast<std::int16_t>(low);
}

}  // namespace

SubwordVectors::SubwordVectors(const StoredSubwords& stored)
    : hashes_(stored.ngram_hashes),
      ngram_vectors_(stored.ngram_vectors),
      begins_((1 << 16) + 1),
      word_count_(static_cast<WordNumber>(stored.word_groups.size())),
      groups_(kMostWordGroups / kSubwordBlock),
      group_begins_(blocks_of_groups(stored.word_groups, stored.group_vectors.size() / kStoredVectorBytes)),
      words_(group_begins_.back()) {
  for (const std::uint32_t hash : hashes_) ++begins_[(hash >> 16) + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  for (WordNumber group = 0; group + 1 < group_begins_.size(); ++group)
    groups_.set(group, group, stored.group_vectors.data() + group * kStoredVectorBytes);
  std::vector<std::size_t> next;
  for (const std::uint32_t block : group_begins_) next.push_back(block * kSubwordBlock);
  for (WordNumber word = 0; word < word_count_; ++word)
    words_.set(next[stored.word_groups[word]]++, word,
               stored.word_vectors.data() + word * kStoredVectorBytes);
}

std::optional<std::size_t> SubwordVectors::row_of(std::uint32_t hash) const {
  const std::uint32_t end = begins_[(hash >> 16) + 1];
  for (std::uint32_t row = begins_[hash >> 16]; row < end; ++row)
    if (hashes_[row] == hash) return row;
  return std::nullopt;
}

/// The rows of the string's n-grams, the shortest n-grams first. Each step begins the memory accesses of the
/// next one for all n-grams, so that they overlap.
std::vector<const std::uint8_t*> SubwordVectors::rows_of(std::string_view marked, std::size_t& known) const {
  std::vector<std::uint32_t> hashes;
  hashes.reserve(3 * marked.size());
  std::size_t shortest = 0;
  for (std::size_t length = kShortestSubword; length <= kLongestSubword; ++length) {
    for (std::size_t i = 0; i + length <= marked.size(); ++i) {
      hashes.push_back(subword_hash(marked.substr(i, length)));
      __builtin_prefetch(&begins_[hashes.back() >> 16]);
    }
    if (length == kShortestSubword) shortest = hashes.size();
  }
  for (const std::uint32_t hash : hashes) __builtin_prefetch(hashes_.data() + begins_[hash >> 16]);
  std::vector<const std::uint8_t*> rows;
  rows.reserve(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i == shortest) known = rows.size();
    if (const auto row = row_of(hashes[i])) {
      rows.push_back(ngram_vectors_.data() + *row * kStoredVectorBytes);
      __builtin_prefetch(rows.back());
    }
  }
  if (shortest == hashes.size()) known = rows.size();
  return rows;
}

std::optional<SubwordQuery> SubwordVectors::query(std::string_view letters) const {
  const std::string marked = '<' + std::string(letters) + '>';
  std::size_t known = 0;
  const std::vector<const std::uint8_t*> rows = rows_of(marked, known);
  if (marked.size() < kShortestSubword || 2 * known < marked.size() - kShortestSubword + 1)
    return std::nullopt;
  Sums sums{};
  for (const std::uint8_t* const halves : rows) {
    for (std::size_t pair = 0; pair < kStoredVectorBytes; ++pair) {
      sums[2 * pair] += (halves[pair] & 0xF) - kSubwordOffset;
      sums[2 * pair + 1] += (halves[pair] >> 4) - kSubwordOffset;
    }
  }
  return scaled(sums);
}

SubwordRanking::SubwordRanking(const SubwordVectors& vectors, const SubwordQuery& query)
    : vectors_(vectors), query_(query), groups_left_(vectors.group_begins_.size() - 1) {
  constexpr std::array<std::uint32_t, kMostWordGroups / kSubwordBlock> kBlocks = {0, 1, 2, 3, 4, 5, 6, 7};
  std::array<float, kMostWordGroups> cosines;
  std::array<float, kBlocks.size()> largest;
  vectors.groups_.multiply(kBlocks, query, {products_, cosines, largest});
  std::fill(products_.begin() + static_cast<std::ptrdiff_t>(groups_left_), products_.end(), kTaken);
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
  std::size_t wanted = std::min(groups_left_, kGroupsAtOnce);
  groups_left_ -= wanted;
  const std::int16_t least = least_of_best(products_, wanted);
  std::vector<std::uint32_t> blocks;
  blocks.reserve(4 * kGroupsAtOnce);
  const auto take = [&](std::size_t group) {
    for (std::uint32_t block = vectors_.group_begins_[group]; block < vectors_.group_begins_[group + 1];
         ++block)
      blocks.push_back(block);
    products_[group] = kTaken;
    --wanted;
  };
  for (std::size_t group = 0; group < products_.size(); ++group)
    if (products_[group] > least) take(group);
  for (std::size_t group = 0; wanted > 0; ++group)
    if (products_[group] == least) take(group);
  return blocks;
}

}  // namespace sotto::embed

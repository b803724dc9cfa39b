#include "embed/unknown/subword_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace sotto::embed {
namespace {

constexpr std::size_t kShortestSubword = 3;
constexpr std::size_t kLongestSubword = 5;
constexpr std::size_t kRowBytes = kSubwordDimension / 2;
constexpr float kRemoved = -std::numeric_limits<float>::infinity();

/// FNV-1a. The file stores n-grams as these hashes.
std::uint32_t subword_hash(std::string_view ngram) {
  std::uint32_t hash = 0x811C9DC5;
  for (const char c : ngram) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return hash;
}

/// Coordinate i of a row of halves of bytes, still plus kSubwordOffset.
int half_byte(const std::uint8_t* row, std::size_t i) {
  return row[i / 2] >> (i % 2 * 4) & 0xF;
}

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

}  // namespace

SubwordVectors::SubwordVectors(std::span<const std::uint32_t> hashes,
                               std::span<const std::uint8_t> ngram_vectors,
                               std::span<const std::uint8_t> word_vectors)
    : hashes_(hashes), ngram_vectors_(ngram_vectors), begins_((1 << 16) + 1) {
  for (const std::uint32_t hash : hashes) ++begins_[(hash >> 16) + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  const std::size_t count = word_vectors.size() / kRowBytes;
  const std::size_t padded = (count + kSubwordBlock - 1) / kSubwordBlock * kSubwordBlock;
  coordinates_.assign(padded * kRowBytes, kSubwordOffset | kSubwordOffset << 4);
  inverse_norms_.assign(padded, 0);
  for (std::size_t word = 0; word < count; ++word) {
    const std::uint8_t* const row = word_vectors.data() + word * kRowBytes;
    std::uint8_t* place =
        coordinates_.data() + word / kSubwordBlock * kSubwordBlock * kRowBytes + word % kSubwordBlock * 2;
    for (std::size_t i = 0; i < kRowBytes; i += 2, place += 2 * kSubwordBlock) {
      place[0] = static_cast<std::uint8_t>((row[i] & 0xF) | row[i + 1] << 4);
      place[1] = static_cast<std::uint8_t>(row[i] >> 4 | (row[i + 1] & 0xF0));
    }
    std::int32_t squared = 0;
    for (std::size_t i = 0; i < kSubwordDimension; ++i) {
      const int value = half_byte(row, i) - kSubwordOffset;
      squared += value * value;
    }
    squared_norms_.push_back(squared);
    if (squared > 0) inverse_norms_[word] = 1 / std::sqrt(static_cast<float>(squared));
  }
}

std::optional<std::size_t> SubwordVectors::row_of(std::string_view ngram) const {
  const std::uint32_t hash = subword_hash(ngram);
  const std::uint32_t end = begins_[(hash >> 16) + 1];
  for (std::uint32_t row = begins_[hash >> 16]; row < end; ++row)
    if (hashes_[row] == hash) return row;
  return std::nullopt;
}

std::optional<SubwordQuery> SubwordVectors::query(std::string_view letters) const {
  const std::string marked = '<' + std::string(letters) + '>';
  Sums sums{};
  std::size_t known = 0;
  for (std::size_t length = kShortestSubword; length <= kLongestSubword; ++length) {
    for (std::size_t i = 0; i + length <= marked.size(); ++i) {
      const auto row = row_of(std::string_view(marked).substr(i, length));
      if (!row) continue;
      known += length == kShortestSubword ? 1 : 0;
      const std::uint8_t* const halves = ngram_vectors_.data() + *row * kRowBytes;
      for (std::size_t pair = 0; pair < kRowBytes; ++pair) {
        sums[2 * pair] += (halves[pair] & 0xF) - kSubwordOffset;
        sums[2 * pair + 1] += (halves[pair] >> 4) - kSubwordOffset;
      }
    }
  }
  if (marked.size() < kShortestSubword || 2 * known < marked.size() - kShortestSubword + 1)
    return std::nullopt;
  return scaled(sums);
}

SubwordRanking::SubwordRanking(const SubwordVectors& vectors, const SubwordQuery& query)
    : vectors_(vectors),
      size_(vectors.inverse_norms_.size()),
      products_(std::make_unique_for_overwrite<std::int16_t[]>(size_)),
      cosines_(std::make_unique_for_overwrite<float[]>(size_)),
      largest_of_block_(size_ / kSubwordBlock) {
  multiply_subwords({vectors.coordinates_, vectors.inverse_norms_}, query,
                    {{products_.get(), size_}, {cosines_.get(), size_}, largest_of_block_});
  for (std::size_t padding = vectors.squared_norms_.size(); padding < size_; ++padding)
    remove(static_cast<WordNumber>(padding));
}

WordNumber SubwordRanking::next() {
  constexpr float kSlack = 1e-5F;  // far more than the cosines' rounding
  float largest = kRemoved;
  for (const float value : largest_of_block_) largest = std::max(largest, value);
  if (largest == kRemoved) return kNoWord;
  const float enough = largest - std::abs(largest) * kSlack;
  WordNumber best = kNoWord;
  for (std::size_t block = 0; block < largest_of_block_.size(); ++block) {
    if (largest_of_block_[block] < enough) continue;
    for (std::size_t i = block * kSubwordBlock; i < (block + 1) * kSubwordBlock; ++i)
      if (cosines_[i] >= enough && (best == kNoWord || is_nearer(static_cast<WordNumber>(i), best)))
        best = static_cast<WordNumber>(i);
  }
  remove(best);
  return best;
}

/// Whether a's cosine is larger: p_a/√n_a > p_b/√n_b, both sides squared with their signs and multiplied out.
bool SubwordRanking::is_nearer(WordNumber a, WordNumber b) const {
  const auto side = [this](WordNumber number, WordNumber other) {
    const std::int64_t product = products_[number];
    return product * std::abs(product) * std::max(1, vectors_.squared_norms_[other]);
  };
  return side(a, b) > side(b, a);
}

void SubwordRanking::remove(WordNumber number) {
  cosines_[number] = kRemoved;
  const float* const block = cosines_.get() + number / kSubwordBlock * kSubwordBlock;
  largest_of_block_[number / kSubwordBlock] = *std::max_element(block, block + kSubwordBlock);
}

}  // namespace sotto::embed

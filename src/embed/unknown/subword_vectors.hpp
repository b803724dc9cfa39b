// Words near a string that is no word, by the vectors of its n-grams.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "embed/unknown/public_words.hpp"
#include "embed/unknown/unknown_kernels.hpp"

namespace sotto::embed {

using SubwordQuery = std::array<std::int8_t, kSubwordDimension>;

/// Immutable, so safe to share between threads.
class SubwordVectors {
 public:
  /// Vectors have two coordinates per byte, the first in the low half, each plus kSubwordOffset. `hashes`
  /// must ascend; it and `ngram_vectors` must outlive this object.
  SubwordVectors(std::span<const std::uint32_t> hashes, std::span<const std::uint8_t> ngram_vectors,
                 std::span<const std::uint8_t> word_vectors);

  /// The direction of the sum of the vectors of the string's n-grams. Nothing if most of its groups of three
  /// letters occur in no word: it is not made of English syllables.
  std::optional<SubwordQuery> query(std::string_view letters) const;

  WordNumber word_count() const { return static_cast<WordNumber>(squared_norms_.size()); }

 private:
  friend class SubwordRanking;
  /// The n-gram's row, or nothing.
  std::optional<std::size_t> row_of(std::string_view ngram) const;

  std::span<const std::uint32_t> hashes_;
  std::span<const std::uint8_t> ngram_vectors_;
  std::vector<std::uint32_t> begins_;      // of the hashes with the same upper half
  std::vector<std::uint8_t> coordinates_;  // SubwordBlocks
  std::vector<float> inverse_norms_;
  std::vector<std::int32_t> squared_norms_;
};

/// All words with a vector by their cosine with a query, largest first; ties by number. Cosines are compared
/// as exact integers.
class SubwordRanking {
 public:
  SubwordRanking(const SubwordVectors& vectors, const SubwordQuery& query);

  /// The next word; kNoWord after the last.
  WordNumber next();

 private:
  bool is_nearer(WordNumber a, WordNumber b) const;
  void remove(WordNumber number);

  const SubwordVectors& vectors_;
  std::size_t size_;  // with the padding of the last block
  std::unique_ptr<std::int16_t[]> products_;
  std::unique_ptr<float[]> cosines_;
  std::vector<float> largest_of_block_;
};

}  // namespace sotto::embed

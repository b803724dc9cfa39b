// Words near a string that is no word, by the vectors of its n-grams.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "embed/unknown/public_words.hpp"
#include "embed/unknown/vector_blocks.hpp"

namespace sotto::embed {

/// The vectors of a word map's file; all as kStoredVectorBytes says.
struct StoredSubwords {
  std::span<const std::uint32_t> ngram_hashes;  ///< ascending
  std::span<const std::uint8_t> ngram_vectors;
  std::span<const std::uint8_t> word_vectors;
  std::span<const std::uint8_t> word_groups;    ///< each word's group
  std::span<const std::uint8_t> group_vectors;  ///< the direction of each group
};

/// Immutable, so safe to share between threads.
class SubwordVectors {
 public:
  /// What `ngram_hashes` and `ngram_vectors` point to must outlive this object.
  explicit SubwordVectors(const StoredSubwords& stored);

  /// The direction of the sum of the vectors of the n-grams of at most kMostFoldedLetters letters. Nothing if
  /// most of its groups of three letters occur in no word: it is not made of English syllables.
  std::optional<SubwordQuery> query(std::string_view letters) const;

  WordNumber word_count() const { return word_count_; }

 private:
  friend class SubwordRanking;
  static constexpr std::size_t kBegins = std::size_t{1} << 14;
  static constexpr std::uint32_t kHashesPerBegin = (std::uint64_t{1} << 32) / kBegins;

  /// The stored vector of the n-gram with this hash, or null.
  const std::uint8_t* vector_of(std::uint32_t hash) const;

  std::span<const std::uint32_t> hashes_;
  std::span<const std::uint8_t> ngram_vectors_;
  std::vector<std::uint32_t> begins_;  // of the hashes with the same upper bits
  WordNumber word_count_;
  VectorBlocks groups_;
  std::vector<std::uint32_t> group_begins_;  // blocks of words_, and the end
  VectorBlocks words_;                       // by group
};

/// All words with a vector. First those of the kGroupsAtOnce groups whose directions have the largest inner
/// products with the query (ties by group), by their cosine with it; then those of as many next groups, and
/// so on. Ties by number.
class SubwordRanking {
 public:
  /// Comparing all words would take twelve times longer, and would find a nearer word for one string in
  /// fourteen, by a cosine that is hardly larger.
  static constexpr std::size_t kGroupsAtOnce = 16;

  /// `vectors` must outlive the ranking.
  SubwordRanking(const SubwordVectors& vectors, const SubwordQuery& query);

  /// The next word; kNoWord after the last.
  WordNumber next();

 private:
  std::vector<std::uint32_t> next_blocks();

  const SubwordVectors& vectors_;
  SubwordQuery query_;
  GroupProducts products_;  // of the groups that have not been looked at
  std::size_t groups_left_;
  std::optional<CosineRanking> words_;  // of the groups looked at last
};

}  // namespace sotto::embed

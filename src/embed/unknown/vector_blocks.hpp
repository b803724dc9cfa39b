// Vectors in the layout that the kernel multiplies, and their order by cosine with a query.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "embed/unknown/public_words.hpp"
#include "embed/unknown/unknown_kernels.hpp"

namespace sotto::embed {

using SubwordQuery = std::array<std::int8_t, kSubwordDimension>;

/// Bytes of a stored vector: two coordinates each, the first in the low half, each plus kSubwordOffset.
inline constexpr std::size_t kStoredVectorBytes = kSubwordDimension / 2;

/// Vectors with a number each, in blocks of kSubwordBlock places. Immutable once filled, so safe to share
/// between threads.
class VectorBlocks {
 public:
  /// A block's last places may stay empty.
  explicit VectorBlocks(std::size_t blocks);

  void set(std::size_t place, WordNumber number, const std::uint8_t* stored);

  /// As multiply_subwords().
  void multiply(std::span<const std::uint32_t> chosen, const SubwordQuery& query,
                SubwordScores* scores) const {
    multiply_subwords({coordinates_, inverse_norms_}, chosen, query, scores);
  }

 private:
  friend class CosineRanking;

  std::vector<std::uint8_t> coordinates_;  // as SubwordBlocks has them
  std::vector<float> inverse_norms_;
  std::vector<std::int32_t> squared_norms_;  // at least 1
  std::vector<WordNumber> numbers_;          // kNoWord: empty
};

/// Vectors by their cosine with a query, largest first; ties by number. Cosines are compared as exact
/// integers.
class CosineRanking {
 public:
  /// `vectors` must outlive the ranking. `chosen` are indices of blocks.
  CosineRanking(const VectorBlocks& vectors, const SubwordQuery& query, std::vector<std::uint32_t> chosen);

  /// The number of the next vector; kNoWord after the last.
  WordNumber next();

 private:
  /// A word of one of the chosen blocks.
  struct Candidate {
    std::size_t block;
    std::size_t word;
  };

  std::size_t place_of(const Candidate& candidate) const {
    return chosen_[candidate.block] * kSubwordBlock + candidate.word;
  }
  bool is_nearer(const Candidate& a, const Candidate& b) const;
  void remove_empty(std::size_t block);
  void find_largest(std::size_t block);

  const VectorBlocks& vectors_;
  std::vector<std::uint32_t> chosen_;
  std::unique_ptr<SubwordScores[]> scores_;  // of each chosen block
  std::optional<std::size_t> last_block_;    // of the last answer, whose largest cosine is not up to date
};

}  // namespace sotto::embed

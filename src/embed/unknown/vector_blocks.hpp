// Vectors in the layout that the kernel multiplies, and their order by cosine with a query.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
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
                const SubwordProducts& out) const {
    multiply_subwords({coordinates_, inverse_norms_}, chosen, query, out);
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
  std::size_t place_of(std::size_t index) const {
    return chosen_[index / kSubwordBlock] * kSubwordBlock + index % kSubwordBlock;
  }
  bool is_nearer(std::size_t a, std::size_t b) const;
  void remove_empty(std::size_t block);
  void find_largest(std::size_t block);

  const VectorBlocks& vectors_;
  std::vector<std::uint32_t> chosen_;
  std::unique_ptr<std::int16_t[]> products_;
  std::unique_ptr<float[]> cosines_;
  std::vector<float> largest_of_block_;
};

}  // namespace sotto::embed

// The inner loops of the map of strings to words, compiled for every instruction set Highway supports and
// selected at run time. Their results are exact integers, or floating-point hints that no answer depends on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto::embed {

inline constexpr unsigned kMostSignatureBits = 4;

/// So many signatures after the last must be readable, whatever they are.
inline constexpr std::size_t kSignaturePadding = 16;

/// Sets `found` to the indices of the signatures that differ from `signature` in at most `most_bits` bits,
/// ascending. `most_bits` is at most kMostSignatureBits.
void find_similar_signatures(std::span<const std::uint32_t> signatures, std::uint32_t signature,
                             unsigned most_bits, std::vector<std::uint32_t>& found);

/// Words are multiplied in blocks of this many.
inline constexpr std::size_t kSubwordBlock = 32;
/// No coordinate of a query is larger.
inline constexpr int kLargestQuery = 31;
/// Coordinates of words and queries. Coordinates of words are stored plus kSubwordOffset, from 0 to 15, so
/// every inner product fits 16 bits.
inline constexpr std::size_t kSubwordDimension = 64;
inline constexpr int kSubwordOffset = 8;

struct SubwordBlocks {
  /// For each block, each group of four coordinates a, b, c, d, and each word of the block, the bytes
  /// a + 16c and b + 16d. Packed like this, they stay in the second-level cache.
  std::span<const std::uint8_t> coordinates;
  std::span<const float> inverse_norms;  ///< for each word
};

/// For the words of the chosen blocks, one block after another.
struct SubwordProducts {
  std::span<std::int16_t> products;   ///< inner products with the query
  std::span<float> cosines;           ///< product · inverse norm, rounded
  std::span<float> largest_of_block;  ///< the largest of each block's cosines
};

/// `chosen` are indices of blocks.
void multiply_subwords(const SubwordBlocks& words, std::span<const std::uint32_t> chosen,
                       std::span<const std::int8_t, kSubwordDimension> query, const SubwordProducts& out);

}  // namespace sotto::embed

// The inner loops of the map of strings to words, compiled for every instruction set Highway supports and
// selected at run time. Their results are exact integers, or floating-point hints that no answer depends on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
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
inline constexpr std::size_t kSubwordBlock = 64;
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

/// Of the words of one block.
struct SubwordScores {
  std::array<std::int16_t, kSubwordBlock> products;  ///< inner products with the query
  std::array<float, kSubwordBlock> cosines;          ///< product · inverse norm, rounded
  float largest;                                     ///< cosine
};

/// `chosen` are indices of blocks; `scores` has room for as many.
void multiply_subwords(const SubwordBlocks& words, std::span<const std::uint32_t> chosen,
                       std::span<const std::int8_t, kSubwordDimension> query, SubwordScores* scores);

inline constexpr std::size_t kMostWordGroups = 256;
using GroupProducts = std::array<std::int16_t, kMostWordGroups>;
/// In place of a group's product: smaller than any.
inline constexpr std::int16_t kTakenProduct = std::numeric_limits<std::int16_t>::min();

/// Finds as many groups as `groups` has room for, at least one and at most those that are not taken: those
/// with the largest products, of equal ones the first, in ascending order. Marks them as taken.
void take_largest(GroupProducts& products, std::span<std::uint8_t> groups);

}  // namespace sotto::embed

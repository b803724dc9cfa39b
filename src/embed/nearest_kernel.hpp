// The inner loop of exact nearest-word search: inner products of a few queries with a panel of packed rows,
// compiled for every instruction set Highway knows and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sotto {

/// Rows that one call multiplies with. A panel is stored by pairs of coordinates: for each pair, the two
/// coordinates of row 0, of row 1, …, so that one multiply-add-pairs instruction serves as many rows as a
/// register holds and no horizontal sum is ever needed.
inline constexpr std::size_t kPanelRows = 32;

/// Most queries of one call; a tile of so many keeps the panel in the first-level cache busy.
inline constexpr std::size_t kTileQueries = 12;

/// A panel, and the queries to multiply with it.
struct Tile {
  const std::int16_t* panel;       ///< 2 · pairs · kPanelRows integers
  const std::int32_t* half_norms;  ///< ⌊|row|²/2⌋ for each row of the panel
  std::size_t pairs;               ///< ⌈dimension / 2⌉
  /// For each pair of coordinates kTileQueries such pairs, one for each query; those past `count` are unused.
  const std::int32_t* queries;
  const std::int32_t* half_bounds;  ///< for each query, see TileProducts::passed
  std::size_t count;                ///< queries, at most kTileQueries
};

struct TileProducts {
  /// Inner products modulo 2³², which are the inner products themselves when those fit in 32 bits.
  alignas(64) std::int32_t products[kTileQueries][kPanelRows];
  /// Bit r of passed[q]: products[q][r] > half_norms[r] − half_bounds[q].
  std::uint32_t passed[kTileQueries];
};

using MultiplyTile = void (*)(const Tile& tile, TileProducts& out);

/// The kernel for the best instruction set of this processor.
MultiplyTile multiply_tile_kernel();

}  // namespace sotto

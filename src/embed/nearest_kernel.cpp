#include "embed/nearest_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "embed/nearest_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// For processors without any instruction set that Highway supports.
void multiply_tile(const Tile& tile, TileProducts& out) {
  for (std::size_t q = 0; q < tile.count; ++q) {
    std::uint32_t sums[kPanelRows] = {};
    for (std::size_t pair = 0; pair < tile.pairs; ++pair) {
      const auto query = static_cast<std::uint32_t>(tile.queries[pair * kTileQueries + q]);
      const std::int32_t first = static_cast<std::int16_t>(query & 0xFFFF);
      const std::int32_t second = static_cast<std::int16_t>(query >> 16);
      const std::int16_t* rows = tile.panel + 2 * pair * kPanelRows;
      for (std::size_t r = 0; r < kPanelRows; ++r)
        sums[r] += static_cast<std::uint32_t>(first * rows[2 * r]) +
                   static_cast<std::uint32_t>(second * rows[2 * r + 1]);
    }
    out.passed[q] = 0;
    for (std::size_t r = 0; r < kPanelRows; ++r) {
      out.products[q][r] = static_cast<std::int32_t>(sums[r]);
      if (out.products[q][r] > tile.half_norms[r] - tile.half_bounds[q])
        out.passed[q] |= std::uint32_t{1} << r;
    }
  }
}

#else

namespace hn = hwy::HWY_NAMESPACE;

// At most 16 rows a register, so that a panel is a whole number of registers on every target.
using Sums = hn::CappedTag<std::int32_t, 16>;
using Coordinates = hn::Repartition<std::int16_t, Sums>;

// Queries multiplied at once: with two registers of rows each, their sums must stay in registers.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
constexpr std::size_t kQueriesAtOnce = 6;  // of 32 registers
#else
constexpr std::size_t kQueriesAtOnce = 4;  // of 16 registers
#endif

// Multiplies kQueries queries with kParts registers of rows, from row `first` on, and compares.
template <std::size_t kQueries, std::size_t kParts>
HWY_INLINE void multiply_part(const Tile& tile, std::size_t first_query, std::size_t first_row,
                              TileProducts& out) {
  const Sums sums;
  const Coordinates coordinates;
  const std::size_t lanes = hn::Lanes(sums);
  hn::Vec<Sums> even[kQueries][kParts];
  hn::Vec<Sums> odd[kQueries][kParts];
  for (std::size_t q = 0; q < kQueries; ++q) {
    for (std::size_t p = 0; p < kParts; ++p) even[q][p] = odd[q][p] = hn::Zero(sums);
  }
  const std::int16_t* HWY_RESTRICT panel = tile.panel + 2 * first_row;
  const std::int32_t* HWY_RESTRICT queries = tile.queries + first_query;
  const std::size_t pairs = tile.pairs;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    hn::Vec<Coordinates> rows[kParts];
    for (std::size_t p = 0; p < kParts; ++p)
      rows[p] = hn::Load(coordinates, panel + 2 * (pair * kPanelRows + p * lanes));
    for (std::size_t q = 0; q < kQueries; ++q) {
      const auto query = hn::BitCast(coordinates, hn::Set(sums, queries[pair * kTileQueries + q]));
      for (std::size_t p = 0; p < kParts; ++p)
        even[q][p] = hn::ReorderWidenMulAccumulate(sums, rows[p], query, even[q][p], odd[q][p]);
    }
  }
  for (std::size_t q = 0; q < kQueries; ++q) {
    const auto bound = hn::Set(sums, tile.half_bounds[first_query + q]);
    for (std::size_t p = 0; p < kParts; ++p) {
      const std::size_t row = first_row + p * lanes;
      const auto product = hn::RearrangeToOddPlusEven(even[q][p], odd[q][p]);
      hn::Store(product, sums, out.products[first_query + q] + row);
      const auto threshold = hn::Sub(hn::LoadU(sums, tile.half_norms + row), bound);
      std::uint8_t bits[8] = {};
      hn::StoreMaskBits(sums, hn::Gt(product, threshold), bits);
      const std::uint32_t mask = bits[0] | static_cast<std::uint32_t>(bits[1]) << 8;
      out.passed[first_query + q] |= mask << row;
    }
  }
}

template <std::size_t kQueries, std::size_t kParts>
HWY_INLINE void multiply_panel(const Tile& tile, std::size_t first_query, TileProducts& out) {
  const std::size_t rows_at_once = kParts * hn::Lanes(Sums());
  for (std::size_t q = first_query; q < first_query + kQueries; ++q) out.passed[q] = 0;
  for (std::size_t row = 0; row < kPanelRows; row += rows_at_once)
    multiply_part<kQueries, kParts>(tile, first_query, row, out);
}

void multiply_tile(const Tile& tile, TileProducts& out) {
  std::size_t query = 0;
  for (; query + kQueriesAtOnce <= tile.count; query += kQueriesAtOnce)
    multiply_panel<kQueriesAtOnce, 2>(tile, query, out);
  for (; query < tile.count; ++query) multiply_panel<1, 2>(tile, query, out);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(multiply_tile);

MultiplyTile multiply_tile_kernel() {
  // Detects the processor here, once a search, so that the pointer goes straight to the kernel.
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return &HWY_DYNAMIC_DISPATCH(multiply_tile);
}

}  // namespace sotto
#endif

// The rows of a nearest-word search in the layouts the kernels read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <hwy/aligned_allocator.h>

#include <sotto/result.hpp>

#include "embed/nearest_kernel.hpp"

namespace sotto::embed {

/// Immutable after pack(). Every array has padded_size entries or rows; those past `size` are zero, with
/// infinite bounds.
struct PackedRows {
  /// Refuses rows longer than kLargestNorm; the error names the row. `with_bytes` adds the 8-bit form.
  Result<void> pack(std::size_t row_count, std::size_t row_dimension, bool with_bytes,
                    const std::function<void(std::size_t row, std::span<std::int16_t> out)>& read_row);

  const std::int16_t* row(std::size_t index) const { return rows.get() + index * stride; }
  /// The row at position `place` of byte_order.
  const std::int8_t* byte_row(std::size_t place) const { return bytes.get() + place * 4 * quads; }
  /// Starting at row `index`.
  RowBounds bounds(std::size_t index) const {
    return {squared_norm_bounds.data() + index, lengths.data() + index};
  }

  std::size_t size = 0;
  std::size_t padded_size = 0;  ///< a multiple of kPanelRows
  std::size_t dimension = 0;
  std::size_t stride = 0;  ///< the dimension padded for `rows`
  std::size_t quads = 0;   ///< ⌈dimension / 4⌉
  hwy::AlignedFreeUniquePtr<std::int16_t[]> rows;
  std::vector<std::int32_t> squared_norms;
  std::vector<float> squared_norm_bounds;
  std::vector<float> lengths;

  /// The 8-bit form; null if absent. Rows of similar length share a tile, so that one scale and one bound
  /// serve all of them. Tiles of all lengths are interleaved, so that early ones give good bounds.
  hwy::AlignedFreeUniquePtr<std::int8_t[]> bytes;
  std::vector<std::uint32_t> byte_order;  ///< the row at each place; none past `size`
  std::vector<std::int32_t> biases;       ///< see BytePanel::bias; by place
  std::vector<TileBounds> tiles;          ///< one per kByteRows places; the last may have fewer

 private:
  Result<void> allocate(bool with_bytes);
  void pack_bytes();
  void pack_tile(std::size_t first, std::size_t count);
};

/// Allocates `size` zeros aligned for the kernels; null if out of memory.
template <class T>
hwy::AlignedFreeUniquePtr<T[]> allocate_zeros(std::size_t size) {
  auto memory = hwy::AllocateAligned<T>(size == 0 ? 1 : size);
  if (memory != nullptr) std::fill_n(memory.get(), size, T{});
  return memory;
}

}  // namespace sotto::embed

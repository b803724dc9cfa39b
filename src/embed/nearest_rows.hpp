// The rows of a nearest-word search in the forms the kernels read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <hwy/aligned_allocator.h>

#include <sotto/result.hpp>

#include "embed/nearest_kernel.hpp"

namespace sotto {

/// Immutable after pack(). Every array has padded_size entries or rows; those past `size` are zero, with an
/// infinite bound.
struct PackedRows {
  /// Refuses rows longer than kLargestNorm, naming the row. `with_bytes`: also the 8-bit form.
  Result<void> pack(std::size_t row_count, std::size_t row_dimension, bool with_bytes,
                    const std::function<void(std::size_t row, std::span<std::int16_t> out)>& read_row);

  const std::int16_t* row(std::size_t index) const { return rows.get() + index * stride; }
  const std::int8_t* byte_row(std::size_t index) const { return bytes.get() + index * 4 * quads; }
  /// From row `index` on.
  RowBounds bounds(std::size_t index) const {
    return {squared_norm_bounds.data() + index, lengths.data() + index, scales.data() + index,
            residuals.data() + index};
  }

  std::size_t size = 0;
  std::size_t padded_size = 0;  ///< a multiple of kPanelRows
  std::size_t dimension = 0;
  std::size_t stride = 0;  ///< the dimension padded for `rows`
  std::size_t quads = 0;   ///< ⌈dimension / 4⌉
  hwy::AlignedFreeUniquePtr<std::int16_t[]> rows;
  hwy::AlignedFreeUniquePtr<std::int8_t[]> bytes;  ///< null without the 8-bit form
  std::vector<std::int32_t> squared_norms;
  std::vector<std::int32_t> biases;  ///< see BytePanel::bias
  std::vector<float> squared_norm_bounds;
  std::vector<float> lengths;
  std::vector<float> scales;
  std::vector<float> residuals;

 private:
  Result<void> allocate(bool with_bytes);
  void pack_bytes(std::size_t index);
};

/// Allocates `size` zeros aligned for the kernels; null when memory is short.
template <class T>
hwy::AlignedFreeUniquePtr<T[]> allocate_zeros(std::size_t size) {
  auto memory = hwy::AllocateAligned<T>(size == 0 ? 1 : size);
  if (memory != nullptr) std::fill_n(memory.get(), size, T{});
  return memory;
}

}  // namespace sotto

// The inner loop of NoiseShape::multiply, compiled for every instruction set Highway supports.
#pragma once

#include <cstddef>

namespace sotto::mechanism {

/// Rows per panel; a whole number of registers on every target.
inline constexpr std::size_t kShapePanel = 32;

/// Rows [row, row + kShapePanel) of a triangular matrix, by columns.
struct ShapePanel {
  const float* entries;  ///< columns · kShapePanel values, aligned
  std::size_t columns;   ///< columns that are not all zero
  std::size_t rows;      ///< rows that exist
};

/// out[q · stride + r] = Σ_c entries[c][r] · vectors[q · stride + c], c ascending, for q < count.
void multiply_shape_panel(const ShapePanel& panel, const float* vectors, std::size_t count,
                          std::size_t stride, float* out);

}  // namespace sotto::mechanism

#include "embed/nearest_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "embed/nearest.hpp"

namespace sotto {
namespace {

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// A bound that has been through float arithmetic stays one.
float up(double value) {
  return static_cast<float>(value * (1 + 0x1p-20));
}

}  // namespace

Result<void> PackedRows::allocate(bool with_bytes) {
  rows = allocate_zeros<std::int16_t>(padded_size * stride);
  if (with_bytes) bytes = allocate_zeros<std::int8_t>(padded_size * 4 * quads);
  if (rows == nullptr || (with_bytes && bytes == nullptr))
    return fail(Errc::limit, "not enough memory for nearest-word search");
  squared_norms.assign(padded_size, 0);
  squared_norm_bounds.assign(padded_size, std::numeric_limits<float>::infinity());
  lengths.assign(padded_size, 0);
  scales.assign(padded_size, 1);
  residuals.assign(padded_size, 0);
  biases.assign(padded_size, 0);
  return {};
}

Result<void> PackedRows::pack(
    std::size_t row_count, std::size_t row_dimension, bool with_bytes,
    const std::function<void(std::size_t row, std::span<std::int16_t> out)>& read_row) {
  if (row_dimension == 0 || row_dimension > kLargestDimension)
    return fail(Errc::bad_format, fmt::format("vectors of dimension {}; 1 to {} is supported", row_dimension,
                                              kLargestDimension));
  size = row_count;
  dimension = row_dimension;
  padded_size = round_up(size, kPanelRows);
  stride = round_up(dimension, kRowPadding);
  quads = (dimension + 3) / 4;
  SOTTO_TRY(allocate(with_bytes));
  for (std::size_t i = 0; i < size; ++i) {
    const std::span<std::int16_t> out(rows.get() + i * stride, dimension);
    read_row(i, out);
    std::int64_t norm = 0;
    for (const std::int16_t x : out) norm += std::int64_t{x} * x;
    if (norm > kLargestNorm * kLargestNorm)
      return fail(Errc::bad_format, fmt::format("vector {} has squared norm {}; at most {} is supported", i,
                                                norm, kLargestNorm * kLargestNorm));
    squared_norms[i] = static_cast<std::int32_t>(norm);
    squared_norm_bounds[i] = static_cast<float>(norm);
    lengths[i] = up(std::sqrt(static_cast<double>(norm)));
    if (with_bytes) pack_bytes(i);
  }
  return {};
}

// A scale of its own for each row, which makes its largest coordinate 127: so short rows keep as much
// precision as long ones. Rows that fit in bytes are kept as they are.
void PackedRows::pack_bytes(std::size_t index) {
  const std::span<const std::int16_t> in(row(index), dimension);
  std::int8_t* out = bytes.get() + index * 4 * quads;
  int largest = 0;
  for (const std::int16_t x : in) largest = std::max(largest, std::abs(int{x}));
  const float scale = largest <= 127 ? 1.0F : static_cast<float>(largest / 127.0);
  std::int32_t sum = 0;
  double residual = 0;
  for (std::size_t c = 0; c < dimension; ++c) {
    const long value = std::lround(in[c] / double{scale});
    out[c] = static_cast<std::int8_t>(value);
    sum += static_cast<std::int32_t>(value);
    const double difference = in[c] - double{scale} * static_cast<double>(value);
    residual += difference * difference;
  }
  scales[index] = scale;
  residuals[index] = up(std::sqrt(residual));
  biases[index] = -128 * sum;
}

}  // namespace sotto

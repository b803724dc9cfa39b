#include "embed/nearest_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "embed/nearest.hpp"

namespace sotto::embed {
namespace {

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Keeps an upper bound valid after float arithmetic.
float up(double value) {
  return static_cast<float>(value * (1 + 0x1p-20));
}

// A step through 0 … count − 1 that visits each once and soon comes close to every one.
std::size_t mixing_step(std::size_t count) {
  auto step = static_cast<std::size_t>(0.618 * static_cast<double>(count));
  while (std::gcd(step, count) > 1) ++step;
  return step;
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
  }
  if (with_bytes) pack_bytes();
  return {};
}

void PackedRows::pack_bytes() {
  std::vector<std::uint32_t> by_length(size);
  std::iota(by_length.begin(), by_length.end(), 0U);
  std::stable_sort(by_length.begin(), by_length.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return squared_norms[a] > squared_norms[b]; });
  const std::size_t full_tiles = size / kByteRows;
  const std::size_t step = mixing_step(full_tiles);
  byte_order.reserve(size);
  for (std::size_t i = 0; i < full_tiles; ++i) {
    const std::uint32_t* tile = by_length.data() + i * step % full_tiles * kByteRows;
    byte_order.insert(byte_order.end(), tile, tile + kByteRows);
  }
  const std::uint32_t* rest = by_length.data() + full_tiles * kByteRows;
  byte_order.insert(byte_order.end(), rest, rest + size % kByteRows);
  biases.assign(padded_size, 0);
  for (std::size_t first = 0; first < size; first += kByteRows)
    pack_tile(first, std::min(kByteRows, size - first));
}

// A separate scale for each tile, which makes its largest coordinate 127, so that short rows keep as much
// precision as long ones. Rows that fit into bytes are kept unchanged.
void PackedRows::pack_tile(std::size_t first, std::size_t count) {
  int largest = 0;
  for (std::size_t place = first; place < first + count; ++place)
    for (const std::int16_t x : std::span(row(byte_order[place]), dimension))
      largest = std::max(largest, std::abs(int{x}));
  const float scale = largest <= 127 ? 1.0F : static_cast<float>(largest / 127.0);
  double largest_residual = 0;
  for (std::size_t place = first; place < first + count; ++place) {
    const std::int16_t* in = row(byte_order[place]);
    std::int8_t* out = bytes.get() + place * 4 * quads;
    std::int32_t sum = 0;
    double residual = 0;
    for (std::size_t c = 0; c < dimension; ++c) {
      const long value = std::lround(in[c] / double{scale});
      out[c] = static_cast<std::int8_t>(value);
      sum += static_cast<std::int32_t>(value);
      const double difference = in[c] - double{scale} * static_cast<double>(value);
      residual += difference * difference;
    }
    biases[place] = -128 * sum;
    largest_residual = std::max(largest_residual, residual);
  }
  tiles.push_back({squared_norm_bounds[byte_order[first + count - 1]], lengths[byte_order[first]],
                   up(std::sqrt(largest_residual)), scale});
}

}  // namespace sotto::embed

// The inner loops of exact nearest-word search, compiled for every instruction set Highway supports and
// selected at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sotto::embed {

/// Rows and queries of 16-bit integers are zero-padded to a multiple of this, the longest register.
inline constexpr std::size_t kRowPadding = 32;
/// Rows per call of NearestKernels::multiply or ::compare.
inline constexpr std::size_t kPanelRows = 48;
/// Maximum number of queries per call of NearestKernels::multiply.
inline constexpr std::size_t kPanelQueries = 4;
/// Rows and queries per call of NearestKernels::multiply_bytes.
inline constexpr std::size_t kByteRows = 6;
inline constexpr std::size_t kByteQueries = 64;

/// Bounds for each row: its length, rounded up. A row that does not exist has an infinite squared norm.
struct RowBounds {
  const float* squared_norm;
  const float* length;
};

/// Bounds for the kByteRows rows of a tile: each is within `residual` of scale · its bytes and no longer than
/// `length`, and its squared norm is at least `squared_norm`.
struct TileBounds {
  float squared_norm;
  float length;
  float residual;
  float scale;
};

/// A row can be among the nearest only if
/// scale·product + per_length·length + per_residual·residual + constant − per_squared_norm·squared_norm > 0.
struct QueryBounds {
  const float* per_length;
  const float* per_residual;
  const float* per_squared_norm;
  const float* constant;
};

struct BytePanel {
  const std::int8_t* rows;   ///< a tile of kByteRows rows, each 4 · quads bytes
  const std::int32_t* bias;  ///< for each row −128 · its sum, because the queries' bytes are offset by 128
  /// For each quad of coordinates, kByteQueries such quads, one per query.
  const std::uint8_t* queries;
  std::size_t quads;
  std::size_t count;  ///< actual queries, 1 to kByteQueries
  TileBounds tile;
  QueryBounds query_bounds;
};

struct NearestKernels {
  /// out[q · kPanelRows + r] = inner product of query q and row r modulo 2³². Rows and queries are `stride`
  /// apart, a multiple of kRowPadding, and aligned to 64 bytes.
  void (*multiply)(const std::int16_t* rows, const std::int16_t* queries, std::size_t query_count,
                   std::size_t stride, std::int32_t* out);
  /// Bit r is set if row r satisfies the inequality of QueryBounds, for one query, rows that are their own
  /// approximation (scale 1, residual 0), and the given inner products.
  std::uint64_t (*compare)(const std::int32_t* products, const RowBounds& rows, const QueryBounds& query);
  /// The inner product of one row and one query.
  std::int64_t (*multiply_wide)(const std::int16_t* row, const std::int32_t* query, std::size_t stride);
  /// Bit q of passed[r] is set if row r satisfies the inequality of QueryBounds for query q. Returns whether
  /// any bit is set. Null if the processor cannot multiply bytes fast.
  bool (*multiply_bytes)(const BytePanel& panel, std::uint64_t* passed);
};

/// The kernels for the best instruction set of this processor.
const NearestKernels& nearest_kernels();

}  // namespace sotto::embed

// Exact nearest-word search in fixed point. Distances are integers, so results are identical on every
// processor, for every batch size and every number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "embed/nearest_rows.hpp"

namespace sotto::embed {

/// Largest dimension of a model. kLargestNorm and NearestSearch depend on it.
inline constexpr std::size_t kLargestDimension = 32768;

/// Largest Euclidean norm of a fixed-point vector: 46340² < 2³¹. By Cauchy–Schwarz, every inner product of
/// two such vectors, and every partial sum of one, lies within ±(2³¹ − 1), so 32-bit sums are exact.
inline constexpr std::int64_t kLargestNorm = 46340;

/// Squared distances of 32-bit queries in many dimensions can exceed 64 bits.
__extension__ using SquaredDistance = __int128;

struct Neighbour {
  SquaredDistance squared_distance;  ///< in units of scale²
  std::uint32_t row;

  bool operator==(const Neighbour&) const = default;
  /// Nearer first; at equal distances the lower row.
  bool operator<(const Neighbour& other) const {
    return squared_distance != other.squared_distance ? squared_distance < other.squared_distance
                                                      : row < other.row;
  }
};

/// A set of rows, packed for search. Immutable after creation, so safe to share between threads. Holds its
/// own copy of the rows: 2 bytes per coordinate, or 3 where the processor multiplies bytes fast.
class NearestSearch {
 public:
  /// Packs `rows` of `dimension` integers each (row-major). Refuses rows longer than kLargestNorm; the error
  /// names the row.
  static Result<NearestSearch> create(std::span<const std::int16_t> rows, std::size_t dimension);
  /// The vectors of a model, of either width; row i is word i. Refuses a list set.
  static Result<NearestSearch> create(const Model& model);

  std::size_t size() const { return rows_.size; }
  std::size_t dimension() const { return rows_.dimension; }

  /// The m = min(k, size()) nearest rows of each query in the order of Neighbour; those of query i start at
  /// out[i·m]. Queries are row-major, any 16-bit integers. Work is split among `threads` (0: all processors).
  void search(std::span<const std::int16_t> queries, std::size_t k, unsigned threads,
              std::span<Neighbour> out) const;

  /// The m = min(k, size()) nearest rows of each query in the order of Neighbour; those of query i start at
  /// out[i·m]. Queries are row-major, any 32-bit integers. Fastest for at least a few hundred queries at once
  /// and k of at most a few dozen. Single-threaded.
  void nearest(std::span<const std::int32_t> queries, std::size_t k, std::span<Neighbour> out) const;

  /// The squared distance from query i to row j, at out[i · size() + j], for all pairs. Queries are
  /// row-major, any 16-bit integers; those longer than kLargestNorm are slower. Single-threaded.
  void squared_distances(std::span<const std::int16_t> queries, std::span<std::int64_t> out) const;

  /// The nearest row among those with excluded[row] == 0, of which there must be one. Single-threaded.
  Neighbour nearest_except(std::span<const std::int16_t> query, std::span<const std::uint8_t> excluded) const;

  /// A copy of row `row`, `dimension()` integers.
  void copy_row(std::size_t row, std::span<std::int16_t> out) const;

 private:
  NearestSearch() = default;

  PackedRows rows_;
};

}  // namespace sotto::embed

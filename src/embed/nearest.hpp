// Exact nearest-word search in fixed point. Distances are integers, so results are the same on every
// processor, for every batch size and every number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <hwy/aligned_allocator.h>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// Largest dimension of a model. See kLargestNorm and NearestSearch for what depends on it.
inline constexpr std::size_t kLargestDimension = 32768;

/// Largest Euclidean norm of a fixed-point vector: 46340² < 2³¹. By Cauchy and Schwarz every inner product of
/// two such vectors, and every partial sum of one, then lies within ±(2³¹ − 1), so 32-bit sums are exact.
inline constexpr std::int64_t kLargestNorm = 46340;

struct Neighbour {
  std::int64_t squared_distance;  ///< in units of scale²
  std::uint32_t row;

  bool operator==(const Neighbour&) const = default;
  /// Nearer first; at equal distance the lower row.
  bool operator<(const Neighbour& other) const {
    return squared_distance != other.squared_distance ? squared_distance < other.squared_distance
                                                      : row < other.row;
  }
};

/// A set of rows, packed for search. Immutable after creation, so safe to share between threads. Holds its
/// own copy of the rows, 2 bytes a coordinate.
class NearestSearch {
 public:
  /// Packs `rows` of `dimension` integers each (row-major). Refuses rows longer than kLargestNorm, naming
  /// the row.
  static Result<NearestSearch> create(std::span<const std::int16_t> rows, std::size_t dimension);
  /// The vectors of a model, of either width; row i is word i. Refuses a list set.
  static Result<NearestSearch> create(const Model& model);

  std::size_t size() const { return size_; }
  std::size_t dimension() const { return dimension_; }

  /// The min(k, size()) nearest rows of each query in the order of Neighbour, for query i from
  /// out[i · min(k, size())] on. Queries are row-major, any 16-bit integers; a block of queries costs
  /// twice as much when one of them is too long for 32-bit inner products. Work is split between `threads`
  /// (0: all processors).
  void search(std::span<const std::int16_t> queries, std::size_t k, unsigned threads,
              std::span<Neighbour> out) const;

  /// The nearest of the rows for which excluded[row] is 0. At least one must be. Single-threaded.
  Neighbour nearest_except(std::span<const std::int16_t> query, std::span<const std::uint8_t> excluded) const;

  /// A copy of row `row`, `dimension()` integers.
  void copy_row(std::size_t row, std::span<std::int16_t> out) const;

 private:
  NearestSearch() = default;
  Result<void> pack(std::size_t size, std::size_t dimension,
                    const std::function<void(std::size_t row, std::span<std::int16_t> out)>& read_row);
  std::size_t pairs() const { return (dimension_ + 1) / 2; }
  const std::int16_t* panel(std::size_t index) const;
  void search_block(std::span<const std::int16_t> queries, std::size_t k, Neighbour* out) const;

  std::size_t size_ = 0;
  std::size_t dimension_ = 0;
  std::int64_t largest_norm_ = 0;  ///< ⌈longest row⌉
  hwy::AlignedFreeUniquePtr<std::int16_t[]> panels_;
  std::vector<std::int32_t> norms_;       ///< |row|², padded to whole panels
  std::vector<std::int32_t> half_norms_;  ///< ⌊|row|²/2⌋, likewise
};

}  // namespace sotto

// The k nearest rows for a batch of queries: approximate inner products with a proven error bound leave a few
// rows, whose distances are then computed exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "embed/nearest.hpp"
#include "embed/nearest_rows.hpp"

namespace sotto::embed {

/// For each of several queries, the k smallest (key, row) of a sequence. A key is |row|² − 2·query·row, the
/// squared distance minus |query|².
class LeastKeys {
 public:
  LeastKeys(std::size_t queries, std::size_t k);

  /// Only keys below this can still be inserted.
  std::int64_t bound(std::size_t query) const { return bounds_[query]; }
  void insert(std::size_t query, std::int64_t key, std::uint32_t row);
  /// The nearest rows of a query, in order; leaves the query empty.
  void finish(std::size_t query, SquaredDistance query_norm, Neighbour* out);

 private:
  struct Entry {
    std::int64_t key;
    std::uint32_t row;
    bool operator<(const Entry& other) const { return key != other.key ? key < other.key : row < other.row; }
  };
  std::size_t k_;
  std::vector<std::int64_t> bounds_;
  std::vector<std::size_t> sizes_;
  std::vector<Entry> entries_;  ///< k per query, a max-heap
};

/// Memory for one batch after another. Not thread-safe: one per thread.
class NearestBatch {
 public:
  /// Refers to `rows`. `k` is 1 to rows.size.
  NearestBatch(const PackedRows& rows, std::size_t k);

  /// The maximum number of queries per batch.
  std::size_t capacity() const { return capacity_; }
  /// The k nearest rows of each query (row-major, at least one).
  void find(std::span<const std::int32_t> queries, Neighbour* out);

 private:
  void load(std::span<const std::int32_t> queries);
  void load_bytes(std::size_t query, std::span<const std::int32_t> values);
  void load_words(std::size_t query, std::span<const std::int32_t> values);
  void set_bounds(std::size_t query, double scale, double length, double error);
  void lower_constant(std::size_t query);
  void scan_bytes(std::size_t begin, std::size_t end);
  void scan_words(std::size_t begin, std::size_t end);
  void examine(std::size_t query, std::size_t row);
  QueryBounds bounds(std::size_t query) const;

  const PackedRows& rows_;
  const NearestKernels& kernels_;
  bool use_bytes_;
  std::size_t k_;
  std::size_t capacity_;
  std::size_t count_ = 0;
  LeastKeys least_;
  hwy::AlignedFreeUniquePtr<std::int32_t[]> queries_;  ///< padded like the rows
  hwy::AlignedFreeUniquePtr<std::uint8_t[]> bytes_;    ///< groups of kByteQueries, see BytePanel::queries
  hwy::AlignedFreeUniquePtr<std::int16_t[]> words_;
  hwy::AlignedFreeUniquePtr<float[]> bounds_;  ///< the four arrays of QueryBounds, capacity_ each
};

}  // namespace sotto::embed

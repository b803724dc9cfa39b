// Rows of a selection mechanism that are kept between tokens, and how to find an outcome in them. In every
// representation of a row, outcomes are in the order of their numbers, each taking as many positions as its
// weight; so the representation never affects what is drawn.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace sotto::mechanism {

/// 128 uniform bits: all the randomness a token uses for its selection.
struct UniformDraw {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

/// ⌊U·total / 2^128⌋ for the draw U. An outcome of weight w is hit by w·2^128/total draws, plus or minus one,
/// because its positions are consecutive. So its probability is w/total up to a relative error of
/// total/(w·2^128) <= 2^63/(2^12·2^128) = 2^-77, and no outcome is impossible, as it would be with a 53-bit
/// uniform.
inline std::uint64_t position_of(const UniformDraw& draw, std::uint64_t total) {
  using Wide = unsigned __int128;
  const Wide low = static_cast<Wide>(draw.low) * total;
  const Wide high = static_cast<Wide>(draw.high) * total + static_cast<std::uint64_t>(low >> 64);
  return static_cast<std::uint64_t>(high >> 64);
}

/// The outcome whose positions include `position`; `cumulative` sums the weights up to each outcome.
inline std::uint32_t find_in(std::span<const std::uint64_t> cumulative, std::uint64_t position) {
  return static_cast<std::uint32_t>(std::upper_bound(cumulative.begin(), cumulative.end(), position) -
                                    cumulative.begin());
}

/// All cumulative weights, with a guide table that shortens the search.
class DenseRow {
 public:
  explicit DenseRow(std::span<const std::uint64_t> cumulative);
  std::uint64_t total() const { return cumulative_.back(); }
  std::uint32_t find(std::uint64_t position) const {
    const std::size_t cell = position >> shift_;
    const std::uint32_t first = guide_[cell];
    return first + find_in(std::span(cumulative_).subspan(first, guide_[cell + 1] - first), position);
  }
  static std::uint64_t bytes(std::size_t outcomes);

 private:
  std::vector<std::uint64_t> cumulative_;
  std::vector<std::uint32_t> guide_;  ///< outcome at the first position of each cell, plus the last outcome
  int shift_;
};

/// Only the near outcomes; all others have the same weight, so their positions follow from their numbers.
class SparseRow {
 public:
  /// `near` is ascending; `cumulative` covers all outcomes.
  SparseRow(std::vector<std::uint32_t> near, std::span<const std::uint64_t> cumulative,
            std::uint64_t far_weight);
  std::uint64_t total() const { return total_; }
  std::uint32_t find(std::uint64_t position) const;
  static std::uint64_t bytes(std::size_t near_outcomes);

 private:
  std::vector<std::uint32_t> near_;
  std::vector<std::uint64_t> starts_;  ///< first position of each near outcome
  std::uint64_t far_weight_;
  std::uint64_t total_;
  std::uint64_t last_end_;  ///< end of the positions of the last near outcome
};

/// Only the sums of blocks of outcomes. A draw recomputes the weights of one block.
class BlockRow {
 public:
  static constexpr std::size_t kOutcomes = 32;  ///< per block; the last may have fewer

  BlockRow(std::span<const std::uint64_t> cumulative, std::vector<double> state);
  std::uint64_t total() const { return ends_.back(); }
  /// What the weights of the row depend on besides the distances.
  std::span<const double> state() const { return state_; }
  std::size_t find_block(std::uint64_t position) const { return find_in(ends_, position); }
  std::uint64_t block_start(std::size_t block) const { return block == 0 ? 0 : ends_[block - 1]; }
  static std::uint64_t bytes(std::size_t outcomes, std::size_t state_size);

 private:
  std::vector<std::uint64_t> ends_;
  std::vector<double> state_;
};

using CachedRow = std::variant<DenseRow, SparseRow, BlockRow>;

/// Memory for rows, shared by the caches of one mechanism at several ε. Thread-safe.
class RowMemory {
 public:
  /// `table_bytes` for dense and sparse rows, `block_bytes` for block rows.
  RowMemory(std::uint64_t table_bytes, std::uint64_t block_bytes)
      : tables_left_(table_bytes), blocks_left_(block_bytes) {}

  /// Takes memory for a row; returns false if too little is left.
  bool take_table(std::uint64_t bytes) { return take(tables_left_, bytes); }
  bool take_block(std::uint64_t bytes) { return take(blocks_left_, bytes); }
  void give_back(std::uint64_t table_bytes, std::uint64_t block_bytes) {
    tables_left_.fetch_add(table_bytes, std::memory_order_relaxed);
    blocks_left_.fetch_add(block_bytes, std::memory_order_relaxed);
  }

 private:
  static bool take(std::atomic<std::uint64_t>& left, std::uint64_t bytes);

  std::atomic<std::uint64_t> tables_left_;
  std::atomic<std::uint64_t> blocks_left_;
};

/// Rows by input word. Rows stay until the cache is destroyed. Thread-safe.
class RowCache {
 public:
  /// `memory` must outlive the cache.
  RowCache(std::size_t inputs, RowMemory& memory) : rows_(inputs), memory_(memory) {}
  ~RowCache();
  RowCache(const RowCache&) = delete;
  RowCache& operator=(const RowCache&) = delete;

  /// The row of `input`, if any; it lives as long as the cache.
  const CachedRow* find(std::size_t input) const { return rows_[input].load(std::memory_order_acquire); }

  /// Takes memory for a row; returns false if too little is left.
  bool reserve_table(std::uint64_t bytes);
  bool reserve_block(std::uint64_t bytes);

  /// Adds a row; if another thread was first, its row stays.
  void add(std::size_t input, std::unique_ptr<const CachedRow> row);

 private:
  std::vector<std::atomic<const CachedRow*>> rows_;
  RowMemory& memory_;
  std::atomic<std::uint64_t> table_bytes_ = 0;  ///< reserved
  std::atomic<std::uint64_t> block_bytes_ = 0;
};

}  // namespace sotto::mechanism

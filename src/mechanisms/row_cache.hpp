// Rows of a selection mechanism that are kept between tokens, and how an outcome is found in them. Whatever
// form a row is kept in, outcomes lie in the order of their numbers, each taking as many positions as its
// weight; so the form never changes what is drawn.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace sotto {

/// 128 uniform bits, all that a token draws for its selection.
struct UniformDraw {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

/// ⌊U·total / 2^128⌋ for the draw U. An outcome of weight w is hit by w·2^128/total draws, give or take one,
/// because its positions are consecutive. So its probability is w/total up to a relative error of
/// total/(w·2^128) <= 2^63/(2^12·2^128) = 2^-77, and no outcome is impossible, as with a 53-bit uniform it
/// would be.
inline std::uint64_t position_of(const UniformDraw& draw, std::uint64_t total) {
  using Wide = unsigned __int128;
  const Wide low = static_cast<Wide>(draw.low) * total;
  const Wide high = static_cast<Wide>(draw.high) * total + static_cast<std::uint64_t>(low >> 64);
  return static_cast<std::uint64_t>(high >> 64);
}

/// The outcome whose positions hold `position`; `cumulative` has the sum of the weights up to each outcome.
inline std::uint32_t find_in(std::span<const std::uint64_t> cumulative, std::uint64_t position) {
  return static_cast<std::uint32_t>(std::upper_bound(cumulative.begin(), cumulative.end(), position) -
                                    cumulative.begin());
}

/// All cumulative weights, with a guide that makes the search short.
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
  std::vector<std::uint32_t> guide_;  ///< outcome at the first position of each cell, and the last outcome
  int shift_;
};

/// Only the near outcomes; all others have one weight, so their places follow from their number.
class SparseRow {
 public:
  /// `near` ascends; `cumulative` is that of all outcomes.
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
  std::uint64_t last_end_;  ///< where the positions of the last near outcome end
};

/// Only the sums of blocks of outcomes. A draw weighs the outcomes of one block again.
class BlockRow {
 public:
  static constexpr std::size_t kOutcomes = 32;  ///< of a block; the last may have fewer

  BlockRow(std::span<const std::uint64_t> cumulative, std::vector<double> state);
  std::uint64_t total() const { return ends_.back(); }
  /// What the weights of the row depend on beside the distances.
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

  /// Takes memory for a row, or says that there is not enough left.
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

/// Rows by input word. Rows enter and leave together, with the cache. Thread-safe.
class RowCache {
 public:
  /// `memory` must outlive the cache.
  RowCache(std::size_t inputs, RowMemory& memory) : rows_(inputs), memory_(memory) {}
  ~RowCache();
  RowCache(const RowCache&) = delete;
  RowCache& operator=(const RowCache&) = delete;

  /// The row of `input` if there is one; it lives as long as the cache.
  const CachedRow* find(std::size_t input) const { return rows_[input].load(std::memory_order_acquire); }

  /// Takes memory for a row, or says that there is not enough left.
  bool reserve_table(std::uint64_t bytes);
  bool reserve_block(std::uint64_t bytes);

  /// Adds a row; when another thread was first, that row stays.
  void add(std::size_t input, std::unique_ptr<const CachedRow> row);

 private:
  std::vector<std::atomic<const CachedRow*>> rows_;
  RowMemory& memory_;
  std::atomic<std::uint64_t> table_bytes_ = 0;  ///< reserved
  std::atomic<std::uint64_t> block_bytes_ = 0;
};

}  // namespace sotto

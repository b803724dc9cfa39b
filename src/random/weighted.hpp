// Exact sampling in proportion to integer weights. A certificate computed from the weights holds for what is
// drawn: no weight is rounded, unlike in tables of floating-point probabilities, where small weights become
// impossible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <sotto/bit_source.hpp>
#include <sotto/result.hpp>

#include "base/check.hpp"
#include "random/integer_samplers.hpp"

namespace sotto::random {

/// How many of the ascending `cumulative` are at most `position`. Takes the same number of steps for every
/// position, without a value-dependent branch: timing does not reveal the weights of a row.
inline std::size_t find_in_steps(std::span<const std::uint64_t> cumulative, std::uint64_t position) {
  std::size_t found = 0;
  for (std::size_t left = cumulative.size(); left > 0;) {
    const std::size_t half = (left + 1) / 2;
    found += half & (0 - std::size_t{cumulative[found + half - 1] <= position});
    left -= half;
  }
  return found;
}

/// Constant time, two words per draw (plus one per rejection of uniform_below). Walker's alias method,
/// constructed like Vose's but in integers. Immutable, so safe to share between threads.
class AliasTable {
 public:
  /// Refuses no weights, all zero, more than 2^32 − 1 of them, or a sum of 2^64 or more.
  static Result<AliasTable> make(std::span<const std::uint64_t> weights);

  /// Draws i with probability exactly weight i / total(); never one with weight zero.
  std::uint32_t sample(BitSource& bits) const {
    const auto i = static_cast<std::uint32_t>(uniform_below(bits, columns_.size()));
    const Column& column = columns_[i];
    return uniform_below(bits, total_) < column.threshold ? i : column.alias;
  }

  std::size_t size() const { return columns_.size(); }
  std::uint64_t total() const { return total_; }

  /// The weights, recomputed from the columns that are sampled, for certificates.
  std::vector<std::uint64_t> weights() const;

 private:
  struct Column {
    std::uint64_t threshold = 0;  ///< out of total_: the column's own share
    std::uint32_t alias = 0;      ///< owner of the remainder
  };

  AliasTable() = default;
  void fill(std::span<const std::uint64_t> weights);

  std::vector<Column> columns_;
  std::uint64_t total_ = 0;
};

/// Constant time on average, one word per draw (plus one per rejection of uniform_below): inversion of the
/// cumulative weights, with the search guided by the leading bits. Immutable, so safe to share between
/// threads.
class CumulativeTable {
 public:
  /// Refuses what AliasTable::make refuses.
  static Result<CumulativeTable> make(std::span<const std::uint64_t> weights);

  /// Draws i with probability exactly weight(i) / total(); never one with weight zero.
  std::uint32_t sample(BitSource& bits) const { return find(uniform_below(bits, total())); }

  /// The i whose share of [0, total()) contains `position` < total(); the shares are in the order of i.
  std::uint32_t find(std::uint64_t position) const {
    SOTTO_CHECK(position < total());
    std::uint32_t i = guide_[position >> guide_shift_];
    std::uint32_t end = guide_[(position >> guide_shift_) + 1];
    while (i < end) {
      const std::uint32_t middle = i + (end - i) / 2;
      if (cumulative_[middle] > position) {
        end = middle;
      } else {
        i = middle + 1;
      }
    }
    return i;
  }

  std::size_t size() const { return cumulative_.size(); }
  std::uint64_t total() const { return cumulative_.back(); }
  /// The sum of the weights 0 to i.
  std::uint64_t cumulative(std::size_t i) const { return cumulative_[i]; }
  std::uint64_t weight(std::size_t i) const { return cumulative_[i] - (i == 0 ? 0 : cumulative_[i - 1]); }

 private:
  CumulativeTable() = default;
  void compute_guide();

  std::vector<std::uint64_t> cumulative_;  ///< element i: the sum of the weights 0 to i
  std::vector<std::uint32_t> guide_;       ///< find() of the first position of each cell, plus the last i
  unsigned guide_shift_ = 0;
};

}  // namespace sotto::random

#include "lm/engine/attention.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lm/engine/attention.cpp"
// clang-format off
// The order matters.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "lm/portable_exp.hpp"
// clang-format on

#ifndef SOTTO_LM_ATTENTION
#define SOTTO_LM_ATTENTION
namespace sotto::lm {

/// Rows are padded to a multiple of this, which is divisible by all register sizes.
inline constexpr std::size_t kAttentionUnit = 16;
/// Queries that share loads of keys and values.
inline constexpr std::size_t kQueryTile = 4;

/// One head of a tile of queries.
struct AttentionTile {
  const float* queries;
  std::size_t query_stride;
  const float* keys;  ///< transposed: `size` rows
  std::size_t key_stride;
  const float* values;             ///< rows of padded_size
  float* shares;                   ///< kQueryTile rows of padded_keys
  float* sums;                     ///< kQueryTile rows of padded_size
  std::size_t counts[kQueryTile];  ///< keys that each query sees
  std::size_t most;                ///< the largest of them
  std::size_t size;
  std::size_t padded_keys;
  std::size_t padded_size;
  float scale;
};

}  // namespace sotto::lm
#endif

HWY_BEFORE_NAMESPACE();
namespace sotto::lm {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, kAttentionUnit>;

// Factors and a matrix whose rows they multiply.
struct Combined {
  const float* factors;
  std::size_t factor_stride;
  std::size_t count;
  const float* matrix;
  std::size_t matrix_stride;
};

// rows[r] = Σ_i factors[r · factor_stride + i] · matrix[i · matrix_stride ...], for the four rows of a tile
// and kRegisters registers of columns.
template <std::size_t kRegisters>
HWY_INLINE void combine_columns(const Combined& from, std::size_t at, float* HWY_RESTRICT rows,
                                std::size_t row_stride) {
  const Floats floats;
  const std::size_t lanes = hn::Lanes(floats);
  hn::Vec<Floats> sums[kQueryTile][kRegisters];
  for (std::size_t r = 0; r < kQueryTile; ++r)
    for (std::size_t p = 0; p < kRegisters; ++p) sums[r][p] = hn::Zero(floats);
  const float* factor = from.factors;
  const float* line = from.matrix + at;
  for (std::size_t i = 0; i < from.count; ++i, ++factor, line += from.matrix_stride) {
    hn::Vec<Floats> numbers[kRegisters];
    for (std::size_t p = 0; p < kRegisters; ++p) numbers[p] = hn::LoadU(floats, line + p * lanes);
    for (std::size_t r = 0; r < kQueryTile; ++r) {
      const auto f = hn::Set(floats, factor[r * from.factor_stride]);
      for (std::size_t p = 0; p < kRegisters; ++p) sums[r][p] = hn::Add(sums[r][p], hn::Mul(f, numbers[p]));
    }
  }
  for (std::size_t r = 0; r < kQueryTile; ++r)
    for (std::size_t p = 0; p < kRegisters; ++p)
      hn::StoreU(sums[r][p], floats, rows + r * row_stride + at + p * lanes);
}

HWY_INLINE void combine_rows(const Combined& from, std::size_t width, float* HWY_RESTRICT rows) {
  const std::size_t lanes = hn::Lanes(Floats());
  std::size_t at = 0;
  for (; at + 2 * lanes <= width; at += 2 * lanes) combine_columns<2>(from, at, rows, width);
  if (at < width) combine_columns<1>(from, at, rows, width);
}

// Turns scores into exp(scale · (score − the largest)); those beyond `count` become 0. Returns 1 / their sum,
// or NaN if a score is NaN, which comparisons would hide.
HWY_INLINE float exponentials(float* HWY_RESTRICT scores, std::size_t count, std::size_t padded,
                              float scale) {
  const Floats floats;
  const std::size_t lanes = hn::Lanes(floats);
  const std::size_t end = (count + kAttentionUnit - 1) / kAttentionUnit * kAttentionUnit;
  for (std::size_t i = count; i < end; ++i) scores[i] = scores[0];
  auto largest = hn::LoadU(floats, scores);
  for (std::size_t i = 0; i < end; i += lanes) largest = hn::Max(largest, hn::LoadU(floats, scores + i));
  largest = hn::MaxOfLanes(floats, largest);
  const auto factor = hn::Set(floats, scale);
  const auto lowest = hn::Set(floats, -87.0F);
  const auto zero = hn::Zero(floats);
  for (std::size_t i = 0; i < end; i += lanes) {
    const auto score = hn::LoadU(floats, scores + i);
    const auto share = portable_exp(floats, hn::Max(hn::Mul(hn::Sub(score, largest), factor), lowest));
    // Adding 0 · score keeps what is not a number.
    hn::StoreU(hn::Add(share, hn::Mul(score, zero)), floats, scores + i);
  }
  std::fill(scores + count, scores + padded, 0.0F);
  float parts[kAttentionUnit];
  for (std::size_t lane = 0; lane < kAttentionUnit; lane += lanes) {
    auto sum = zero;
    for (std::size_t i = lane; i < end; i += kAttentionUnit)
      sum = hn::Add(sum, hn::LoadU(floats, scores + i));
    hn::StoreU(sum, floats, parts + lane);
  }
  for (std::size_t half = kAttentionUnit / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) parts[i] += parts[i + half];
  return 1 / parts[0];
}

void attend_tile(const AttentionTile& tile) {
  combine_rows({tile.queries, tile.query_stride, tile.size, tile.keys, tile.key_stride}, tile.padded_keys,
               tile.shares);
  float factors[kQueryTile];
  for (std::size_t r = 0; r < kQueryTile; ++r)
    factors[r] =
        exponentials(tile.shares + r * tile.padded_keys, tile.counts[r], tile.padded_keys, tile.scale);
  combine_rows({tile.shares, tile.padded_keys, tile.most, tile.values, tile.padded_size}, tile.padded_size,
               tile.sums);
  for (std::size_t r = 0; r < kQueryTile; ++r)
    for (std::size_t c = 0; c < tile.size; ++c) tile.sums[r * tile.padded_size + c] *= factors[r];
}

}  // namespace

using AttendTile = void (*)(const AttentionTile& tile);
AttendTile attend_tile_kernel() {
  return &attend_tile;
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto::lm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::lm {
namespace {

HWY_EXPORT(attend_tile_kernel);

constexpr std::size_t padded(std::size_t count) {
  return (count + kAttentionUnit - 1) / kAttentionUnit * kAttentionUnit;
}

}  // namespace

KeyValues::KeyValues(std::size_t heads, std::size_t size)
    : heads_(heads), size_(size), padded_size_(padded(size)) {}

void KeyValues::reserve(std::size_t count) {
  if (count <= capacity_) return;
  const std::size_t larger = padded(std::max(count, 2 * capacity_));
  std::vector<float> keys(heads_ * size_ * larger);
  std::vector<float> values(heads_ * larger * padded_size_);
  for (std::size_t row = 0; row < heads_ * size_; ++row)
    std::copy_n(keys_.begin() + static_cast<std::ptrdiff_t>(row * capacity_), count_,
                keys.begin() + static_cast<std::ptrdiff_t>(row * larger));
  for (std::size_t h = 0; h < heads_; ++h)
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(h * capacity_ * padded_size_),
                count_ * padded_size_,
                values.begin() + static_cast<std::ptrdiff_t>(h * larger * padded_size_));
  keys_ = std::move(keys);
  values_ = std::move(values);
  capacity_ = larger;
}

void KeyValues::append(const AttentionRows& keys, const AttentionRows& values, std::size_t count) {
  reserve(count_ + count);
  for (std::size_t h = 0; h < heads_; ++h) {
    float* const to = keys_.data() + h * size_ * capacity_ + count_;
    for (std::size_t j = 0; j < count; ++j) {
      const float* const key = keys.data + j * keys.stride + h * size_;
      for (std::size_t c = 0; c < size_; ++c) to[c * capacity_ + j] = key[c];
      std::copy_n(values.data + j * values.stride + h * size_, size_,
                  values_.data() + (h * capacity_ + count_ + j) * padded_size_);
    }
  }
  count_ += count;
}

/// The memory of one call of attend().
class AttentionRun {
 public:
  AttentionRun(const AttentionQueries& queries, const KeyValues& seen, std::vector<float>& scratch)
      : queries_(queries), seen_(seen) {
    tile_.key_stride = seen.capacity_;
    tile_.size = seen.size_;
    tile_.padded_size = seen.padded_size_;
    tile_.scale = queries.scale;
    const std::size_t share_numbers = kQueryTile * padded(seen.count_);
    const std::size_t sum_numbers = kQueryTile * seen.padded_size_;
    scratch.assign(share_numbers + sum_numbers + kQueryTile * seen.size_, 0);
    tile_.shares = scratch.data();
    tile_.sums = tile_.shares + share_numbers;
    last_queries_ = tile_.sums + sum_numbers;
  }

  void attend_head(std::size_t h, float* out) {
    const auto attend_tile = HWY_DYNAMIC_DISPATCH(attend_tile_kernel)();
    tile_.keys = seen_.keys_.data() + h * seen_.size_ * seen_.capacity_;
    tile_.values = seen_.values_.data() + h * seen_.capacity_ * seen_.padded_size_;
    const std::size_t width = seen_.heads_ * seen_.size_;
    for (std::size_t i = 0; i < queries_.count; i += kQueryTile) {
      const std::size_t count = std::min(kQueryTile, queries_.count - i);
      take(i, count, h);
      attend_tile(tile_);
      for (std::size_t r = 0; r < count; ++r)
        std::copy_n(tile_.sums + r * seen_.padded_size_, seen_.size_,
                    out + (i + r) * width + h * seen_.size_);
    }
  }

 private:
  void take(std::size_t first, std::size_t count, std::size_t h) {
    tile_.most = 0;
    for (std::size_t r = 0; r < kQueryTile; ++r) {
      const std::size_t query = first + std::min(r, count - 1);
      tile_.counts[r] = queries_.first_sees == 0 ? seen_.count_ : queries_.first_sees + query;
      tile_.most = std::max(tile_.most, tile_.counts[r]);
    }
    tile_.padded_keys = padded(tile_.most);
    tile_.queries = queries_.rows.data + first * queries_.rows.stride + h * seen_.size_;
    tile_.query_stride = queries_.rows.stride;
    if (count == kQueryTile) return;
    for (std::size_t r = 0; r < count; ++r)
      std::copy_n(tile_.queries + r * queries_.rows.stride, seen_.size_, last_queries_ + r * seen_.size_);
    tile_.queries = last_queries_;
    tile_.query_stride = seen_.size_;
  }

  const AttentionQueries& queries_;
  const KeyValues& seen_;
  AttentionTile tile_{};
  float* last_queries_;
};

void attend(const AttentionQueries& queries, const KeyValues& seen, float* out, std::vector<float>& scratch) {
  AttentionRun run(queries, seen, scratch);
  for (std::size_t h = 0; h < seen.heads(); ++h) run.attend_head(h, out);
}

}  // namespace sotto::lm
#endif

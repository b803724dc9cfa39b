#include "lm/torch/attention.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lm/torch/attention.cpp"
// clang-format off
// The order matters.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#ifndef SOTTO_LM_ATTENTION
#define SOTTO_LM_ATTENTION
namespace sotto::lm {

/// Rows are padded to a multiple of this, which is divisible by all register sizes.
inline constexpr std::size_t kAttentionUnit = 16;
/// Queries that share loads of keys and values.
inline constexpr std::size_t kQueryTile = 4;

/// One head of a task; keys and values are copied so that they are read sequentially.
struct AttentionHead {
  const float* queries;  ///< of the tile
  std::size_t query_stride;
  const float* keys;    ///< transposed: `size` rows of padded_keys
  const float* values;  ///< key_count rows of padded_size
  float* shares;        ///< kQueryTile rows of padded_keys
  float* sums;          ///< kQueryTile rows of padded_size
  std::size_t key_count;
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

// rows[r] = Σ_i factors[r · factor_stride + i] · matrix[i · width ...], for the four rows of a tile.
HWY_INLINE void combine_rows(const float* HWY_RESTRICT factors, std::size_t factor_stride, std::size_t count,
                             const float* HWY_RESTRICT matrix, std::size_t width, float* HWY_RESTRICT rows) {
  const Floats floats;
  for (std::size_t at = 0; at < width; at += hn::Lanes(floats)) {
    auto sum0 = hn::Zero(floats);
    auto sum1 = sum0;
    auto sum2 = sum0;
    auto sum3 = sum0;
    const float* factor = factors;
    const float* line = matrix + at;
    for (std::size_t i = 0; i < count; ++i, ++factor, line += width) {
      const auto numbers = hn::LoadU(floats, line);
      sum0 = hn::MulAdd(hn::Set(floats, factor[0]), numbers, sum0);
      sum1 = hn::MulAdd(hn::Set(floats, factor[factor_stride]), numbers, sum1);
      sum2 = hn::MulAdd(hn::Set(floats, factor[2 * factor_stride]), numbers, sum2);
      sum3 = hn::MulAdd(hn::Set(floats, factor[3 * factor_stride]), numbers, sum3);
    }
    hn::StoreU(sum0, floats, rows + at);
    hn::StoreU(sum1, floats, rows + width + at);
    hn::StoreU(sum2, floats, rows + 2 * width + at);
    hn::StoreU(sum3, floats, rows + 3 * width + at);
  }
}

// Turns scores into exp(scale · (score − the largest)); padding becomes 0. Returns 1 / their sum, or NaN if a
// score is NaN, which comparisons would hide.
HWY_INLINE float exponentials(float* HWY_RESTRICT scores, std::size_t count, std::size_t padded,
                              float scale) {
  const Floats floats;
  for (std::size_t i = count; i < padded; ++i) scores[i] = hwy::LowestValue<float>();
  auto largest = hn::LoadU(floats, scores);
  for (std::size_t i = 0; i < padded; i += hn::Lanes(floats))
    largest = hn::Max(largest, hn::LoadU(floats, scores + i));
  largest = hn::MaxOfLanes(floats, largest);
  const auto factor = hn::Set(floats, scale);
  const auto lowest = hn::Set(floats, -1e4F);
  const auto zero = hn::Zero(floats);
  auto sum = zero;
  auto not_a_number = zero;
  for (std::size_t i = 0; i < padded; i += hn::Lanes(floats)) {
    const auto score = hn::LoadU(floats, scores + i);
    const auto share = hn::Exp(floats, hn::Max(hn::Mul(hn::Sub(score, largest), factor), lowest));
    sum = hn::Add(sum, share);
    not_a_number = hn::MulAdd(score, zero, not_a_number);
    hn::StoreU(share, floats, scores + i);
  }
  return 1 / hn::GetLane(hn::SumOfLanes(floats, sum)) + hn::GetLane(hn::SumOfLanes(floats, not_a_number));
}

void attend_tile(const AttentionHead& head) {
  combine_rows(head.queries, head.query_stride, head.size, head.keys, head.padded_keys, head.shares);
  float factors[kQueryTile];
  for (std::size_t r = 0; r < kQueryTile; ++r)
    factors[r] =
        exponentials(head.shares + r * head.padded_keys, head.key_count, head.padded_keys, head.scale);
  combine_rows(head.shares, head.padded_keys, head.key_count, head.values, head.padded_size, head.sums);
  for (std::size_t r = 0; r < kQueryTile; ++r)
    for (std::size_t c = 0; c < head.size; ++c) head.sums[r * head.padded_size + c] *= factors[r];
}

}  // namespace

using AttendTile = void (*)(const AttentionHead& head);
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

using AttendTile = void (*)(const AttentionHead& head);
AttendTile chosen_kernel() {
  static const AttendTile kKernel = [] {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return HWY_DYNAMIC_DISPATCH(attend_tile_kernel)();
  }();
  return kKernel;
}

constexpr std::size_t padded(std::size_t count) {
  return (count + kAttentionUnit - 1) / kAttentionUnit * kAttentionUnit;
}

// Copies a head's keys, transposed, and values.
void gather_head(const AttentionTask& task, std::size_t first, const AttentionHead& head, float* keys,
                 float* values) {
  for (std::size_t j = 0; j < task.key_count; ++j) {
    const float* const key = task.keys.data + j * task.keys.stride + first;
    for (std::size_t c = 0; c < task.size; ++c) keys[c * head.padded_keys + j] = key[c];
    const float* const value = task.values.data + j * task.values.stride + first;
    std::copy_n(value, task.size, values + j * head.padded_size);
  }
}

}  // namespace

void attend_within(const AttentionTask& task, std::vector<float>& scratch) {
  const AttendTile attend_tile = chosen_kernel();
  AttentionHead head{};
  head.key_count = task.key_count;
  head.size = task.size;
  head.padded_keys = padded(task.key_count);
  head.padded_size = padded(task.size);
  head.scale = task.scale;
  const std::size_t key_numbers = task.size * head.padded_keys;
  const std::size_t value_numbers = task.key_count * head.padded_size;
  const std::size_t share_numbers = kQueryTile * head.padded_keys;
  const std::size_t sum_numbers = kQueryTile * head.padded_size;
  // The padding is 0 from here on, and stays so.
  scratch.assign(key_numbers + value_numbers + share_numbers + sum_numbers + kQueryTile * task.size, 0);
  float* const keys = scratch.data();
  float* const values = keys + key_numbers;
  head.shares = values + value_numbers;
  head.sums = head.shares + share_numbers;
  float* const last_queries = head.sums + sum_numbers;
  head.keys = keys;
  head.values = values;
  for (std::size_t h = 0; h < task.heads; ++h) {
    const std::size_t first = h * task.size;
    gather_head(task, first, head, keys, values);
    for (std::size_t i = 0; i < task.query_count; i += kQueryTile) {
      const std::size_t count = std::min(kQueryTile, task.query_count - i);
      head.queries = task.queries.data + i * task.queries.stride + first;
      head.query_stride = task.queries.stride;
      if (count < kQueryTile) {
        for (std::size_t r = 0; r < count; ++r)
          std::copy_n(head.queries + r * task.queries.stride, task.size, last_queries + r * task.size);
        head.queries = last_queries;
        head.query_stride = task.size;
      }
      attend_tile(head);
      for (std::size_t r = 0; r < count; ++r)
        std::copy_n(head.sums + r * head.padded_size, task.size,
                    task.out + (i + r) * task.heads * task.size + first);
    }
  }
}

}  // namespace sotto::lm
#endif

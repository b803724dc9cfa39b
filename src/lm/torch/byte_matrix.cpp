#include "lm/torch/byte_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

// The target with 8-bit inner products; Highway omits it unless asked.
#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lm/torch/byte_matrix.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef SOTTO_LM_BYTE_PANEL
#define SOTTO_LM_BYTE_PANEL
namespace sotto::lm {

/// Outputs per panel: four of the widest registers of 32-bit sums.
inline constexpr std::size_t kPanel = ByteMatrix::kPanel;
/// Vectors multiplied at once, such that their sums and a panel's weights fill 32 registers.
inline constexpr std::size_t kTile = 6;

/// A panel of weights and the vectors to multiply with it.
struct BytePanel {
  const std::int8_t* weights;   ///< kPanel · quads · 4 bytes, in the order of ByteKernels::place
  const std::int32_t* offsets;  ///< kPanel of them
  const float* scales;          ///< kPanel of them
  const float* bias;            ///< kPanel of them
  std::size_t quads;            ///< bytes of a vector, in units of four
  const std::uint8_t* vectors;  ///< 4 · quads bytes each
  const float* vector_scales;
  std::size_t count;       ///< vectors
  float* out;              ///< the first output of the panel
  std::size_t out_stride;  ///< between vectors
  std::size_t width;       ///< outputs that exist, 1 to kPanel
};

struct ByteKernels {
  /// The position in a panel of the byte of output r (below kPanel) and column c.
  std::size_t (*place)(std::size_t r, std::size_t c, std::size_t quads);
  void (*multiply)(const BytePanel& panel);
  /// Rounds a vector to bytes + 128 and returns the scale.
  float (*quantize)(const float* vector, std::size_t count, std::uint8_t* out);
  const char* name;  ///< of the instruction set
};

}  // namespace sotto::lm
#endif

HWY_BEFORE_NAMESPACE();
namespace sotto::lm {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

float quantize(const float* HWY_RESTRICT vector, std::size_t count, std::uint8_t* HWY_RESTRICT out) {
  const hn::CappedTag<float, 16> floats;
  const hn::Rebind<std::uint8_t, decltype(floats)> bytes;
  const hn::RebindToSigned<decltype(floats)> integers;
  const std::size_t lanes = hn::Lanes(floats);
  const std::size_t whole = count / lanes * lanes;
  auto largest = hn::Zero(floats);
  for (std::size_t i = 0; i < whole; i += lanes)
    largest = hn::Max(largest, hn::Abs(hn::LoadU(floats, vector + i)));
  float magnitude = hn::GetLane(hn::MaxOfLanes(floats, largest));
  for (std::size_t i = whole; i < count; ++i) magnitude = std::max(magnitude, std::abs(vector[i]));
  const float inverse = magnitude > 0 ? 127 / magnitude : 0;
  const auto factor = hn::Set(floats, inverse);
  for (std::size_t i = 0; i < whole; i += lanes) {
    const auto rounded = hn::NearestInt(hn::Mul(hn::LoadU(floats, vector + i), factor));
    hn::StoreU(hn::DemoteTo(bytes, hn::Add(rounded, hn::Set(integers, 128))), bytes, out + i);
  }
  for (std::size_t i = whole; i < count; ++i)
    out[i] = static_cast<std::uint8_t>(std::lrint(vector[i] * inverse) + 128);
  return magnitude / 127;
}

#if HWY_TARGET == HWY_AVX3_DL

// Highway 1.0 has no 8-bit inner product, and its pragma for this target omits the feature, although Highway
// tests for it.
#pragma GCC push_options
#pragma GCC target("avx512vnni")

// For each quad of columns, the quads of all outputs.
std::size_t place(std::size_t r, std::size_t c, std::size_t) {
  return c / 4 * (4 * kPanel) + 4 * r + c % 4;
}

// The exact sums of kVectors vectors with all outputs. They are returned through memory; otherwise the
// compiler would keep them there throughout.
template <std::size_t kVectors>
__attribute__((always_inline)) inline void sum_tile(const BytePanel& panel, std::size_t first,
                                                    std::int32_t (*out)[kPanel]) {
  constexpr std::size_t kRegisters = kPanel / 16;
  const std::size_t stride = 4 * panel.quads;
  __m512i sums[kVectors][kRegisters];
#pragma GCC unroll 8
  for (std::size_t v = 0; v < kVectors; ++v) {
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kRegisters; ++p) sums[v][p] = _mm512_load_si512(panel.offsets + 16 * p);
  }
  const std::int8_t* weights = panel.weights;
  const std::uint8_t* vectors = panel.vectors + first * stride;
  for (std::size_t quad = 0; quad < panel.quads; ++quad, vectors += 4, weights += 4 * kPanel) {
    __m512i weight[kRegisters];
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kRegisters; ++p) weight[p] = _mm512_load_si512(weights + 64 * p);
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
      std::int32_t four;
      __builtin_memcpy(&four, vectors + v * stride, 4);
      const __m512i vector = _mm512_set1_epi32(four);
#pragma GCC unroll 8
      for (std::size_t p = 0; p < kRegisters; ++p)
        sums[v][p] = _mm512_dpbusd_epi32(sums[v][p], vector, weight[p]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t v = 0; v < kVectors; ++v) {
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kRegisters; ++p) _mm512_store_si512(out[v] + 16 * p, sums[v][p]);
  }
}

// Applies the scales and the bias.
void finish_vector(const BytePanel& panel, std::size_t vector, const std::int32_t* sums) {
  const __m512 vector_scale = _mm512_set1_ps(panel.vector_scales[vector]);
  float* const out = panel.out + vector * panel.out_stride;
  for (std::size_t i = 0; i < panel.width; i += 16) {
    const std::size_t left = panel.width - i;
    const auto there = static_cast<__mmask16>(left >= 16 ? 0xFFFF : (1U << left) - 1);
    const __m512 factor = _mm512_mul_ps(_mm512_load_ps(panel.scales + i), vector_scale);
    const __m512 sum = _mm512_cvtepi32_ps(_mm512_load_si512(sums + i));
    _mm512_mask_storeu_ps(out + i, there, _mm512_fmadd_ps(sum, factor, _mm512_load_ps(panel.bias + i)));
  }
}

template <std::size_t kVectors>
void multiply_tile(const BytePanel& panel, std::size_t first) {
  alignas(64) std::int32_t sums[kVectors][kPanel];
  sum_tile<kVectors>(panel, first, sums);
  for (std::size_t v = 0; v < kVectors; ++v) finish_vector(panel, first + v, sums[v]);
}

void multiply(const BytePanel& panel) {
  std::size_t first = 0;
  for (; first + kTile <= panel.count; first += kTile) multiply_tile<kTile>(panel, first);
  for (; first + 2 <= panel.count; first += 2) multiply_tile<2>(panel, first);
  if (first < panel.count) multiply_tile<1>(panel, first);
}

#pragma GCC pop_options

#else

// Row by row.
std::size_t place(std::size_t r, std::size_t c, std::size_t quads) {
  return r * 4 * quads + c;
}

std::int32_t inner_product(const std::uint8_t* HWY_RESTRICT a, const std::int8_t* HWY_RESTRICT b,
                           std::size_t count) {
  std::int32_t total = 0;
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<std::int32_t, 16> sums;
  const hn::Repartition<std::int16_t, decltype(sums)> wide;
  const hn::Rebind<std::int8_t, decltype(wide)> narrow;
  const hn::Rebind<std::uint8_t, decltype(wide)> narrow_unsigned;
  auto even = hn::Zero(sums);
  auto odd = hn::Zero(sums);
  for (; i + hn::Lanes(wide) <= count; i += hn::Lanes(wide))
    even = hn::ReorderWidenMulAccumulate(sums, hn::PromoteTo(wide, hn::LoadU(narrow_unsigned, a + i)),
                                         hn::PromoteTo(wide, hn::LoadU(narrow, b + i)), even, odd);
  total = hn::GetLane(hn::SumOfLanes(sums, hn::Add(even, odd)));
#endif
  for (; i < count; ++i) total += a[i] * b[i];
  return total;
}

void multiply(const BytePanel& panel) {
  const std::size_t stride = 4 * panel.quads;
  for (std::size_t v = 0; v < panel.count; ++v) {
    for (std::size_t r = 0; r < panel.width; ++r) {
      const std::int32_t sum =
          inner_product(panel.vectors + v * stride, panel.weights + r * stride, stride) + panel.offsets[r];
      panel.out[v * panel.out_stride + r] =
          static_cast<float>(sum) * (panel.scales[r] * panel.vector_scales[v]) + panel.bias[r];
    }
  }
}

#endif  // HWY_TARGET == HWY_AVX3_DL

}  // namespace

const ByteKernels& kernels() {
  static const ByteKernels kKernels{&place, &multiply, &quantize, hwy::TargetName(HWY_TARGET)};
  return kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto::lm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::lm {
namespace {

HWY_EXPORT(kernels);

const ByteKernels& byte_kernels() {
  static const ByteKernels& kChosen = []() -> const ByteKernels& {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return HWY_DYNAMIC_DISPATCH(kernels)();
  }();
  return kChosen;
}

// Vectors rounded together: with a panel of weights they fit the second-level cache.
constexpr std::size_t kVectorBlock = 16 * kTile;

constexpr std::size_t rounded_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

const char* byte_kernel_name() {
  return byte_kernels().name;
}

ByteMatrix::ByteMatrix(const std::int8_t* values, const float* scales, std::size_t rows, std::size_t columns)
    : rows_(rows),
      columns_(columns),
      packed_(rounded_up(rows, kPanel) * rounded_up(columns, 4)),
      offsets_(rounded_up(rows, kPanel)),
      scales_(rounded_up(rows, kPanel)) {
  const auto place = byte_kernels().place;
  const std::size_t quads = rounded_up(columns, 4) / 4;
  for (std::size_t r = 0; r < rows; ++r) {
    std::int8_t* const panel = packed_.data() + r / kPanel * kPanel * 4 * quads;
    std::int32_t sum = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      panel[place(r % kPanel, c, quads)] = values[r * columns + c];
      sum += values[r * columns + c];
    }
    offsets_.data()[r] = -128 * sum;
    scales_.data()[r] = scales[r];
  }
}

void ByteMatrix::multiply(const float* vectors, std::size_t count, const float* bias, float* out,
                          const Rows& which) const {
  const ByteKernels& kernels = byte_kernels();
  const std::size_t quads = rounded_up(columns_, 4) / 4;
  AlignedBuffer<std::uint8_t> bytes(std::min(count, kVectorBlock) * 4 * quads);
  float vector_scales[kVectorBlock];
  alignas(64) float panel_bias[kPanel] = {};
  for (std::size_t first = 0; first < count; first += kVectorBlock) {
    const std::size_t block = std::min(kVectorBlock, count - first);
    for (std::size_t v = 0; v < block; ++v)
      vector_scales[v] =
          kernels.quantize(vectors + (first + v) * columns_, columns_, bytes.data() + v * 4 * quads);
    for (std::size_t r = which.first; r < which.first + which.count; r += kPanel) {
      const std::size_t width = std::min(kPanel, which.first + which.count - r);
      if (bias != nullptr) std::copy_n(bias + r, width, panel_bias);
      kernels.multiply({packed_.data() + r * 4 * quads, offsets_.data() + r, scales_.data() + r, panel_bias,
                        quads, bytes.data(), vector_scales, block, out + first * rows_ + r, rows_, width});
    }
  }
}

float to_bytes(const float* row, std::size_t count, std::size_t stride, std::int8_t* out) {
  float magnitude = 0;
  for (std::size_t i = 0; i < count; ++i) magnitude = std::max(magnitude, std::abs(row[i * stride]));
  const float inverse = magnitude > 0 ? 127 / magnitude : 0;
  for (std::size_t i = 0; i < count; ++i)
    out[i] = static_cast<std::int8_t>(std::lrint(row[i * stride] * inverse));
  return magnitude / 127;
}

}  // namespace sotto::lm
#endif

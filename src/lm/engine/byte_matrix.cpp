#include "lm/engine/byte_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

// The target with 8-bit inner products; Highway omits it unless asked.
#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lm/engine/byte_matrix.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef SOTTO_LM_BYTE_PANEL
#define SOTTO_LM_BYTE_PANEL
namespace sotto::lm {

/// Outputs per panel: four of the widest registers of 32-bit sums.
inline constexpr std::size_t kPanel = ByteMatrix::kPanel;

/// A panel of weights and the vectors to multiply with it.
struct BytePanel {
  const std::int8_t* weights;   ///< per step, `unit` bytes of each of kPanel outputs
  const std::int32_t* offsets;  ///< kPanel of them
  const float* scales;          ///< kPanel of them
  const float* bias;            ///< kPanel of them
  std::size_t steps;
  const std::uint8_t* vectors;  ///< four bytes per step
  std::size_t vector_stride;
  const float* vector_scales;
  std::size_t count;       ///< vectors
  float* out;              ///< the first output of the panel
  std::size_t out_stride;  ///< between vectors
  std::size_t width;       ///< outputs that exist, 1 to kPanel
  bool add;                ///< to what `out` holds
};

struct ByteKernels {
  /// Numbers of a vector in its four bytes per step: four, as bytes + 128, or two, of 16 bits.
  std::size_t unit;
  void (*multiply)(const BytePanel& panel);
  /// Rounds a vector in the form that `multiply` takes, and returns the scale.
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
using Floats = hn::CappedTag<float, 16>;
using Integers = hn::RebindToSigned<Floats>;

// Instruction sets that came later have smaller numbers.
#if HWY_TARGET <= HWY_AVX3_DL
using Rounded = std::uint8_t;
constexpr std::int32_t kShift = 128;  // to unsigned bytes, which the instruction takes
#else
using Rounded = std::int16_t;
constexpr std::int32_t kShift = 0;
#endif

// The largest magnitude. As integers, magnitudes have the same order, and those that are no numbers are above
// all others.
float magnitude_of(const float* HWY_RESTRICT vector, std::size_t count) {
  const Integers integers;
  const auto mask = hn::Set(integers, 0x7FFFFFFF);
  const std::size_t lanes = hn::Lanes(integers);
  const std::size_t whole = count / lanes * lanes;
  auto largest = hn::Zero(integers);
  for (std::size_t i = 0; i < whole; i += lanes)
    largest = hn::Max(largest, hn::And(hn::BitCast(integers, hn::LoadU(Floats(), vector + i)), mask));
  std::int32_t result = hn::GetLane(hn::MaxOfLanes(integers, largest));
  for (std::size_t i = whole; i < count; ++i) {
    std::int32_t bits;
    std::memcpy(&bits, vector + i, sizeof bits);
    result = std::max(result, bits & 0x7FFFFFFF);
  }
  float magnitude;
  std::memcpy(&magnitude, &result, sizeof magnitude);
  return magnitude;
}

float quantize(const float* HWY_RESTRICT vector, std::size_t count, std::uint8_t* HWY_RESTRICT out) {
  const Floats floats;
  const Integers integers;
  const hn::Rebind<Rounded, Floats> narrow;
  const float magnitude = magnitude_of(vector, count);
  const bool finite = magnitude <= std::numeric_limits<float>::max();
  // Below this, 127 divided by it could overflow; such a vector is as good as 0.
  const float inverse = finite && magnitude > 1e-30F ? 127 / magnitude : 0;
  auto* const rounded = reinterpret_cast<Rounded*>(out);
  if (inverse == 0) {
    std::fill_n(rounded, count, static_cast<Rounded>(kShift));
    return finite ? 0 : std::numeric_limits<float>::quiet_NaN();
  }
  const auto factor = hn::Set(floats, inverse);
  const std::size_t lanes = hn::Lanes(floats);
  const std::size_t whole = count / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    const auto nearest = hn::NearestInt(hn::Mul(hn::LoadU(floats, vector + i), factor));
    hn::StoreU(hn::DemoteTo(narrow, hn::Add(nearest, hn::Set(integers, kShift))), narrow, rounded + i);
  }
  for (std::size_t i = whole; i < count; ++i)
    rounded[i] = static_cast<Rounded>(std::lrint(vector[i] * inverse) + kShift);
  return magnitude / 127;
}

// Applies the scales and the bias.
HWY_INLINE void finish_vector(const BytePanel& panel, std::size_t vector, const std::int32_t* sums) {
  const Floats floats;
  const Integers integers;
  const auto vector_scale = hn::Set(floats, panel.vector_scales[vector]);
  float* const out = panel.out + vector * panel.out_stride;
  float part[kPanel];
  float* const target = panel.width == kPanel ? out : part;
  if (panel.add && target == part) std::copy_n(out, panel.width, part);
  for (std::size_t i = 0; i < panel.width; i += hn::Lanes(floats)) {
    const auto factor = hn::Mul(hn::LoadU(floats, panel.scales + i), vector_scale);
    const auto sum = hn::ConvertTo(floats, hn::LoadU(integers, sums + i));
    auto value = hn::Add(hn::Mul(sum, factor), hn::LoadU(floats, panel.bias + i));
    if (panel.add) value = hn::Add(hn::LoadU(floats, target + i), value);
    hn::StoreU(value, floats, target + i);
  }
  if (target == part) std::copy_n(part, panel.width, out);
}

HWY_INLINE std::int32_t four_bytes(const std::uint8_t* bytes) {
  std::int32_t four;
  __builtin_memcpy(&four, bytes, 4);
  return four;
}

#if HWY_TARGET <= HWY_AVX3_DL

// Highway 1.0 has no 8-bit inner product, and its pragma for this target omits the feature, although Highway
// tests for it.
#pragma GCC push_options
#pragma GCC target("avx512vnni")

constexpr std::size_t kUnit = 4;
// Vectors multiplied at once, such that their sums and a panel's weights fill 32 registers.
constexpr std::size_t kTile = 6;

// The exact sums of kVectors vectors with all outputs. They are returned through memory; otherwise the
// compiler would keep them there throughout.
template <std::size_t kVectors>
void sum_tile(const BytePanel& panel, std::size_t first, std::int32_t (*out)[kPanel]) {
  constexpr std::size_t kRegisters = kPanel / 16;
  const std::size_t stride = panel.vector_stride;
  __m512i sums[kVectors][kRegisters];
#pragma GCC unroll 8
  for (std::size_t v = 0; v < kVectors; ++v) {
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kRegisters; ++p) sums[v][p] = _mm512_load_si512(panel.offsets + 16 * p);
  }
  const std::int8_t* weights = panel.weights;
  const std::uint8_t* vectors = panel.vectors + first * stride;
  for (std::size_t step = 0; step < panel.steps; ++step, vectors += 4, weights += 4 * kPanel) {
    __m512i weight[kRegisters];
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kRegisters; ++p) weight[p] = _mm512_load_si512(weights + 64 * p);
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
      const __m512i vector = _mm512_set1_epi32(four_bytes(vectors + v * stride));
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

#pragma GCC pop_options

#else

constexpr std::size_t kUnit = 2;

#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

constexpr std::size_t kTile = HWY_TARGET <= HWY_AVX3 ? 6 : 4;

// Products of 16 bits: the instruction of 8 bits saturates.
template <std::size_t kVectors>
HWY_INLINE void sum_tile(const BytePanel& panel, std::size_t first, std::int32_t (*out)[kPanel]) {
  const hn::CappedTag<std::int32_t, 16> sums_tag;
  using Sums = hn::Vec<decltype(sums_tag)>;
  const hn::Repartition<std::int16_t, decltype(sums_tag)> wide;
  const hn::Rebind<std::int8_t, decltype(wide)> narrow;
  constexpr std::size_t kLanes = HWY_TARGET <= HWY_AVX3 ? 16 : HWY_TARGET <= HWY_AVX2 ? 8 : 4;
  constexpr std::size_t kRegisters = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
  for (std::size_t group = 0; group < kPanel; group += kRegisters * kLanes) {
    Sums sums[kVectors][kRegisters];
    for (std::size_t v = 0; v < kVectors; ++v)
      for (std::size_t p = 0; p < kRegisters; ++p)
        sums[v][p] = hn::LoadU(sums_tag, panel.offsets + group + p * kLanes);
    const std::int8_t* weights = panel.weights + 2 * group;
    const std::uint8_t* vectors = panel.vectors + first * panel.vector_stride;
    for (std::size_t step = 0; step < panel.steps; ++step, vectors += 4, weights += 2 * kPanel) {
      hn::Vec<decltype(wide)> weight[kRegisters];
      for (std::size_t p = 0; p < kRegisters; ++p)
        weight[p] = hn::PromoteTo(wide, hn::LoadU(narrow, weights + 2 * p * kLanes));
      for (std::size_t v = 0; v < kVectors; ++v) {
        const auto vector =
            hn::BitCast(wide, hn::Set(sums_tag, four_bytes(vectors + v * panel.vector_stride)));
        auto unused = hn::Zero(sums_tag);
        for (std::size_t p = 0; p < kRegisters; ++p)
          sums[v][p] = hn::ReorderWidenMulAccumulate(sums_tag, vector, weight[p], sums[v][p], unused);
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v)
      for (std::size_t p = 0; p < kRegisters; ++p)
        hn::StoreU(sums[v][p], sums_tag, out[v] + group + p * kLanes);
  }
}

#else

constexpr std::size_t kTile = 4;

template <std::size_t kVectors>
void sum_tile(const BytePanel& panel, std::size_t first, std::int32_t (*out)[kPanel]) {
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::uint8_t* const vector = panel.vectors + (first + v) * panel.vector_stride;
    std::copy_n(panel.offsets, kPanel, out[v]);
    for (std::size_t step = 0; step < panel.steps; ++step) {
      std::int16_t pair[2];
      std::memcpy(pair, vector + 4 * step, sizeof pair);
      const std::int8_t* const weights = panel.weights + 2 * kPanel * step;
      for (std::size_t r = 0; r < kPanel; ++r)
        out[v][r] += pair[0] * weights[2 * r] + pair[1] * weights[2 * r + 1];
    }
  }
}

#endif

#endif  // HWY_TARGET <= HWY_AVX3_DL

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

}  // namespace

const ByteKernels& kernels() {
  static const ByteKernels kKernels{kUnit, &multiply, &quantize, hwy::TargetName(HWY_TARGET)};
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
  return HWY_DYNAMIC_DISPATCH(kernels)();
}

constexpr std::size_t rounded_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

// The bytes of kPanel rows, or fewer, in the order of the kernels.
void pack_panel(const std::int8_t* values, std::size_t rows, std::size_t columns, std::size_t unit,
                std::int8_t* out) {
  const std::size_t whole = columns / unit * unit;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::int8_t* const row = values + r * columns;
    std::int8_t* to = out + unit * r;
    if (unit == 4)
      for (std::size_t c = 0; c < whole; c += 4, to += 4 * kPanel) std::memcpy(to, row + c, 4);
    else
      for (std::size_t c = 0; c < whole; c += 2, to += 2 * kPanel) std::memcpy(to, row + c, 2);
    std::copy(row + whole, row + columns, to);
  }
}

}  // namespace

const char* byte_kernel_name() {
  return byte_kernels().name;
}

void ByteVectors::reset(std::size_t count, std::size_t columns) {
  kernels_ = &byte_kernels();
  count_ = count;
  columns_ = columns;
  const std::size_t steps = rounded_up(columns, kernels_->unit) / kernels_->unit;
  stride_ = 4 * steps;
  bytes_.grow(count * stride_);
  scales_.resize(count);
  // What follows the last number is multiplied by weights that are 0.
  if (columns % kernels_->unit != 0)
    for (std::size_t i = 0; i < count; ++i) std::fill_n(bytes_.data() + (i + 1) * stride_ - 4, 4, 0);
}

void ByteVectors::set(std::size_t i, const float* vector) {
  scales_[i] = kernels_->quantize(vector, columns_, bytes_.data() + i * stride_);
}

ByteMatrix::ByteMatrix(const std::int8_t* values, const float* scales, std::size_t rows, std::size_t columns)
    : kernels_(&byte_kernels()),
      rows_(rows),
      columns_(columns),
      steps_(rounded_up(columns, kernels_->unit) / kernels_->unit),
      packed_(rounded_up(rows, kPanel) * steps_ * kernels_->unit),
      offsets_(rounded_up(rows, kPanel)),
      scales_(rounded_up(rows, kPanel)) {
  for (std::size_t r = 0; r < rows; r += kPanel)
    pack_panel(values + r * columns, std::min(kPanel, rows - r), columns, kernels_->unit,
               packed_.data() + r * steps_ * kernels_->unit);
  std::copy_n(scales, rows, scales_.data());
  if (kernels_->unit != 4) return;
  // 128 is added to the vectors' bytes. Only the remainder of a sum counts, so it may overflow on the way.
  for (std::size_t r = 0; r < rows; ++r) {
    std::int32_t sum = 0;
    for (std::size_t c = 0; c < columns; ++c) sum += values[r * columns + c];
    offsets_.data()[r] = -128 * sum;
  }
}

void ByteMatrix::multiply(const ByteVectors& vectors, const float* bias, float* out, std::size_t stride,
                          Rows which, Into into) const {
  alignas(64) float panel_bias[kPanel] = {};
  for (std::size_t r = which.first; r < which.first + which.count; r += kPanel) {
    const std::size_t width = std::min(kPanel, which.first + which.count - r);
    if (bias != nullptr) std::copy_n(bias + r, width, panel_bias);
    kernels_->multiply({packed_.data() + r * steps_ * kernels_->unit, offsets_.data() + r, scales_.data() + r,
                        panel_bias, steps_, vectors.bytes_.data(), vectors.stride_, vectors.scales_.data(),
                        vectors.count_, out + r, stride, width, into == Into::add});
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

#include "mechanisms/noise/noise_kernel.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechanisms/noise/noise_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::mechanism {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most 16 values per register, so that a panel is a whole number of register pairs on every target.
using Floats = hn::CappedTag<float, 16>;

// Multiplication and addition stay separate: a fused operation rounds once instead of twice.
template <std::size_t kVectors>
HWY_INLINE void multiply_part(const ShapePanel& panel, std::size_t first_row, const float* vectors,
                              std::size_t stride, float* sums) {
  const Floats floats;
  const std::size_t lanes = hn::Lanes(floats);
  hn::Vec<Floats> low[kVectors];
  hn::Vec<Floats> high[kVectors];
  for (std::size_t q = 0; q < kVectors; ++q) low[q] = high[q] = hn::Zero(floats);
  const float* HWY_RESTRICT entries = panel.entries + first_row;
  for (std::size_t c = 0; c < panel.columns; ++c, entries += kShapePanel) {
    const auto first = hn::Load(floats, entries);
    const auto second = hn::Load(floats, entries + lanes);
    for (std::size_t q = 0; q < kVectors; ++q) {
      const auto x = hn::Set(floats, vectors[q * stride + c]);
      low[q] = hn::Add(low[q], hn::Mul(first, x));
      high[q] = hn::Add(high[q], hn::Mul(second, x));
    }
  }
  for (std::size_t q = 0; q < kVectors; ++q) {
    hn::StoreU(low[q], floats, sums + q * kShapePanel + first_row);
    hn::StoreU(high[q], floats, sums + q * kShapePanel + first_row + lanes);
  }
}

template <std::size_t kVectors>
HWY_INLINE void multiply_vectors(const ShapePanel& panel, const float* vectors, std::size_t stride,
                                 float* out) {
  float sums[kVectors * kShapePanel];
  for (std::size_t row = 0; row < kShapePanel; row += 2 * hn::Lanes(Floats()))
    multiply_part<kVectors>(panel, row, vectors, stride, sums);
  for (std::size_t q = 0; q < kVectors; ++q)
    std::copy_n(sums + q * kShapePanel, panel.rows, out + q * stride);
}

void multiply_panel(const ShapePanel& panel, const float* vectors, std::size_t count, std::size_t stride,
                    float* out) {
  constexpr std::size_t kAtOnce = 6;  // twelve sums, two rows and a value fit into 16 registers
  std::size_t q = 0;
  for (; q + kAtOnce <= count; q += kAtOnce)
    multiply_vectors<kAtOnce>(panel, vectors + q * stride, stride, out + q * stride);
  for (; q < count; ++q) multiply_vectors<1>(panel, vectors + q * stride, stride, out + q * stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto::mechanism
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::mechanism {

HWY_EXPORT(multiply_panel);

void multiply_shape_panel(const ShapePanel& panel, const float* vectors, std::size_t count,
                          std::size_t stride, float* out) {
  HWY_DYNAMIC_DISPATCH(multiply_panel)(panel, vectors, count, stride, out);
}

}  // namespace sotto::mechanism
#endif

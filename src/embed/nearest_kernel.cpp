#include "embed/nearest_kernel.hpp"

// The target with 8-bit inner products; Highway omits it unless asked.
#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "embed/nearest_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::embed {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

// For processors without any instruction set that Highway supports.
void multiply(const std::int16_t* rows, const std::int16_t* queries, std::size_t query_count,
              std::size_t stride, std::int32_t* out) {
  for (std::size_t q = 0; q < query_count; ++q) {
    for (std::size_t r = 0; r < kPanelRows; ++r) {
      std::uint32_t sum = 0;
      for (std::size_t i = 0; i < stride; ++i)
        sum += static_cast<std::uint32_t>(rows[r * stride + i] * queries[q * stride + i]);
      out[q * kPanelRows + r] = static_cast<std::int32_t>(sum);
    }
  }
}

std::int64_t multiply_wide(const std::int16_t* row, const std::int32_t* query, std::size_t stride) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < stride; ++i) sum += std::int64_t{row[i]} * query[i];
  return sum;
}

#else

using Sums = hn::CappedTag<std::int32_t, 16>;
using Coordinates = hn::Repartition<std::int16_t, Sums>;
constexpr std::size_t kRowsAtOnce = 4;  // their sums fill a register of four

// The sums over every fourth lane.
template <class D>
HWY_INLINE hn::Vec<hn::CappedTag<std::int32_t, 4> > add_blocks(D, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) > 4) {
    const hn::Half<D> half;
    return add_blocks(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    return v;
  }
}

// The lane sums of a, b, c and d.
HWY_INLINE hn::Vec<hn::CappedTag<std::int32_t, 4> > add_lanes(hn::Vec<Sums> a, hn::Vec<Sums> b,
                                                              hn::Vec<Sums> c, hn::Vec<Sums> d) {
  const Sums sums;
  const hn::RepartitionToWide<Sums> wide;
  const auto ab =
      hn::BitCast(wide, hn::Add(hn::InterleaveLower(sums, a, b), hn::InterleaveUpper(sums, a, b)));
  const auto cd =
      hn::BitCast(wide, hn::Add(hn::InterleaveLower(sums, c, d), hn::InterleaveUpper(sums, c, d)));
  return add_blocks(sums, hn::Add(hn::BitCast(sums, hn::InterleaveLower(wide, ab, cd)),
                                  hn::BitCast(sums, hn::InterleaveUpper(wide, ab, cd))));
}

template <std::size_t kQueries>
HWY_INLINE void multiply_queries(const std::int16_t* HWY_RESTRICT rows,
                                 const std::int16_t* HWY_RESTRICT queries, std::size_t stride,
                                 std::int32_t* HWY_RESTRICT out) {
  const Sums sums;
  const Coordinates coordinates;
  const hn::CappedTag<std::int32_t, 4> four;
  hn::Vec<Sums> even[kQueries][kRowsAtOnce];
  hn::Vec<Sums> odd[kQueries][kRowsAtOnce];
  for (std::size_t q = 0; q < kQueries; ++q) {
    for (std::size_t r = 0; r < kRowsAtOnce; ++r) even[q][r] = odd[q][r] = hn::Zero(sums);
  }
  for (std::size_t i = 0; i < stride; i += hn::Lanes(coordinates)) {
    hn::Vec<Coordinates> query[kQueries];
    for (std::size_t q = 0; q < kQueries; ++q) query[q] = hn::Load(coordinates, queries + q * stride + i);
    for (std::size_t r = 0; r < kRowsAtOnce; ++r) {
      const auto row = hn::Load(coordinates, rows + r * stride + i);
      for (std::size_t q = 0; q < kQueries; ++q)
        even[q][r] = hn::ReorderWidenMulAccumulate(sums, row, query[q], even[q][r], odd[q][r]);
    }
  }
  for (std::size_t q = 0; q < kQueries; ++q) {
    for (std::size_t r = 0; r < kRowsAtOnce; ++r) even[q][r] = hn::Add(even[q][r], odd[q][r]);
    hn::Store(add_lanes(even[q][0], even[q][1], even[q][2], even[q][3]), four, out + q * kPanelRows);
  }
}

// Queries multiplied at once: with four rows each, their sums must stay in registers.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
constexpr std::size_t kQueriesAtOnce = 4;  // with 32 registers
#else
constexpr std::size_t kQueriesAtOnce = 2;  // with 16 registers
#endif

void multiply(const std::int16_t* rows, const std::int16_t* queries, std::size_t query_count,
              std::size_t stride, std::int32_t* out) {
  for (std::size_t row = 0; row < kPanelRows; row += kRowsAtOnce) {
    const std::int16_t* at = rows + row * stride;
    std::size_t q = 0;
    for (; q + kQueriesAtOnce <= query_count; q += kQueriesAtOnce)
      multiply_queries<kQueriesAtOnce>(at, queries + q * stride, stride, out + q * kPanelRows + row);
    for (; q < query_count; ++q)
      multiply_queries<1>(at, queries + q * stride, stride, out + q * kPanelRows + row);
  }
}

std::int64_t multiply_wide(const std::int16_t* HWY_RESTRICT row, const std::int32_t* HWY_RESTRICT query,
                           std::size_t stride) {
  const Sums narrow;
  const hn::Rebind<std::int16_t, Sums> coordinates;
  const hn::RepartitionToWide<Sums> wide;
  const hn::RebindToUnsigned<decltype(wide)> bits;
  auto even = hn::Zero(wide);
  auto odd = hn::Zero(wide);
  for (std::size_t i = 0; i < stride; i += hn::Lanes(narrow)) {
    const auto a = hn::PromoteTo(narrow, hn::Load(coordinates, row + i));
    const auto b = hn::Load(narrow, query + i);
    even = hn::Add(even, hn::MulEven(a, b));
    odd = hn::Add(odd, hn::MulEven(hn::BitCast(narrow, hn::ShiftRight<32>(hn::BitCast(bits, a))),
                                   hn::BitCast(narrow, hn::ShiftRight<32>(hn::BitCast(bits, b)))));
  }
  return hn::GetLane(hn::SumOfLanes(wide, hn::Add(even, odd)));
}

#endif  // HWY_TARGET == HWY_SCALAR

std::uint64_t compare(const std::int32_t* products, const RowBounds& rows, const QueryBounds& query) {
  const hn::CappedTag<float, 16> floats;
  const hn::RebindToSigned<decltype(floats)> integers;
  const auto per_length = hn::Set(floats, *query.per_length);
  const auto per_norm = hn::Set(floats, *query.per_squared_norm);
  const auto constant = hn::Set(floats, *query.constant);
  std::uint64_t passed = 0;
  for (std::size_t r = 0; r < kPanelRows; r += hn::Lanes(floats)) {
    auto sum = hn::NegMulAdd(per_norm, hn::LoadU(floats, rows.squared_norm + r), constant);
    sum = hn::MulAdd(per_length, hn::LoadU(floats, rows.length + r), sum);
    sum = hn::Add(hn::ConvertTo(floats, hn::LoadU(integers, products + r)), sum);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(floats, hn::Gt(sum, hn::Zero(floats)), bits);
    passed |= (bits[0] | static_cast<std::uint64_t>(bits[1]) << 8) << r;
  }
  return passed;
}

#if HWY_TARGET <= HWY_AVX3_DL

// Highway 1.0 has no 8-bit inner product, and its pragma for this target omits the feature, even though
// Highway tests for it.
#pragma GCC push_options
#pragma GCC target("avx512vnni")

// Inner products of kByteRows rows, each broadcast, with kRegisters registers of 16 queries. The results are
// passed through memory, as otherwise the compiler keeps the sums there.
template <std::size_t kRegisters>
__attribute__((always_inline)) inline void sum_bytes(const BytePanel& panel,
                                                     std::int32_t (*out)[kByteQueries]) {
  const std::size_t stride = 4 * panel.quads;
  __m512i sums[kByteRows][kRegisters];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kByteRows; ++r) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kRegisters; ++v) sums[r][v] = _mm512_set1_epi32(panel.bias[r]);
  }
  const std::int8_t* rows = panel.rows;
  const std::uint8_t* queries = panel.queries;
  for (std::size_t quad = 0; quad < panel.quads; ++quad, rows += 4, queries += 4 * kByteQueries) {
    __m512i query[kRegisters];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kRegisters; ++v) query[v] = _mm512_load_si512(queries + 64 * v);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kByteRows; ++r) {
      std::int32_t four;
      __builtin_memcpy(&four, rows + r * stride, 4);
      const __m512i row = _mm512_set1_epi32(four);
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kRegisters; ++v)
        sums[r][v] = _mm512_dpbusd_epi32(sums[r][v], query[v], row);
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kByteRows; ++r) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kRegisters; ++v) _mm512_store_si512(out[r] + 16 * v, sums[r][v]);
  }
}

// The products above which a row of the tile passes, for 16 queries starting at `first`. No product reaches
// the largest threshold, and a threshold below all integers becomes the smallest.
__attribute__((always_inline)) inline __m512i product_thresholds(const BytePanel& panel, std::size_t first) {
  const QueryBounds& query = panel.query_bounds;
  const TileBounds& tile = panel.tile;
  __m512 sum =
      _mm512_mul_ps(_mm512_load_ps(query.per_squared_norm + first), _mm512_set1_ps(tile.squared_norm));
  sum = _mm512_fnmadd_ps(_mm512_load_ps(query.per_length + first), _mm512_set1_ps(tile.length), sum);
  sum = _mm512_fnmadd_ps(_mm512_load_ps(query.per_residual + first), _mm512_set1_ps(tile.residual), sum);
  sum = _mm512_sub_ps(sum, _mm512_load_ps(query.constant + first));
  sum = _mm512_mul_ps(sum, _mm512_set1_ps(1 / tile.scale));
  return _mm512_cvt_roundps_epi32(_mm512_min_ps(sum, _mm512_set1_ps(0x1p30F)),
                                  _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

template <std::size_t kRegisters>
bool multiply_registers(const BytePanel& panel, std::uint64_t* passed) {
  alignas(64) std::int32_t products[kByteRows][kByteQueries];
  sum_bytes<kRegisters>(panel, products);
  const auto load = [&](std::size_t r, std::size_t v) { return _mm512_load_si512(products[r] + 16 * v); };
  __m512i thresholds[kRegisters];
  unsigned any = 0;
  for (std::size_t v = 0; v < kRegisters; ++v) {
    thresholds[v] = product_thresholds(panel, 16 * v);
    __m512i largest = load(0, v);
    for (std::size_t r = 1; r < kByteRows; ++r) largest = _mm512_max_epi32(largest, load(r, v));
    any |= _mm512_cmpgt_epi32_mask(largest, thresholds[v]);
  }
  if (any == 0) return false;
  for (std::size_t r = 0; r < kByteRows; ++r) {
    passed[r] = 0;
    for (std::size_t v = 0; v < kRegisters; ++v)
      passed[r] |= std::uint64_t{_mm512_cmpgt_epi32_mask(load(r, v), thresholds[v])} << (16 * v);
  }
  return true;
}

bool multiply_bytes(const BytePanel& panel, std::uint64_t* passed) {
  if (panel.count > 48) return multiply_registers<4>(panel, passed);
  if (panel.count > 32) return multiply_registers<3>(panel, passed);
  if (panel.count > 16) return multiply_registers<2>(panel, passed);
  return multiply_registers<1>(panel, passed);
}

#pragma GCC pop_options

constexpr auto kMultiplyBytes = &multiply_bytes;
#else
constexpr bool (*kMultiplyBytes)(const BytePanel&, std::uint64_t*) = nullptr;
#endif

}  // namespace

const NearestKernels& kernels() {
  static constexpr NearestKernels kKernels{&multiply, &compare, &multiply_wide, kMultiplyBytes};
  return kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto::embed
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::embed {

HWY_EXPORT(kernels);

const NearestKernels& nearest_kernels() {
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return HWY_DYNAMIC_DISPATCH(kernels)();
}

}  // namespace sotto::embed
#endif

#include "mechanisms/selection/selection_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechanisms/selection/selection_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::mechanism {
namespace HWY_NAMESPACE {

std::int32_t rest_of_product(const std::int16_t* a, const std::int16_t* b, std::size_t begin,
                             std::size_t end) {
  std::int32_t sum = 0;
  for (std::size_t c = begin; c < end; ++c) sum += std::int32_t{a[c]} * b[c];
  return sum;
}

#if HWY_TARGET == HWY_SCALAR

void multiply_rows(const std::int16_t* from, const std::int16_t* const* rows, std::size_t count,
                   std::size_t dimension, std::int32_t* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = rest_of_product(from, rows[i], 0, dimension);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

void multiply_rows(const std::int16_t* from, const std::int16_t* const* rows, std::size_t count,
                   std::size_t dimension, std::int32_t* out) {
  const hn::ScalableTag<std::int32_t> sums;
  const hn::Repartition<std::int16_t, decltype(sums)> coordinates;
  const std::size_t lanes = hn::Lanes(coordinates);
  const std::size_t whole = dimension / lanes * lanes;
  for (std::size_t i = 0; i < count; ++i) {
    auto even = hn::Zero(sums);
    auto odd = hn::Zero(sums);
    for (std::size_t c = 0; c < whole; c += lanes)
      even = hn::ReorderWidenMulAccumulate(sums, hn::LoadU(coordinates, from + c),
                                           hn::LoadU(coordinates, rows[i] + c), even, odd);
    const auto total = hn::SumOfLanes(sums, hn::Add(even, odd));
    out[i] = hn::GetLane(total) + rest_of_product(from, rows[i], whole, dimension);
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace sotto::mechanism
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::mechanism {
namespace {

HWY_EXPORT(multiply_rows);

}  // namespace

void inner_products(const std::int16_t* from, const std::int16_t* const* rows, std::size_t count,
                    std::size_t dimension, std::int32_t* out) {
  HWY_DYNAMIC_DISPATCH(multiply_rows)(from, rows, count, dimension, out);
}

}  // namespace sotto::mechanism
#endif

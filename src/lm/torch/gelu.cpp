#include "lm/torch/gelu.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lm/torch/gelu.cpp"
// clang-format off
// The order matters.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace sotto::lm {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, 16>;

// Φ by erfc(z) = (a1 t + … + a5 t⁵) e^(−z²), t = 1 / (1 + pz), with an error of at most 1.5e-7 (Abramowitz
// and Stegun, Handbook of Mathematical Functions, 7.1.26).
template <class V>
HWY_INLINE V gelu_of(V x) {
  const Floats floats;
  const auto one = hn::Set(floats, 1.0F);
  const auto z = hn::Mul(hn::Abs(x), hn::Set(floats, 0.70710678F));
  const auto t = hn::Div(one, hn::MulAdd(z, hn::Set(floats, 0.3275911F), one));
  auto sum = hn::Set(floats, 1.061405429F);
  sum = hn::MulAdd(sum, t, hn::Set(floats, -1.453152027F));
  sum = hn::MulAdd(sum, t, hn::Set(floats, 1.421413741F));
  sum = hn::MulAdd(sum, t, hn::Set(floats, -0.284496736F));
  sum = hn::MulAdd(sum, t, hn::Set(floats, 0.254829592F));
  const auto square = hn::Max(hn::Neg(hn::Mul(z, z)), hn::Set(floats, -1e4F));
  const auto beyond = hn::Mul(hn::Mul(hn::Mul(sum, t), hn::Set(floats, 0.5F)), hn::Exp(floats, square));
  return hn::Mul(x, hn::IfThenElse(hn::Lt(x, hn::Zero(floats)), beyond, hn::Sub(one, beyond)));
}

void gelu_all(float* HWY_RESTRICT numbers, std::size_t count) {
  const Floats floats;
  const std::size_t lanes = hn::Lanes(floats);
  const std::size_t whole = count / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes)
    hn::StoreU(gelu_of(hn::LoadU(floats, numbers + i)), floats, numbers + i);
  float rest[16] = {};
  std::copy(numbers + whole, numbers + count, rest);
  hn::StoreU(gelu_of(hn::LoadU(floats, rest)), floats, rest);
  std::copy_n(rest, count - whole, numbers + whole);
}

}  // namespace

using GeluAll = void (*)(float* numbers, std::size_t count);
GeluAll gelu_kernel() {
  return &gelu_all;
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto::lm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::lm {
namespace {

HWY_EXPORT(gelu_kernel);

}  // namespace

void gelu(float* numbers, std::size_t count) {
  static const auto kKernel = [] {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return HWY_DYNAMIC_DISPATCH(gelu_kernel)();
  }();
  kKernel(numbers, count);
}

}  // namespace sotto::lm
#endif

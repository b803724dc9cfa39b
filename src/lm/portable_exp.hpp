// The exponential in vector registers, from plain IEEE additions and multiplications: the same bits with
// every instruction set. Included once per instruction set, by sources compiled without contraction to fused
// multiply-adds; Highway's own function fuses them where it can.
#if defined(SOTTO_LM_PORTABLE_EXP) == defined(HWY_TARGET_TOGGLE)
#ifdef SOTTO_LM_PORTABLE_EXP
#undef SOTTO_LM_PORTABLE_EXP
#else
#define SOTTO_LM_PORTABLE_EXP
#endif

#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::lm {
namespace HWY_NAMESPACE {

/// e^x for doubles in [−700, 700], to a relative 1e-12.
template <class D, class V, hwy::EnableIf<sizeof(hwy::HWY_NAMESPACE::TFromD<D>) == 8>* = nullptr>
HWY_INLINE V portable_exp(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToUnsigned<D> bits;
  const auto round = hn::Set(d, 0x1.8p52);  // adding it rounds to an integer, which the low bits then hold
  const auto shifted = hn::Add(hn::Mul(x, hn::Set(d, 0x1.71547652b82fep0)), round);
  const auto k = hn::Sub(shifted, round);
  const auto r = hn::Sub(hn::Sub(x, hn::Mul(k, hn::Set(d, 0x1.62e42fefa3800p-1))),
                         hn::Mul(k, hn::Set(d, 0x1.ef35793c76730p-45)));
  auto sum = hn::Set(d, 1.0 / 3628800);
  for (const double coefficient :
       {1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
    sum = hn::Add(hn::Mul(sum, r), hn::Set(d, coefficient));
  const auto power = hn::ShiftLeft<52>(hn::Add(hn::BitCast(bits, shifted), hn::Set(bits, 1023)));
  return hn::Mul(sum, hn::BitCast(d, power));
}

/// e^x for floats in [−87, 87], to a relative 3e-7.
template <class D, class V, hwy::EnableIf<sizeof(hwy::HWY_NAMESPACE::TFromD<D>) == 4>* = nullptr>
HWY_INLINE V portable_exp(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToUnsigned<D> bits;
  const auto round = hn::Set(d, 0x1.8p23F);
  const auto shifted = hn::Add(hn::Mul(x, hn::Set(d, 0x1.715476p0F)), round);
  const auto k = hn::Sub(shifted, round);
  const auto r =
      hn::Sub(hn::Sub(x, hn::Mul(k, hn::Set(d, 0x1.62ep-1F))), hn::Mul(k, hn::Set(d, 0x1.0bfbe8p-15F)));
  auto sum = hn::Set(d, 1.0F / 720);
  for (const float coefficient : {1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F})
    sum = hn::Add(hn::Mul(sum, r), hn::Set(d, coefficient));
  const auto power = hn::ShiftLeft<23>(hn::Add(hn::BitCast(bits, shifted), hn::Set(bits, 127U)));
  return hn::Mul(sum, hn::BitCast(d, power));
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto::lm
HWY_AFTER_NAMESPACE();

#endif  // per instruction set

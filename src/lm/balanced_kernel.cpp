#include "lm/balanced_kernel.hpp"

#ifndef SOTTO_LM_BALANCED_KERNEL
#define SOTTO_LM_BALANCED_KERNEL
namespace sotto::lm {
namespace {

/// The functions compiled for one instruction set.
struct BalancedKernel {
  BalancedSum (*sum)(const BalancedTerms& terms, double shift);
  void (*write_weights)(const BalancedTerms& terms, double shift, double* out);
};

}  // namespace
}  // namespace sotto::lm
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lm/balanced_kernel.cpp"
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
using Doubles = hn::CappedTag<double, kBalancedLanes>;
using Vector = hn::Vec<Doubles>;

struct Term {
  Vector share;   // u
  Vector weight;  // base · e^(reach · u)
};

HWY_INLINE Term term_at(const BalancedTerms& terms, std::size_t i, Vector shift) {
  const Doubles doubles;
  const auto one = hn::Set(doubles, 1.0);
  const auto most = hn::Set(doubles, 60.0);  // 1/(1 + e^60) is negligible next to 1
  const auto exponent =
      hn::Mul(hn::Sub(shift, hn::LoadU(doubles, terms.scores + i)), hn::Set(doubles, terms.slope));
  const auto bounded = hn::Min(hn::Max(exponent, hn::Neg(most)), most);
  const auto share = hn::Div(one, hn::Add(one, hn::Exp(doubles, bounded)));
  const auto growth = hn::Exp(doubles, hn::Mul(share, hn::Set(doubles, terms.reach)));
  return {share, hn::Mul(hn::LoadU(doubles, terms.base + i), growth)};
}

BalancedSum sum(const BalancedTerms& terms, double shift) {
  const Doubles doubles;
  const auto shifts = hn::Set(doubles, shift);
  auto weights = hn::Zero(doubles);
  auto changes = hn::Zero(doubles);
  for (std::size_t i = 0; i < terms.count; i += hn::Lanes(doubles)) {
    const Term term = term_at(terms, i, shifts);
    weights = hn::Add(weights, term.weight);
    changes =
        hn::MulAdd(hn::Mul(term.weight, term.share), hn::Sub(hn::Set(doubles, 1.0), term.share), changes);
  }
  return {hn::GetLane(hn::SumOfLanes(doubles, weights)),
          -terms.reach * terms.slope * hn::GetLane(hn::SumOfLanes(doubles, changes))};
}

void write_weights(const BalancedTerms& terms, double shift, double* out) {
  const Doubles doubles;
  const auto shifts = hn::Set(doubles, shift);
  for (std::size_t i = 0; i < terms.count; i += hn::Lanes(doubles))
    hn::StoreU(term_at(terms, i, shifts).weight, doubles, out + i);
}

}  // namespace

BalancedKernel balanced_kernel() {
  return {&sum, &write_weights};
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto::lm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::lm {
namespace {

HWY_EXPORT(balanced_kernel);

const auto& kernel() {
  static const auto kKernel = [] {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return HWY_DYNAMIC_DISPATCH(balanced_kernel)();
  }();
  return kKernel;
}

}  // namespace

BalancedSum balanced_sum(const BalancedTerms& terms, double shift) {
  return kernel().sum(terms, shift);
}

void balanced_weights(const BalancedTerms& terms, double shift, double* out) {
  kernel().write_weights(terms, shift, out);
}

}  // namespace sotto::lm
#endif

#include "lm/balanced_kernel.hpp"

#ifndef SOTTO_LM_BALANCED_KERNEL
#define SOTTO_LM_BALANCED_KERNEL
namespace sotto::lm {
namespace {

/// The functions compiled for one instruction set.
struct BalancedKernel {
  ScoreRange (*range)(const double* scores, std::size_t count);
  BalancedSum (*sum)(const BalancedTerms& terms, double shift);
  BalancedSum (*write)(const BalancedTerms& terms, double shift, double* weights, double* shares);
  void (*move)(const BalancedTerms& terms, double step, const double* shares, double* weights);
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
#include "lm/portable_exp.hpp"
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
  Vector weight;  // base · e^(reach · u − log_total)
};

HWY_INLINE Vector clamped(Vector x, double most) {
  const Doubles doubles;
  return hn::Min(hn::Max(x, hn::Set(doubles, -most)), hn::Set(doubles, most));
}

HWY_INLINE Term term_at(const BalancedTerms& terms, std::size_t i, Vector shift) {
  const Doubles doubles;
  const auto one = hn::Set(doubles, 1.0);
  const auto exponent =
      hn::Mul(hn::Sub(shift, hn::LoadU(doubles, terms.scores + i)), hn::Set(doubles, terms.slope));
  // 1/(1 + e^60) is negligible next to 1.
  const auto share = hn::Div(one, hn::Add(one, portable_exp(doubles, clamped(exponent, 60))));
  const auto growth =
      hn::Sub(hn::Mul(share, hn::Set(doubles, terms.reach)), hn::Set(doubles, terms.log_total));
  return {share, hn::Mul(hn::LoadU(doubles, terms.base + i), portable_exp(doubles, clamped(growth, 700)))};
}

// A sum in kBalancedLanes parts, in memory between blocks of them.
struct Parts {
  double lanes[kBalancedLanes] = {};
  HWY_INLINE void add(std::size_t lane, Vector x) {
    const Doubles doubles;
    hn::StoreU(hn::Add(hn::LoadU(doubles, lanes + lane), x), doubles, lanes + lane);
  }
  double total() const {
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
  }
};

ScoreRange range(const double* scores, std::size_t count) {
  const Doubles doubles;
  auto least = hn::LoadU(doubles, scores);
  auto most = least;
  for (std::size_t i = 0; i < count; i += hn::Lanes(doubles)) {
    least = hn::Min(least, hn::LoadU(doubles, scores + i));
    most = hn::Max(most, hn::LoadU(doubles, scores + i));
  }
  return {hn::GetLane(hn::MinOfLanes(doubles, least)), hn::GetLane(hn::MaxOfLanes(doubles, most))};
}

template <bool kWrite>
HWY_INLINE BalancedSum sum_terms(const BalancedTerms& terms, double shift, double* weights, double* shares) {
  const Doubles doubles;
  const auto one = hn::Set(doubles, 1.0);
  const auto reach = hn::Set(doubles, terms.reach);
  const auto shifts = hn::Set(doubles, shift);
  Parts sums;
  Parts firsts;
  Parts seconds;
  for (std::size_t i = 0; i < terms.count; i += hn::Lanes(doubles)) {
    const std::size_t lane = i % kBalancedLanes;
    const Term term = term_at(terms, i, shifts);
    const auto rest = hn::Sub(one, term.share);
    const auto slope = hn::Mul(term.share, rest);
    const auto first = hn::Mul(term.weight, slope);
    sums.add(lane, term.weight);
    firsts.add(lane, first);
    seconds.add(lane, hn::Mul(first, hn::Add(hn::Mul(reach, slope), hn::Sub(rest, term.share))));
    if constexpr (kWrite) {
      hn::StoreU(term.weight, doubles, weights + i);
      hn::StoreU(term.share, doubles, shares + i);
    }
  }
  const double factor = terms.reach * terms.slope;
  return {sums.total(), -factor * firsts.total(), factor * terms.slope * seconds.total()};
}

BalancedSum sum(const BalancedTerms& terms, double shift) {
  return sum_terms<false>(terms, shift, nullptr, nullptr);
}

BalancedSum write(const BalancedTerms& terms, double shift, double* weights, double* shares) {
  return sum_terms<true>(terms, shift, weights, shares);
}

void move(const BalancedTerms& terms, double step, const double* shares, double* weights) {
  const Doubles doubles;
  const auto one = hn::Set(doubles, 1.0);
  const auto steps = hn::Set(doubles, terms.slope * step);
  const auto reach = hn::Set(doubles, terms.reach);
  const auto half = hn::Set(doubles, 0.5);
  for (std::size_t i = 0; i < terms.count; i += hn::Lanes(doubles)) {
    const auto share = hn::LoadU(doubles, shares + i);
    const auto rest = hn::Sub(one, share);
    const auto slope = hn::Mul(share, rest);
    const auto first = hn::Mul(hn::Mul(reach, slope), steps);
    const auto bend = hn::Mul(hn::Mul(steps, half), hn::Add(hn::Mul(reach, slope), hn::Sub(rest, share)));
    const auto factor = hn::Add(one, hn::Mul(first, hn::Sub(bend, one)));
    hn::StoreU(hn::Mul(hn::LoadU(doubles, weights + i), factor), doubles, weights + i);
  }
}

}  // namespace

BalancedKernel balanced_kernel() {
  return {&range, &sum, &write, &move};
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto::lm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::lm {
namespace {

HWY_EXPORT(balanced_kernel);

BalancedKernel kernel() {
  return HWY_DYNAMIC_DISPATCH(balanced_kernel)();
}

}  // namespace

ScoreRange range_of(const double* scores, std::size_t count) {
  return kernel().range(scores, count);
}

BalancedSum balanced_sum(const BalancedTerms& terms, double shift) {
  return kernel().sum(terms, shift);
}

BalancedSum balanced_weights(const BalancedTerms& terms, double shift, double* weights, double* shares) {
  return kernel().write(terms, shift, weights, shares);
}

void move_balanced_weights(const BalancedTerms& terms, double step, const double* shares, double* weights) {
  kernel().move(terms, step, shares, weights);
}

}  // namespace sotto::lm
#endif

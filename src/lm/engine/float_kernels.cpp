#include "lm/engine/float_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "random/portable_math.hpp"

#ifndef SOTTO_LM_FLOAT_KERNELS
#define SOTTO_LM_FLOAT_KERNELS
namespace sotto::lm {

/// Parts of every sum; divisible by all register sizes.
inline constexpr std::size_t kSumParts = 16;

struct FloatKernels {
  void (*activate)(Activation activation, float* numbers, std::size_t count);
  void (*normalize)(const NormOfRow& norm, const float* row, float* out);
  float (*square)(const float* numbers, std::size_t count);
  float (*exponentials)(const float* numbers, std::size_t count, float largest);
  void (*squash)(float* numbers, std::size_t count, float slope, float range);
};

}  // namespace sotto::lm
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lm/engine/float_kernels.cpp"
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
using Floats = hn::CappedTag<float, kSumParts>;
using Vector = hn::Vec<Floats>;

HWY_INLINE Vector set(float x) {
  return hn::Set(Floats(), x);
}

// e^x, with x brought into the range of the exponential. Hides what is not a number; callers care.
HWY_INLINE Vector exp_of(Vector x) {
  return portable_exp(Floats(), hn::Min(hn::Max(x, set(-87)), set(87)));
}

// Φ by erfc(z) = (a1 t + … + a5 t⁵) e^(−z²), t = 1 / (1 + pz), with an error of at most 1.5e-7 (Abramowitz
// and Stegun, Handbook of Mathematical Functions, 7.1.26).
HWY_INLINE Vector gelu_of(Vector x) {
  const auto one = set(1);
  const auto z = hn::Mul(hn::Abs(x), set(0.70710678F));
  const auto t = hn::Div(one, hn::Add(hn::Mul(z, set(0.3275911F)), one));
  auto sum = set(1.061405429F);
  for (const float coefficient : {-1.453152027F, 1.421413741F, -0.284496736F, 0.254829592F})
    sum = hn::Add(hn::Mul(sum, t), set(coefficient));
  const auto beyond = hn::Mul(hn::Mul(hn::Mul(sum, t), set(0.5F)), exp_of(hn::Neg(hn::Mul(z, z))));
  return hn::Mul(x, hn::IfThenElse(hn::Lt(x, hn::Zero(Floats())), beyond, hn::Sub(one, beyond)));
}

// x · sigmoid(y)
HWY_INLINE Vector gated(Vector x, Vector y) {
  return hn::Div(x, hn::Add(set(1), exp_of(hn::Neg(y))));
}

// ½x(1 + tanh(u)) = x · sigmoid(2u), u = √(2/π) · (x + 0.044715 x³).
HWY_INLINE Vector gelu_tanh_of(Vector x) {
  const auto cube = hn::Mul(hn::Mul(hn::Mul(x, x), x), set(0.044715F));
  return gated(x, hn::Mul(hn::Add(x, cube), set(1.5957691F)));
}

// Calls body with each register and its index; the rest of the numbers come in a padded copy.
template <class Body>
HWY_INLINE void change_all(float* HWY_RESTRICT numbers, std::size_t count, const Body& body) {
  const Floats floats;
  const std::size_t lanes = hn::Lanes(floats);
  const std::size_t whole = count / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes)
    hn::StoreU(body(hn::LoadU(floats, numbers + i)), floats, numbers + i);
  float rest[kSumParts] = {};
  std::copy(numbers + whole, numbers + count, rest);
  hn::StoreU(body(hn::LoadU(floats, rest)), floats, rest);
  std::copy_n(rest, count - whole, numbers + whole);
}

void activate(Activation activation, float* numbers, std::size_t count) {
  switch (activation) {
    case Activation::gelu:
      return change_all(numbers, count, [](Vector x) { return gelu_of(x); });
    case Activation::gelu_tanh:
      return change_all(numbers, count, [](Vector x) { return gelu_tanh_of(x); });
    case Activation::silu:
      return change_all(numbers, count, [](Vector x) { return gated(x, x); });
    case Activation::relu:
      // What is not a number stays so.
      return change_all(numbers, count, [](Vector x) {
        return hn::IfThenElse(hn::Lt(x, hn::Zero(Floats())), hn::Zero(Floats()), x);
      });
  }
}

void squash(float* numbers, std::size_t count, float slope, float range) {
  const auto slopes = set(slope);
  const auto ranges = set(range);
  change_all(numbers, count, [&](Vector x) {
    // What is not a number stays so.
    return hn::IfThenElse(hn::Eq(x, x), gated(ranges, hn::Mul(x, slopes)), x);
  });
}

// Σ body(x) in kSumParts parts: number i goes to part i % kSumParts.
template <class Body>
HWY_INLINE float sum_of(const float* HWY_RESTRICT numbers, std::size_t count, const Body& body) {
  const Floats floats;
  const std::size_t lanes = hn::Lanes(floats);
  const std::size_t whole = count / kSumParts * kSumParts;
  float parts[kSumParts];
  for (std::size_t lane = 0; lane < kSumParts; lane += lanes) {
    auto sum = hn::Zero(floats);
    for (std::size_t i = lane; i < whole; i += kSumParts)
      sum = hn::Add(sum, body(hn::LoadU(floats, numbers + i)));
    hn::StoreU(sum, floats, parts + lane);
  }
  float rest[kSumParts] = {};
  std::copy(numbers + whole, numbers + count, rest);
  for (std::size_t lane = 0; lane < kSumParts; lane += lanes)
    hn::StoreU(body(hn::LoadU(floats, rest + lane)), floats, rest + lane);
  for (std::size_t i = 0; i < count - whole; ++i) parts[i] += rest[i];
  for (std::size_t half = kSumParts / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) parts[i] += parts[i + half];
  return parts[0];
}

float square(const float* numbers, std::size_t count) {
  return sum_of(numbers, count, [](Vector x) { return hn::Mul(x, x); });
}

float exponentials(const float* numbers, std::size_t count, float largest) {
  const auto top = set(largest);
  return sum_of(numbers, count, [&](Vector x) { return exp_of(hn::Sub(x, top)); });
}

void normalize(const NormOfRow& norm, const float* HWY_RESTRICT row, float* HWY_RESTRICT out) {
  const Floats floats;
  const auto width = static_cast<float>(norm.width);
  const float mean = sum_of(row, norm.width, [](Vector x) { return x; }) / width;
  const auto means = set(mean);
  const float squares = sum_of(row, norm.width, [&](Vector x) {
    const auto off = hn::Sub(x, means);
    return hn::Mul(off, off);
  });
  const float factor = 1 / std::sqrt(squares / width + norm.epsilon);
  const auto factors = set(factor);
  const std::size_t lanes = hn::Lanes(floats);
  const std::size_t whole = norm.width / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    const auto scaled = hn::Mul(hn::Sub(hn::LoadU(floats, row + i), means), factors);
    hn::StoreU(hn::Add(hn::Mul(scaled, hn::LoadU(floats, norm.weight + i)), hn::LoadU(floats, norm.bias + i)),
               floats, out + i);
  }
  for (std::size_t i = whole; i < norm.width; ++i)
    out[i] = (row[i] - mean) * factor * norm.weight[i] + norm.bias[i];
}

}  // namespace

const FloatKernels& float_kernels_of_target() {
  static const FloatKernels kKernels{&activate, &normalize, &square, &exponentials, &squash};
  return kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto::lm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::lm {
namespace {

HWY_EXPORT(float_kernels_of_target);

const FloatKernels& float_kernels() {
  return HWY_DYNAMIC_DISPATCH(float_kernels_of_target)();
}

}  // namespace

void gelu(float* numbers, std::size_t count) {
  float_kernels().activate(Activation::gelu, numbers, count);
}

void activate_all(Activation activation, float* numbers, std::size_t count) {
  float_kernels().activate(activation, numbers, count);
}

void normalize_row(const NormOfRow& norm, const float* row, float* out) {
  float_kernels().normalize(norm, row, out);
}

void squash_all(const BoundedHead& head, std::span<float> scores) {
  float_kernels().squash(scores.data(), scores.size(), head.slope, head.range);
}

float square_of_length(const float* numbers, std::size_t count) {
  return float_kernels().square(numbers, count);
}

float log_of_sum(const float* numbers, std::size_t count) {
  float largest = numbers[0];
  for (std::size_t i = 0; i < count; ++i)
    if (!(numbers[i] <= largest) && !std::isnan(largest)) largest = numbers[i];
  if (!std::isfinite(largest)) return largest;
  const float sum = float_kernels().exponentials(numbers, count, largest);
  return largest + static_cast<float>(random::portable_log(static_cast<double>(sum)));
}

}  // namespace sotto::lm
#endif

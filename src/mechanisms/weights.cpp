// This file is compiled with -ffp-contract=off: a multiplication and an addition fused by the compiler give a
// different result than on a processor that cannot fuse them.
#include "mechanisms/weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechanisms/weights.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::mechanism {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Words = hn::Rebind<std::uint64_t, Doubles>;

constexpr double kLog2E = 0x1.71547652b82fep0;
constexpr double kLn2High = 0x1.62e42fee00000p-1;  // the upper 33 bits, so that its multiples are exact
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kRounder = 0x1.8p52;  // adding it rounds to an integer, stored in the lowest bits

// exp(−a) = fraction · 2^−n, with fraction in [0.70, 1.42]; `n` is in the lowest bits of halvings.
struct Exponential {
  hn::Vec<Doubles> fraction;
  hn::Vec<Words> halvings;
};

HWY_INLINE Exponential negative_exp(hn::Vec<Doubles> a) {
  const Doubles d;
  const auto c = [&](double value) { return hn::Set(d, value); };
  const auto shifted = hn::Add(hn::Mul(a, c(kLog2E)), c(kRounder));
  const auto n = hn::Sub(shifted, c(kRounder));
  const auto r = hn::Add(hn::Sub(hn::Mul(n, c(kLn2High)), a), hn::Mul(n, c(kLn2Low)));
  const auto s = hn::Mul(r, r);
  // Even and odd powers separately: two short dependency chains instead of one long one.
  auto even = c(1.0 / 479001600);
  for (const double next : {1.0 / 3628800, 1.0 / 40320, 1.0 / 720, 1.0 / 24, 0.5, 1.0})
    even = hn::Add(hn::Mul(even, s), c(next));
  auto odd = c(1.0 / 6227020800);
  for (const double next : {1.0 / 39916800, 1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6, 1.0})
    odd = hn::Add(hn::Mul(odd, s), c(next));
  return {hn::Add(even, hn::Mul(odd, r)), hn::BitCast(Words(), shifted)};
}

HWY_INLINE hn::Vec<Doubles> exponents(const std::int64_t* squared, double slope, double cap) {
  const Doubles d;
  const Words words;
  // ORing an integer below 2^52 into the bits of the double 2^52 gives their sum.
  const auto integers = hn::LoadU(words, reinterpret_cast<const std::uint64_t*>(squared));
  const auto biased = hn::BitCast(d, hn::Or(integers, hn::Set(words, 0x4330000000000000)));
  const auto root = hn::Sqrt(hn::Sub(biased, hn::Set(d, 0x1p52)));
  return hn::Min(hn::Mul(root, hn::Set(d, slope)), hn::Set(d, cap));
}

// Applies `kernel` to whole registers, padding the last one.
template <class Out, class Kernel>
HWY_INLINE void for_registers(const std::int64_t* squared, std::size_t count, Out* out,
                              const Kernel& kernel) {
  const std::size_t lanes = hn::Lanes(Doubles());
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) kernel(squared + i, out + i);
  if (i == count) return;
  std::int64_t padded[HWY_MAX_BYTES / sizeof(std::int64_t)] = {};
  Out results[HWY_MAX_BYTES / sizeof(Out)];
  std::copy_n(squared + i, count - i, padded);
  kernel(padded, results);
  std::copy_n(results, count - i, out + i);
}

void distance_weights(double slope, double cap, int bits, const std::int64_t* squared, std::size_t count,
                      std::uint64_t* out) {
  for_registers(squared, count, out, [&](const std::int64_t* from, std::uint64_t* to) HWY_ATTR {
    const Words words;
    const Exponential value = negative_exp(exponents(from, slope, cap));
    const auto pattern = hn::BitCast(words, value.fraction);
    const auto one = hn::Set(words, std::uint64_t{1} << 52);
    const auto mantissa = hn::Or(hn::And(pattern, hn::Set(words, (std::uint64_t{1} << 52) - 1)), one);
    // The weight is mantissa · 2^(e + bits − n − 52), where e is the exponent of the fraction, 0 or −1; after
    // a left shift by ten, all shifts are to the right.
    const auto n = hn::And(value.halvings, hn::Set(words, 0xFFF));
    const auto biased_exponent = hn::ShiftRight<52>(pattern);
    const auto shift =
        hn::Sub(hn::Add(n, hn::Set(words, std::uint64_t{62 + 1023} - static_cast<std::uint64_t>(bits))),
                biased_exponent);
    hn::StoreU(hn::Shr(hn::ShiftLeft<10>(mantissa), shift), words, to);
  });
}

void distance_exponentials(double slope, double cap, double offset, const std::int64_t* squared,
                           std::size_t count, double* out) {
  for_registers(squared, count, out, [&](const std::int64_t* from, double* to) HWY_ATTR {
    const Doubles d;
    const Exponential value = negative_exp(hn::Sub(exponents(from, slope, cap), hn::Set(d, offset)));
    const auto scaled = hn::Sub(hn::BitCast(Words(), value.fraction), hn::ShiftLeft<52>(value.halvings));
    hn::StoreU(hn::BitCast(d, scaled), d, to);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto::mechanism
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::mechanism {
namespace {

HWY_EXPORT(distance_weights);
HWY_EXPORT(distance_exponentials);

constexpr double kLn2 = 0.693147180559945309;
constexpr double kPerLn2 = 1.44269504088896341;

// The smallest D with slope·√D >= cap, in the arithmetic of the kernels; 2^52 − 1, longer than any distance,
// if there is none below that.
std::int64_t first_at_cap(double slope, double cap) {
  std::int64_t low = 0;
  std::int64_t high = (std::int64_t{1} << 52) - 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (slope * std::sqrt(static_cast<double>(middle)) >= cap) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

DistanceWeights::DistanceWeights(std::size_t outcomes, double epsilon, double scale, double limit,
                                 double error)
    : nominal_slope_(0.5 * epsilon * scale),
      nominal_cap_(0.5 * epsilon * limit),
      bits_(62 - static_cast<int>(std::bit_width(outcomes - 1))) {
  make_room_for_rounding(limit / scale, error);
  far_from_ = first_at_cap(slope_, cap_);
  const std::int64_t beyond = far_from_;
  weights({&beyond, 1}, {&far_weight_, 1});
}

// Uses only operations that are identical on every processor.
void DistanceWeights::make_room_for_rounding(double limit_in_units, double error) {
  // The smallest m with 2^-m at most one part in 2^9 of the slope, and the cap that keeps weights above 2^m:
  // slightly less than (k − m)·ln 2, so that this holds despite rounding errors.
  const int least_bits = std::max(std::countr_zero(kSmallestWeight), 9 - std::ilogb(nominal_slope_));
  const double room = static_cast<double>(bits_ - least_bits) * kLn2 * (1 - 0x1p-30);
  const double longest = std::clamp(nominal_cap_, 0.0, std::max(room, 0.0));
  // u <= 2^(⌈c·log₂e⌉ − k)
  const double coarsest = std::ldexp(1, static_cast<int>(std::ceil(longest * (kPerLn2 + 0x1p-40))) - bits_);
  const double slack = (coarsest + 2 * error) * (1 + 0x1p-10) + 0x1p-76;
  // One rounding each in ½ε·scale and ½ε·limit, and a few more after that: 2^-50 compensates for them.
  slope_ = (nominal_slope_ - std::min(slack, nominal_slope_ * 0x1p-8)) * (1 - 0x1p-50);
  cap_ = std::min({room, slope_ * limit_in_units, (nominal_cap_ - slack) * (1 - 0x1p-50)});
  if (!(cap_ > 0) || slack > nominal_slope_ * 0x1p-8) cap_ = 0;
}

void DistanceWeights::weights(std::span<const std::int64_t> squared, std::span<std::uint64_t> out) const {
  HWY_DYNAMIC_DISPATCH(distance_weights)(slope_, cap_, bits_, squared.data(), squared.size(), out.data());
}

void DistanceWeights::exponentials(std::span<const std::int64_t> squared, double offset,
                                   std::span<double> out) const {
  HWY_DYNAMIC_DISPATCH(distance_exponentials)
  (slope_, cap_, offset, squared.data(), squared.size(), out.data());
}

double DistanceWeights::nominal_exponent(std::int64_t squared) const {
  return std::min(nominal_slope_ * std::sqrt(static_cast<double>(squared)), nominal_cap_);
}

double DistanceWeights::exponent(std::int64_t squared) const {
  return std::min(slope_ * std::sqrt(static_cast<double>(squared)), cap_);
}

}  // namespace sotto::mechanism
#endif

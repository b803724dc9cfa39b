// Logarithm and exponential in plain IEEE arithmetic. Those of the C library select their code by processor
// and differ in the last bit between versions, so the same key could give different output elsewhere. Files
// that use these are compiled without contraction to fused multiply-adds.
#pragma once

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace sotto::random {

inline constexpr double kLn2High = 0x1.62e42fefa3800p-1;  ///< 42 bits, so that multiples up to 2^11 are exact
inline constexpr double kLn2Low = 0x1.ef35793c76730p-45;

/// ln x for a finite, normal x > 0, to about two units in the last place.
inline double portable_log(double x) {
  assert(x > 0 && std::isnormal(x));
  // x = m·2^e with m in [√½, √2): subtracting the bits of √½ makes e change at √½·2^k.
  constexpr std::uint64_t kRootHalf = 0x3FE6A09E667F3BCD;
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) - kRootHalf;
  const auto exponent = static_cast<double>(static_cast<std::int64_t>(shifted) >> 52);
  const double m = std::bit_cast<double>((shifted & 0x000FFFFFFFFFFFFF) + kRootHalf);
  // ln m = 2·artanh(s), s = (m − 1)/(m + 1), |s| < 0.1716: ten terms leave less than 2^-58 of the result.
  const double f = m - 1;
  const double s = f / (m + 1);
  const double q = s * s;
  const double q2 = q * q;
  const double even = 2.0 / 3 + q2 * (2.0 / 7 + q2 * (2.0 / 11 + q2 * (2.0 / 15 + q2 * (2.0 / 19))));
  const double odd = 2.0 / 5 + q2 * (2.0 / 9 + q2 * (2.0 / 13 + q2 * (2.0 / 17 + q2 * (2.0 / 21))));
  // 2·s = f − s·f, which keeps the leading term exact.
  return exponent * kLn2High + (f - (s * (f - q * (even + q * odd)) - exponent * kLn2Low));
}

/// e^x for x in [−700, 700], to about two units in the last place.
inline double portable_exp(double x) {
  assert(x >= -700 && x <= 700);
  constexpr double kRound = 0x1.8p52;  // adding it rounds to an integer
  const double k = (x * 0x1.71547652b82fep0 + kRound) - kRound;
  const double r = (x - k * kLn2High) - k * kLn2Low;  // |r| < 0.347
  double sum = 1;
  for (int n = 14; n >= 1; --n) sum = 1 + sum * r / n;
  const auto exponent = static_cast<std::int64_t>(k);
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

}  // namespace sotto::random

// An exponential that vectorizes in loops over many numbers.
#pragma once

#include <bit>
#include <cstdint>

namespace sotto::lm {

/// e^x for x in [−700, 700], accurate to a few units in the last place: a polynomial without branches.
inline double fast_exp(double x) {
  constexpr double kRound = 0x1.8p52;
  const double shifted = x * 0x1.71547652b82fep0 + kRound;
  const double k = shifted - kRound;
  const double r = (x - k * 0x1.62e42fefa3800p-1) - k * 0x1.ef35793c76730p-45;
  double sum = 1.0 / 479001600;
  sum = sum * r + 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1;
  sum = sum * r + 1;
  // The low bits of `shifted` hold k; shifted into the exponent they give 2^k without an integer conversion.
  return sum * std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
}

}  // namespace sotto::lm

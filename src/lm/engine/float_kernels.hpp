// Steps between products, in 32-bit numbers: compiled for every instruction set that Highway knows, chosen at
// run time, with the same bits in the result. Sums are made in 16 parts whatever the width of a register is,
// and nothing is fused. Thread-safe.
#pragma once

#include <cstddef>

#include "lm/architectures.hpp"

namespace sotto::lm {

/// x · Φ(x), with Φ's error at most 2e-7.
void gelu(float* numbers, std::size_t count);
void activate_all(Activation activation, float* numbers, std::size_t count);

/// (x − mean) / √(variance + epsilon) · weight + bias.
struct NormOfRow {
  const float* weight;
  const float* bias;
  std::size_t width;
  float epsilon;
};
void normalize_row(const NormOfRow& norm, const float* row, float* out);

/// x · x.
float square_of_length(const float* numbers, std::size_t count);

/// ln Σ e^x, for one number or more.
float log_of_sum(const float* numbers, std::size_t count);

}  // namespace sotto::lm

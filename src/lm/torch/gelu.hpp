// x · Φ(x), the activation of most encoders, on the CPU. libtorch leaves it to oneDNN, which compiles and
// caches code for every shape; batches here have as many shapes as texts have lengths. Independent of
// libtorch.
#pragma once

#include <cstddef>

namespace sotto::lm {

/// Replaces each x by x · Φ(x), within 1e-7 · |x| and rounding.
void gelu(float* numbers, std::size_t count);

}  // namespace sotto::lm

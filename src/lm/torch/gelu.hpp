// x · Φ(x), the activation of most encoders, on a processor. libtorch leaves it to oneDNN, which compiles and
// keeps code for every shape it meets; batches here have as many shapes as texts have lengths. Free of
// libtorch.
#pragma once

#include <cstddef>

namespace sotto::lm {

/// Overwrites each x by x · Φ(x), within 1e-7 · |x| and rounding.
void gelu(float* numbers, std::size_t count);

}  // namespace sotto::lm

// The BLAS library that libtorch multiplies with, as far as it tells about itself. Free of libtorch.
#pragma once

#include <functional>
#include <mutex>
#include <string>

namespace sotto::lm {

struct BlasTraits {
  /// Whether several threads may call it at the same time.
  bool shareable = true;
  /// Its version, how it was built and the kernels it chose for this processor; empty: it does not say.
  std::string description;
};

/// The address of a function of the library, or null.
using FindSymbol = std::function<void*(const char* name)>;

/// An OpenBLAS built without threads hands out its buffers without a lock, so products that threads make at
/// the same time are wrong now and then. Every other BLAS (the reference one, MKL, BLIS) can be shared.
BlasTraits blas_traits(const FindSymbol& find);

/// Of the one that is loaded. The first call holds it to one thread of its own, which would fight with ours.
const BlasTraits& loaded_blas();

/// While it lives, no other thread has one, unless the BLAS can be shared. Held wherever libtorch computes.
class BlasTurn {
 public:
  explicit BlasTurn(const BlasTraits& blas = loaded_blas());

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace sotto::lm

// The BLAS library that libtorch uses, as far as it describes itself. Independent of libtorch.
#pragma once

#include <functional>
#include <mutex>
#include <string>

namespace sotto::lm {

struct BlasTraits {
  /// Whether several threads may call it concurrently.
  bool shareable = true;
  /// Its version, build and the kernels it chose for this processor; empty if it does not say.
  std::string description;
};

/// The address of a function of the library, or null.
using FindSymbol = std::function<void*(const char* name)>;

/// An OpenBLAS built without threads hands out its buffers without a lock, so concurrent products are
/// occasionally wrong. Every other BLAS (the reference one, MKL, BLIS) can be shared.
BlasTraits blas_traits(const FindSymbol& find);

/// For the loaded library. The first call limits it to one thread, as its own would compete with ours.
const BlasTraits& loaded_blas();

/// While a thread holds one, no other thread can, unless the BLAS is shareable. Held wherever libtorch
/// computes.
class BlasTurn {
 public:
  explicit BlasTurn(const BlasTraits& blas = loaded_blas());

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace sotto::lm

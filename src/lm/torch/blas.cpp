#include "lm/torch/blas.hpp"

#include <dlfcn.h>

namespace sotto::lm {
namespace {

// What openblas_get_parallel returns for a library built without threads.
constexpr int kSequential = 0;

// Searches what this plugin loaded: only that is the library that libtorch calls.
void* find_loaded(const char* name) {
  if (void* const symbol = ::dlsym(RTLD_DEFAULT, name); symbol != nullptr) return symbol;
  void* const library = ::dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : ::dlsym(library, name);
}

std::recursive_mutex& turns() {
  static std::recursive_mutex mutex;
  return mutex;
}

}  // namespace

BlasTraits blas_traits(const FindSymbol& find) {
  BlasTraits traits;
  if (void* const parallel = find("openblas_get_parallel"); parallel != nullptr)
    traits.shareable = reinterpret_cast<int (*)()>(parallel)() != kSequential;
  if (void* const config = find("openblas_get_config"); config != nullptr)
    traits.description = reinterpret_cast<const char* (*)()>(config)();
  return traits;
}

const BlasTraits& loaded_blas() {
  static const BlasTraits kTraits = [] {
    if (void* const set = find_loaded("openblas_set_num_threads"); set != nullptr)
      reinterpret_cast<void (*)(int)>(set)(1);
    return blas_traits(find_loaded);
  }();
  return kTraits;
}

BlasTurn::BlasTurn(const BlasTraits& blas) {
  if (!blas.shareable) lock_ = std::unique_lock(turns());
}

}  // namespace sotto::lm

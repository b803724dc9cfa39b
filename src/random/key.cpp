#include "random/key.hpp"

#include <new>

#include <sodium.h>

namespace sotto::random {

Key::~Key() {
  sodium_memzero(data(), size());
}

void initialize_sodium() {
  // On failure libsodium merely keeps its portable code.
  [[maybe_unused]] static const int ready = sodium_init();
}

void* allocate_locked(std::size_t bytes) {
  initialize_sodium();
  // Ends at the end of a page, so it is aligned for anything of size `bytes`. libsodium excludes it from core
  // dumps before locking it, and continues without the lock if RLIMIT_MEMLOCK is exhausted.
  void* const memory = sodium_malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void free_locked(void* memory) noexcept {
  sodium_free(memory);
}

}  // namespace sotto::random

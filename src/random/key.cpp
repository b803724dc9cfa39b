#include "random/key.hpp"

#include <new>

#include <sodium.h>

namespace sotto {

Key::~Key() {
  sodium_memzero(data(), size());
}

void initialize_sodium() {
  // A failure only leaves the portable code in place.
  [[maybe_unused]] static const int ready = sodium_init();
}

void* allocate_locked(std::size_t bytes) {
  initialize_sodium();
  // Ends at the end of a page, so it is aligned for whatever has a size of `bytes`. libsodium excludes it
  // from core dumps before it locks it, and goes on without the lock where RLIMIT_MEMLOCK is exhausted.
  void* const memory = sodium_malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void free_locked(void* memory) noexcept {
  sodium_free(memory);
}

}  // namespace sotto

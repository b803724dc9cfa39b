// Secret keys, and memory for data that must not leave the process through swap space or a core dump.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace sotto::random {

/// 32 secret bytes, wiped on destruction.
class Key : public std::array<unsigned char, 32> {
 public:
  Key() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a digest serves as a key where nothing is secret
  Key(const std::array<unsigned char, 32>& bytes) : std::array<unsigned char, 32>(bytes) {}
  Key(const Key&) = default;
  Key& operator=(const Key&) = default;
  ~Key();
};

/// Lets libsodium select its vector code. Idempotent, thread-safe. The rest of this folder calls it.
void initialize_sodium();

/// Separate pages between guard pages, locked as far as the system allows, excluded from core dumps and wiped
/// when freed. Takes microseconds and at least a page: for data that outlives a document.
void* allocate_locked(std::size_t bytes);
void free_locked(void* memory) noexcept;

/// For standard containers and std::allocate_shared.
template <class T>
struct LockedAllocator {
  using value_type = T;
  LockedAllocator() = default;
  template <class Other>
  // NOLINTNEXTLINE(google-explicit-constructor): what containers expect of an allocator
  LockedAllocator(const LockedAllocator<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(allocate_locked(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) noexcept { free_locked(memory); }
  bool operator==(const LockedAllocator&) const = default;
};

template <class T>
using LockedVector = std::vector<T, LockedAllocator<T>>;

/// A T in such memory.
template <class T, class... Arguments>
std::shared_ptr<T> make_locked(Arguments&&... arguments) {
  return std::allocate_shared<T>(LockedAllocator<T>(), std::forward<Arguments>(arguments)...);
}

}  // namespace sotto::random

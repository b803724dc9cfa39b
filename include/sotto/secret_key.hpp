// Secret keys in memory.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include <sotto/api.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// The 32 secret bytes of a key file, held in memory: for programs that keep keys elsewhere. Copies share one
/// place, which is locked and kept out of core dumps as far as the system allows, and wiped with the last of
/// them; whoever passes the bytes wipes their own copy. Immutable; thread-safe.
class SecretKey {
 public:
  /// Refuses anything but 32 bytes, in an error about `key`. Thread-safe.
  SOTTO_API static Result<SecretKey> make(std::string_view bytes);
  SOTTO_API const std::array<unsigned char, 32>& bytes() const;

 private:
  explicit SecretKey(std::shared_ptr<const std::array<unsigned char, 32>> bytes);
  std::shared_ptr<const std::array<unsigned char, 32>> bytes_;
};

}  // namespace sotto

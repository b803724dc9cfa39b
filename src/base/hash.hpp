// SHA-256 for public files and configurations. Texts are never hashed without a key (see
// random/document_stream).
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include <sodium.h>

namespace sotto::base {

using Sha256Digest = std::array<unsigned char, 32>;

/// Incremental SHA-256.
class Sha256 {
 public:
  Sha256() { crypto_hash_sha256_init(&state_); }
  void update(std::string_view data);
  Sha256Digest finish();

 private:
  crypto_hash_sha256_state state_;
};

Sha256Digest sha256(std::string_view data);
std::string to_hex(std::span<const unsigned char> bytes);

}  // namespace sotto::base

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <sotto/secret_key.hpp>

#include "base/message.hpp"
#include "random/key.hpp"

namespace sotto {

Result<SecretKey> SecretKey::make(std::string_view bytes) {
  const auto key = random::make_locked<random::Key>();
  if (bytes.size() != key->size())
    return fail_parameter("key", "", fmt::format("{} bytes; a key has {}", bytes.size(), key->size()));
  std::memcpy(key->data(), bytes.data(), key->size());
  return SecretKey(key);
}

SecretKey::SecretKey(std::shared_ptr<const std::array<unsigned char, 32>> bytes) : bytes_(std::move(bytes)) {}

const std::array<unsigned char, 32>& SecretKey::bytes() const {
  return *bytes_;
}

}  // namespace sotto

#include "random/output_mac.hpp"

#include <sodium.h>

namespace sotto::random {
namespace {

using Personal = std::array<unsigned char, crypto_generichash_blake2b_PERSONALBYTES>;

constexpr Personal kOutputKey = {'s', 'o', 't', 't', 'o', '-', 'o', 'u', 't', 'p', 'u', 't', '-', '1'};
constexpr Personal kMac = {'s', 'o', 't', 't', 'o', '-', 'm', 'a', 'c', '-', '1'};

/// BLAKE2b with the length of `Hash`.
template <class Hash>
Hash keyed_hash(const Key& key, const Personal& personal, std::string_view bytes) {
  Hash hash;
  crypto_generichash_blake2b_salt_personal(hash.data(), hash.size(),
                                           reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                                           key.data(), key.size(), nullptr, personal.data());
  return hash;
}

}  // namespace

Key output_key(const Key& stream_key) {
  return keyed_hash<Key>(stream_key, kOutputKey, {});
}

std::array<unsigned char, 16> output_mac(const Key& output_key, std::string_view output) {
  return keyed_hash<std::array<unsigned char, 16>>(output_key, kMac, output);
}

}  // namespace sotto::random

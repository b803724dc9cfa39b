#include "privacy/ledger_chain.hpp"

#include <sodium.h>

namespace sotto::privacy {
namespace {

using State = crypto_generichash_blake2b_state;

using Personal = std::array<unsigned char, crypto_generichash_blake2b_PERSONALBYTES>;

constexpr Personal kVersion1 = {'s', 'o', 't', 't', 'o', '-', 'l', 'e', 'd', 'g', 'e', 'r', '-', '1'};
constexpr Personal kVersion2 = {'s', 'o', 't', 't', 'o', '-', 'l', 'e', 'd', 'g', 'e', 'r', '-', '2'};

State start(const Personal& personal) {
  [[maybe_unused]] static const int ready = sodium_init();
  State state;
  crypto_generichash_blake2b_init_salt_personal(&state, nullptr, 0, std::tuple_size_v<ChainHash>, nullptr,
                                                personal.data());
  return state;
}

template <std::size_t kSize>
void add(State& state, const std::array<unsigned char, kSize>& bytes) {
  crypto_generichash_blake2b_update(&state, bytes.data(), bytes.size());
}

void add(State& state, std::uint64_t number) {
  std::array<unsigned char, 8> bytes;
  for (unsigned char& byte : bytes) {
    byte = static_cast<unsigned char>(number & 0xFF);
    number >>= 8;
  }
  add(state, bytes);
}

void add(State& state, std::string_view text) {
  add(state, static_cast<std::uint64_t>(text.size()));
  crypto_generichash_blake2b_update(&state, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

ChainHash finish(State& state) {
  ChainHash hash;
  crypto_generichash_blake2b_final(&state, hash.data(), hash.size());
  return hash;
}

}  // namespace

ChainHash chain_start(const LedgerId& id) {
  State state = start(kVersion1);
  add(state, id);
  return finish(state);
}

ChainHash chain_next(const ChainHash& before, const ChainLink& link) {
  State state = start(link.mac ? kVersion2 : kVersion1);
  add(state, before);
  add(state, link.number);
  add(state, link.tag);
  if (link.mac) add(state, *link.mac);
  add(state, link.subject);
  add(state, link.unit);
  add(state, static_cast<std::uint64_t>(link.amount));
  add(state, static_cast<std::uint64_t>(link.time));
  return finish(state);
}

}  // namespace sotto::privacy

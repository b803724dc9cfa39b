#include "random/document_stream.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "base/check.hpp"

namespace sotto::random {
namespace {

constexpr std::string_view kConfigurationHeader = "sotto-configuration-1\n";
constexpr std::array<unsigned char, crypto_generichash_blake2b_PERSONALBYTES> kNamePersonal = {
    's', 'o', 't', 't', 'o', '-', 'n', 'a', 'm', 'e', '-', '1'};
constexpr std::string_view kStreamTag = "sotto-stream-3";
static_assert(kStreamVersion == 3, "kStreamTag carries the version");

constexpr std::size_t kNameTagBytes = 16;

using Blake2bState = crypto_generichash_blake2b_state;

void append(Blake2bState& state, std::string_view bytes) {
  crypto_generichash_blake2b_update(&state, reinterpret_cast<const unsigned char*>(bytes.data()),
                                    bytes.size());
}

std::array<char, 8> little_endian(std::uint64_t value) {
  std::array<char, 8> bytes;
  for (char& byte : bytes) {
    byte = static_cast<char>(value & 0xFF);
    value >>= 8;
  }
  return bytes;
}

void append_number(Blake2bState& state, std::uint64_t value) {
  const std::array<char, 8> bytes = little_endian(value);
  append(state, {bytes.data(), bytes.size()});
}

void append_part(Blake2bState& state, std::string_view bytes) {
  append_number(state, bytes.size());
  append(state, bytes);
}

void append_id(Blake2bState& state, const DocumentId& document, Repeats repeats) {
  if (document.id && repeats == Repeats::fresh_noise) {
    append_number(state, 1 + sizeof(document.record) + document.id->size());
    append(state, "n");
    append_number(state, document.record);
    append(state, *document.id);
  } else if (document.id) {
    append_number(state, 1 + document.id->size());
    append(state, "s");
    append(state, *document.id);
  } else {
    append_number(state, 1 + sizeof(document.record));
    append(state, "r");
    append_number(state, document.record);
  }
}

}  // namespace

void CanonicalConfiguration::add(std::string_view key, std::string_view value) {
  const bool inserted = entries_.emplace(key, value).second;
  SOTTO_CHECK(inserted);
}

void CanonicalConfiguration::add_double(std::string_view key, double value) {
  SOTTO_CHECK(std::isfinite(value));
  // to_chars, unlike printf, is independent of the locale; without a precision it is exact.
  std::array<char, 64> digits;
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), std::abs(value), std::chars_format::hex);
  SOTTO_CHECK(error == std::errc());
  add(key, fmt::format("{}0x{}", std::signbit(value) ? "-" : "", std::string_view(digits.data(), end)));
}

void CanonicalConfiguration::add_integer(std::string_view key, std::uint64_t value) {
  add(key, fmt::format("{}", value));
}

std::string CanonicalConfiguration::serialize() const {
  std::string text(kConfigurationHeader);
  for (const auto& [key, value] : entries_)
    text += fmt::format("{}:{}={}:{}\n", key.size(), key, value.size(), value);
  return text;
}

base::Sha256Digest CanonicalConfiguration::digest() const {
  return base::sha256(serialize());
}

DocumentStreams::DocumentStreams(const Key& key, std::string_view dataset,
                                 const base::Sha256Digest& configuration, Repeats repeats)
    : configuration_(configuration), repeats_(repeats) {
  initialize_sodium();
  crypto_generichash_blake2b_init(&prefix_, key.data(), key.size(), sizeof(Key));
  append(prefix_, kStreamTag);
  append_part(prefix_, dataset);
  crypto_generichash_blake2b_init_salt_personal(&name_prefix_, key.data(), key.size(), kNameTagBytes, nullptr,
                                                kNamePersonal.data());
  append_part(name_prefix_, dataset);
}

DocumentStreams::~DocumentStreams() {
  sodium_memzero(&prefix_, sizeof(prefix_));
  sodium_memzero(&name_prefix_, sizeof(name_prefix_));
}

std::array<unsigned char, 16> DocumentStreams::name_tag(const DocumentId& document,
                                                        std::string_view field) const {
  Blake2bState state = name_prefix_;
  append_id(state, document, Repeats::same_noise);
  append_part(state, field);
  std::array<unsigned char, kNameTagBytes> tag;
  crypto_generichash_blake2b_final(&state, tag.data(), tag.size());
  sodium_memzero(&state, sizeof(state));
  return tag;
}

Key DocumentStreams::stream_key(const DocumentId& document, std::string_view field,
                                std::string_view text) const {
  Blake2bState state = prefix_;
  append_id(state, document, repeats_);
  append_part(state, field);
  append_part(state, text);
  append_part(state, {reinterpret_cast<const char*>(configuration_.data()), configuration_.size()});
  Key key;
  crypto_generichash_blake2b_final(&state, key.data(), key.size());
  return key;
}

std::array<unsigned char, 16> document_tag(const Key& stream_key, std::string_view subject) {
  static constexpr std::array<unsigned char, crypto_generichash_blake2b_PERSONALBYTES> kPersonal = {
      's', 'o', 't', 't', 'o', '-', 't', 'a', 'g', '-', '1'};
  std::array<unsigned char, 16> tag;
  crypto_generichash_blake2b_salt_personal(
      tag.data(), tag.size(), reinterpret_cast<const unsigned char*>(subject.data()), subject.size(),
      stream_key.data(), stream_key.size(), nullptr, kPersonal.data());
  return tag;
}

}  // namespace sotto::random

#include "text/utf8.hpp"

#include <bit>
#include <cstring>
#include <string>

#include <sotto/tokenizer.hpp>

namespace sotto {
using namespace text;
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080;

std::uint64_t load64(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// What the first byte of a sequence says about the rest: the number of bytes, and the range of the second
/// one, which excludes overlong forms, surrogates and values above U+10FFFF.
struct Lead {
  std::uint32_t size;
  unsigned char second_min;
  unsigned char second_max;
  unsigned char value_bits;
};

constexpr Lead lead_of(unsigned char byte) {
  if (byte < 0xC2) return {0, 0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF, 0x1F};
  if (byte == 0xE0) return {3, 0xA0, 0xBF, 0x0F};
  if (byte == 0xED) return {3, 0x80, 0x9F, 0x0F};
  if (byte < 0xF0) return {3, 0x80, 0xBF, 0x0F};
  if (byte == 0xF0) return {4, 0x90, 0xBF, 0x07};
  if (byte < 0xF4) return {4, 0x80, 0xBF, 0x07};
  if (byte == 0xF4) return {4, 0x80, 0x8F, 0x07};
  return {0, 0, 0, 0};
}

constexpr auto kLeads = [] {
  std::array<Lead, 256> leads{};
  for (unsigned byte = 0; byte < 256; ++byte) leads[byte] = lead_of(static_cast<unsigned char>(byte));
  return leads;
}();

}  // namespace

CodePoint text::decode_multibyte_utf8(std::string_view text, std::size_t position) {
  const auto first = static_cast<unsigned char>(text[position]);
  const Lead& lead = kLeads[first];
  if (lead.size == 0) return {kReplacementCharacter, 1, false};
  char32_t value = first & lead.value_bits;
  unsigned char minimum = lead.second_min;
  unsigned char maximum = lead.second_max;
  for (std::uint32_t i = 1; i < lead.size; ++i) {
    if (position + i >= text.size()) return {kReplacementCharacter, i, false};
    const auto byte = static_cast<unsigned char>(text[position + i]);
    if (byte < minimum || byte > maximum) return {kReplacementCharacter, i, false};
    value = value << 6 | (byte & 0x3F);
    minimum = 0x80;
    maximum = 0xBF;
  }
  return {value, lead.size, true};
}

EncodedCodePoint text::encode_utf8(char32_t value) {
  const auto tail = [value](int shift) { return static_cast<char>(0x80 | (value >> shift & 0x3F)); };
  if (value < 0x80) return {{static_cast<char>(value)}, 1};
  if (value < 0x800) return {{static_cast<char>(0xC0 | value >> 6), tail(0)}, 2};
  if (value < 0x10000) return {{static_cast<char>(0xE0 | value >> 12), tail(6), tail(0)}, 3};
  return {{static_cast<char>(0xF0 | value >> 18), tail(12), tail(6), tail(0)}, 4};
}

std::size_t text::ascii_prefix(std::string_view text, std::size_t position) {
  const char* const begin = text.data() + position;
  const std::size_t size = text.size() - position;
  std::size_t done = 0;
  for (; done + 32 <= size; done += 32) {
    const char* at = begin + done;
    if ((load64(at) | load64(at + 8) | load64(at + 16) | load64(at + 24)) & kHighBits) break;
  }
  for (; done + 8 <= size; done += 8) {
    const std::uint64_t high = load64(begin + done) & kHighBits;
    if (high == 0) continue;
    if constexpr (std::endian::native == std::endian::little)
      return done + static_cast<std::size_t>(std::countr_zero(high)) / 8;
    break;
  }
  while (done < size && static_cast<unsigned char>(begin[done]) < 0x80) ++done;
  return done;
}

bool is_valid_utf8(std::string_view text) {
  std::size_t position = 0;
  for (;;) {
    position += ascii_prefix(text, position);
    if (position == text.size()) return true;
    // Non-ASCII text comes in runs; leave them only at an ASCII byte.
    while (position < text.size() && static_cast<unsigned char>(text[position]) >= 0x80) {
      const CodePoint code_point = decode_utf8(text, position);
      if (!code_point.valid) return false;
      position += code_point.size;
    }
  }
}

std::string replace_invalid_utf8(std::string_view text, std::uint64_t& replaced) {
  std::string result;
  result.reserve(text.size() + text.size() / 8);
  std::size_t copied = 0;  // text[0, copied) is in `result`
  std::size_t position = 0;
  for (;;) {
    position += ascii_prefix(text, position);
    if (position == text.size()) break;
    const CodePoint code_point = decode_utf8(text, position);
    if (!code_point.valid) {
      result.append(text, copied, position - copied);
      result.append(encode_utf8(kReplacementCharacter).view());
      copied = position + code_point.size;
      ++replaced;
    }
    position += code_point.size;
  }
  return result.append(text, copied);
}

}  // namespace sotto

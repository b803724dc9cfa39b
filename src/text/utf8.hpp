// Decoding and encoding of UTF-8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sotto::text {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

/// A code point and the number of bytes it takes.
struct CodePoint {
  char32_t value;
  std::uint32_t size;
  bool valid;  ///< false: `size` bytes are a maximal ill-formed subpart, `value` is U+FFFD
};

/// decode_utf8() for text[position] beyond ASCII.
CodePoint decode_multibyte_utf8(std::string_view text, std::size_t position);

/// The code point that begins at text[position]; position < text.size(). Follows the Unicode rule of maximal
/// subparts, so decoding ill-formed text from its beginning yields one invalid code point per subpart.
inline CodePoint decode_utf8(std::string_view text, std::size_t position) {
  const auto first = static_cast<unsigned char>(text[position]);
  return first < 0x80 ? CodePoint{first, 1, true} : decode_multibyte_utf8(text, position);
}

/// A code point as UTF-8.
struct EncodedCodePoint {
  std::array<char, 4> bytes;
  std::uint32_t size;
  std::string_view view() const { return {bytes.data(), size}; }
};

/// `value` must be a Unicode scalar value.
EncodedCodePoint encode_utf8(char32_t value);

/// The length of the longest prefix of text[position, …) that is ASCII.
std::size_t ascii_prefix(std::string_view text, std::size_t position);

}  // namespace sotto::text

// Classifies 64 bytes at a time, one bit per byte (bit i for byte i).
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "text/char_kind.hpp"

namespace sotto::text {

inline constexpr std::size_t kBlockBytes = 64;

struct ByteMasks {
  std::uint64_t letter = 0;
  std::uint64_t digit = 0;
  std::uint64_t space = 0;  ///< ASCII whitespace
  std::uint64_t newline = 0;
  std::uint64_t joiner = 0;  ///< ' and -
  std::uint64_t dot = 0;
  std::uint64_t comma = 0;
  std::uint64_t exclamation = 0;  ///< ! and ?
  std::uint64_t slash = 0;
  std::uint64_t rare = 0;  ///< @ _ <, control characters, non-ASCII bytes: not for the fast path
};

/// The definition, and the implementation for unsupported vector units.
inline ByteMasks byte_masks_portable(const char* bytes) {
  ByteMasks masks;
  for (std::size_t i = 0; i < kBlockBytes; ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    const std::uint64_t bit = std::uint64_t{1} << i;
    const auto set = [bit](std::uint64_t& mask, bool condition) { mask |= condition ? bit : 0; };
    set(masks.letter, (c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    set(masks.digit, c >= '0' && c <= '9');
    set(masks.space, is_ascii_whitespace(c));
    set(masks.newline, c == '\n');
    set(masks.joiner, c == '\'' || c == '-');
    set(masks.dot, c == '.');
    set(masks.comma, c == ',');
    set(masks.exclamation, c == '!' || c == '?');
    set(masks.slash, c == '/');
    set(masks.rare, c >= 0x7F || c == '@' || c == '_' || c == '<' || (c < 0x20 && !is_ascii_whitespace(c)));
  }
  return masks;
}

#if defined(__SSE2__)

inline ByteMasks byte_masks(const char* bytes) {
  const auto load = [bytes](int part) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * part));
  };
  const __m128i parts[4] = {load(0), load(1), load(2), load(3)};
  const auto mask = [&parts](auto predicate) {
    const auto bits = [&](int part) {
      return static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(predicate(parts[part]))))
             << (16 * part);
    };
    return bits(0) | bits(1) | bits(2) | bits(3);
  };
  const auto is = [](__m128i c, char value) { return _mm_cmpeq_epi8(c, _mm_set1_epi8(value)); };
  const auto either = [](__m128i a, __m128i b) { return _mm_or_si128(a, b); };
  // first ≤ c < first + count for unsigned bytes, shifted to the bottom of the signed range.
  const auto within = [](__m128i c, int first, int count) {
    const __m128i moved = _mm_add_epi8(c, _mm_set1_epi8(static_cast<char>(-128 - first)));
    return _mm_cmpgt_epi8(_mm_set1_epi8(static_cast<char>(-128 + count)), moved);
  };
  // Signed, so non-ASCII bytes are also below the blank.
  const auto below_blank = [](__m128i c) { return _mm_cmpgt_epi8(_mm_set1_epi8(' '), c); };
  ByteMasks masks;
  const std::uint64_t line_blanks = mask([&](__m128i c) { return within(c, '\t', 5); });
  masks.letter = mask([&](__m128i c) { return within(either(c, _mm_set1_epi8(0x20)), 'a', 26); });
  masks.digit = mask([&](__m128i c) { return within(c, '0', 10); });
  masks.space = line_blanks | mask([&](__m128i c) { return is(c, ' '); });
  masks.newline = mask([&](__m128i c) { return is(c, '\n'); });
  masks.joiner = mask([&](__m128i c) { return either(is(c, '\''), is(c, '-')); });
  masks.dot = mask([&](__m128i c) { return is(c, '.'); });
  masks.comma = mask([&](__m128i c) { return is(c, ','); });
  masks.exclamation = mask([&](__m128i c) { return either(is(c, '!'), is(c, '?')); });
  masks.slash = mask([&](__m128i c) { return is(c, '/'); });
  masks.rare = mask([&](__m128i c) {
    return either(either(either(below_blank(c), is(c, '\x7F')), either(is(c, '@'), is(c, '_'))), is(c, '<'));
  });
  masks.rare &= ~line_blanks;
  return masks;
}

#else

inline ByteMasks byte_masks(const char* bytes) {
  return byte_masks_portable(bytes);
}

#endif

}  // namespace sotto::text

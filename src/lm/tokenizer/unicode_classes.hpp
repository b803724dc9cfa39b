// Code point classes as the reference tokenizers see them. All functions are thread-safe, for any value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sotto::lm {

/// The classes of GPT-2's pattern: \s, \p{L}, \p{N}, and the rest.
enum class PatternClass : std::uint8_t { space, letter, number, other };

PatternClass pattern_class(char32_t value);

/// White_Space of the Unicode Standard.
constexpr bool is_unicode_space(char32_t value) {
  return value == ' ' || (value >= '\t' && value <= '\r') || value == 0x85 || value == 0xA0 ||
         value == 0x1680 || (value >= 0x2000 && value <= 0x200A) || value == 0x2028 || value == 0x2029 ||
         value == 0x202F || value == 0x205F || value == 0x3000;
}

/// \w: letters, marks, decimal digits, letter-like numbers, connectors and the two joiners. The reference
/// also includes the few symbols that count as alphabetic (circled letters).
bool is_word_character(char32_t value);

/// What BERT drops as a control character: controls, formats, private use, U+0000 and U+FFFD, but not tab and
/// line ends.
bool is_bert_control(char32_t value);
/// What BERT splits off as a separate token: Unicode punctuation and all ASCII symbols.
bool is_bert_punctuation(char32_t value);
/// What BERT drops as an accent: nonspacing marks.
bool is_bert_accent(char32_t value);
/// Han ideographs, which BERT surrounds with blanks; kana and Hangul are not included.
bool is_han(char32_t value);

/// The canonical decomposition of one code point.
struct Decomposition {
  std::array<char32_t, 4> values;
  std::size_t size;
};
Decomposition decompose(char32_t value);
/// The canonical combining class.
int combining_class(char32_t value);

/// Appends the lower case of one code point, regardless of context, as UTF-8.
void append_lower(std::string& out, char32_t value);

}  // namespace sotto::lm

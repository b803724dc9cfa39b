// What a code point means to the tokenizer.
#pragma once

#include <cstdint>
#include <string>

namespace sotto::text {

enum class CharKind : std::uint8_t {
  whitespace,   ///< the fixed list of blanks and line terminators; only these can separate tokens
  letter,       ///< a letter of the Latin script
  digit,        ///< an ASCII digit
  foreign,      ///< a letter, mark or number of another script, and numbers that are not ASCII digits
  mark,         ///< a combining diacritic of no particular script: part of the letter before it
  extender,     ///< a variation selector or enclosing mark: turns what precedes it into an emoji
  punctuation,  ///< the fixed whitelist, including the joiners
  symbol,       ///< everything else: emoji, controls, invisible, private and unassigned code points
};

/// Thread-safe, for any value.
CharKind char_kind(char32_t value);

/// The version of the library whose tables decide about characters and their case beyond ASCII, for example
/// "utf8proc 2.8.0": with different tables the same text may have different tokens.
std::string unicode_tables_version();

constexpr bool is_ascii_whitespace(char32_t value) {
  return value == ' ' || (value >= '\t' && value <= '\r');
}

constexpr bool is_ascii_alphanumeric(char32_t value) {
  return (value >= '0' && value <= '9') || ((value | 0x20) >= 'a' && (value | 0x20) <= 'z');
}

/// Apostrophes and hyphens, which belong to a word if they are between two of its letters.
constexpr bool is_word_joiner(char32_t value) {
  return value == '\'' || value == '-' || value == 0x2019 || value == 0x2010 || value == 0x2011;
}

constexpr bool ends_sentence(char32_t value) {
  return value == '.' || value == '!' || value == '?' || value == 0x2026;
}

/// Quotes and brackets that may come between the end of a sentence and the blank after it.
constexpr bool closes_quote(char32_t value) {
  return value == ')' || value == ']' || value == '}' || value == '"' || value == '\'' || value == 0x201D ||
         value == 0x2019 || value == 0xBB || value == 0x203A;
}

}  // namespace sotto::text

// Upper and lower case of UTF-8 words. All functions are thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "text/output_buffer.hpp"

namespace sotto::text {

/// How a word is written. A single capital letter counts as capitalized; inner capitals ("iPhone") do not
/// matter.
enum class CasePattern : std::uint8_t { lower, capitalized, upper };

constexpr char ascii_upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 0x20) : c;
}
constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c;
}

/// Whether a word keeps its small first letter even at the beginning of a sentence: "iPhone".
constexpr bool stays_small(std::string_view word) {
  return word.size() > 1 && word[0] >= 'a' && word[0] <= 'z' && word[1] >= 'A' && word[1] <= 'Z';
}

/// Writes `word`, which must be ASCII, in lower case to `to`, which must have room for word.size() bytes.
void lower_ascii(std::string_view word, char* to);

/// A copy of valid UTF-8 in lower case.
std::string to_lower(std::string_view word);

/// The form in which a word is looked up: lower case, composed (NFC), with typographic apostrophes and
/// hyphens replaced by ' and -, so that "Don’t" is found as "don't".
std::string lookup_form(std::string_view word);

/// The pattern of a token that is valid UTF-8.
CasePattern case_pattern(std::string_view token);

/// Appends valid UTF-8 with its first character in upper case. For any word; slow beyond ASCII.
void append_capitalized(OutputBuffer& out, std::string_view word);

/// Appends valid UTF-8 in upper case.
void append_upper(OutputBuffer& out, std::string_view word);

/// Appends `word`, given in lower case, in the pattern of the word it replaces.
void append_in_case(OutputBuffer& out, std::string_view word, CasePattern pattern);

/// The same for words separated by blanks: each in its own pattern, additional ones in the last of
/// `patterns`, which must not be empty.
void append_in_case(OutputBuffer& out, std::string_view words, std::span<const CasePattern> patterns);

}  // namespace sotto::text

#include "text/letter_case.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>

#include <utf8proc.h>

#include "text/char_kind.hpp"
#include "text/utf8.hpp"

namespace sotto::text {
namespace {

bool is_ascii(std::string_view word) {
  return ascii_prefix(word, 0) == word.size();
}

char32_t lower(char32_t value) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(value)));
}
char32_t upper(char32_t value) {
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(value)));
}
/// Differs from upper case for digraphs such as ǆ.
char32_t title(char32_t value) {
  return static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(value)));
}

/// Calls `use` with each code point of `word`.
template <class Use>
void for_each_code_point(std::string_view word, Use use) {
  for (std::size_t position = 0; position < word.size();) {
    const CodePoint code_point = decode_utf8(word, position);
    use(code_point.value);
    position += code_point.size;
  }
}

/// NFC; the word itself if it cannot be composed, which requires invalid UTF-8.
std::string compose(std::string_view word) {
  utf8proc_uint8_t* composed = nullptr;
  const utf8proc_ssize_t size = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(word.data()), static_cast<utf8proc_ssize_t>(word.size()),
      &composed, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
  if (size < 0) return std::string(word);
  return {reinterpret_cast<const char*>(composed), static_cast<std::size_t>(size)};
}

char32_t plain_joiner(char32_t value) {
  if (!is_word_joiner(value) || value < 0x80) return value;
  return value == 0x2019 ? U'\'' : U'-';
}

}  // namespace

void lower_ascii(std::string_view word, char* to) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  std::size_t i = 0;
  // Eight bytes at a time: the high bit of each byte of `capitals` marks a letter from A to Z.
  for (; i + 8 <= word.size(); i += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, word.data() + i, 8);
    const std::uint64_t from_a = bytes + kOnes * (0x80 - 'A');
    const std::uint64_t above_z = bytes + kOnes * (0x80 - ('Z' + 1));
    const std::uint64_t capitals = from_a & ~above_z & kOnes * 0x80;
    bytes |= capitals >> 2;
    std::memcpy(to + i, &bytes, 8);
  }
  for (; i < word.size(); ++i) to[i] = ascii_lower(word[i]);
}

std::string to_lower(std::string_view word) {
  std::string result;
  if (is_ascii(word)) {
    result.resize(word.size());
    lower_ascii(word, result.data());
    return result;
  }
  result.reserve(word.size());
  for_each_code_point(word, [&](char32_t value) { result.append(encode_utf8(lower(value)).view()); });
  return result;
}

std::string lookup_form(std::string_view word) {
  if (is_ascii(word)) return to_lower(word);
  std::string result;
  for_each_code_point(compose(word),
                      [&](char32_t value) { result.append(encode_utf8(lower(plain_joiner(value))).view()); });
  return result;
}

CasePattern case_pattern(std::string_view token) {
  int letters = 0;  // those with two cases
  int capitals = 0;
  bool first_is_capital = false;
  for_each_code_point(token, [&](char32_t value) {
    const bool capital = lower(value) != value;
    if (!capital && title(value) == value) return;
    if (letters == 0) first_is_capital = capital;
    ++letters;
    capitals += capital ? 1 : 0;
  });
  if (letters > 1 && capitals == letters) return CasePattern::upper;
  return first_is_capital ? CasePattern::capitalized : CasePattern::lower;
}

void append_capitalized(OutputBuffer& out, std::string_view word) {
  if (word.empty()) return;
  const CodePoint first = decode_utf8(word, 0);
  if (first.value < 0x80)
    out.push_back(ascii_upper(word[0]));
  else
    out.append(encode_utf8(title(first.value)).view());
  out.append(word.substr(first.size));
}

void append_upper(OutputBuffer& out, std::string_view word) {
  if (!is_ascii(word)) {
    for_each_code_point(word, [&](char32_t value) { out.append(encode_utf8(upper(value)).view()); });
    return;
  }
  char* const to = out.reserve(word.size());
  for (std::size_t i = 0; i < word.size(); ++i) to[i] = ascii_upper(word[i]);
  out.advance(word.size());
}

void append_in_case(OutputBuffer& out, std::string_view word, CasePattern pattern) {
  switch (pattern) {
    case CasePattern::lower:
      return out.append(word);
    case CasePattern::capitalized:
      return append_capitalized(out, word);
    case CasePattern::upper:
      return append_upper(out, word);
  }
}

void append_in_case(OutputBuffer& out, std::string_view words, std::span<const CasePattern> patterns) {
  while (true) {
    const std::size_t blank = words.find(' ');
    append_in_case(out, words.substr(0, blank), patterns.front());
    if (blank == std::string_view::npos) return;
    out.push_back(' ');
    words.remove_prefix(blank + 1);
    if (patterns.size() > 1) patterns = patterns.subspan(1);
  }
}

}  // namespace sotto::text

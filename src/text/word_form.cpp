#include "text/word_form.hpp"

#include <sotto/tokenizer.hpp>

#include "text/char_kind.hpp"
#include "text/utf8.hpp"

namespace sotto::text {
namespace {

constexpr std::string_view kControl = "has a control character inside";

constexpr bool is_control(char32_t value) {
  return value < 0x20 || (value >= 0x7F && value < 0xA0);
}

constexpr bool is_separator(char32_t value) {
  return value == 0x2028 || value == 0x2029;
}

}  // namespace

std::string_view word_fault(std::string_view word) {
  if (word.empty()) return "is empty";
  for (std::size_t position = 0; position < word.size();) {
    const CodePoint point = decode_utf8(word, position);
    if (!point.valid) return "is not UTF-8";
    if (point.value == 0) return "has a zero byte inside";
    if (is_ascii_whitespace(point.value)) return "has a blank inside";
    if (is_control(point.value) || is_separator(point.value)) return kControl;
    position += point.size;
  }
  return {};
}

bool has_invisible_control(std::string_view word) {
  return is_valid_utf8(word) && word_fault(word) == kControl;
}

bool is_word_like(std::string_view word) {
  if (word.starts_with('<') && word.ends_with('>')) return false;
  for (std::size_t position = 0; position < word.size();) {
    const CodePoint point = decode_utf8(word, position);
    const CharKind kind = char_kind(point.value);
    if (kind == CharKind::letter || kind == CharKind::foreign) return true;
    position += point.size;
  }
  return false;
}

bool is_plain_ascii(std::string_view words) {
  bool plain = true;
  for (const char c : words) plain &= c > ' ' && c < 0x7F;
  return plain;
}

}  // namespace sotto::text

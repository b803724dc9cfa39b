#include "lm/tokenizer/unicode_classes.hpp"

#include <algorithm>
#include <span>

#include <utf8proc.h>

#include "lm/tokenizer/unicode_differences.hpp"
#include "text/utf8.hpp"

namespace sotto::lm {
namespace {

utf8proc_category_t category(char32_t value) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(value));
}

/// The range that contains `value` among sorted ones; null if there is none.
template <class Range>
const Range* find_range(std::span<const Range> ranges, char32_t value) {
  const auto found = std::lower_bound(ranges.begin(), ranges.end(), value,
                                      [](const Range& range, char32_t v) { return range.last < v; });
  return found != ranges.end() && found->first <= value ? &*found : nullptr;
}

bool in_ranges(std::span<const CodePointRange> ranges, char32_t value) {
  return find_range(ranges, value) != nullptr;
}

PatternClass wide_pattern_class(char32_t value) {
  if (is_unicode_space(value)) return PatternClass::space;
  const utf8proc_category_t kind = category(value);
  if (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO) return PatternClass::letter;
  if (kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO) return PatternClass::number;
  if (kind != UTF8PROC_CATEGORY_CN) return PatternClass::other;
  if (in_ranges(kNewerLetters, value)) return PatternClass::letter;
  return in_ranges(kNewerNumbers, value) ? PatternClass::number : PatternClass::other;
}

constexpr auto kAsciiClasses = [] {
  std::array<PatternClass, 128> classes{};
  for (char32_t c = 0; c < 128; ++c) {
    const char32_t lower = c | 0x20;
    classes[c] = is_unicode_space(c)            ? PatternClass::space
                 : lower >= 'a' && lower <= 'z' ? PatternClass::letter
                 : c >= '0' && c <= '9'         ? PatternClass::number
                                                : PatternClass::other;
  }
  return classes;
}();

}  // namespace

PatternClass pattern_class(char32_t value) {
  return value < 128 ? kAsciiClasses[value] : wide_pattern_class(value);
}

bool is_word_character(char32_t value) {
  const utf8proc_category_t kind = category(value);
  return (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_NL) || kind == UTF8PROC_CATEGORY_PC ||
         value == 0x200C || value == 0x200D;
}

bool is_bert_control(char32_t value) {
  if (value == '\t' || value == '\n' || value == '\r') return false;
  if (value == 0 || value == text::kReplacementCharacter) return true;
  const utf8proc_category_t kind = category(value);
  if (kind == UTF8PROC_CATEGORY_CF) return !in_ranges(kNewerFormats, value);
  return kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_CO;
}

bool is_bert_punctuation(char32_t value) {
  if (value < 128)
    return (value >= 33 && value <= 47) || (value >= 58 && value <= 64) || (value >= 91 && value <= 96) ||
           (value >= 123 && value <= 126);
  // Formerly punctuation: the Canadian syllabics chi sign and the Sharada sandhi mark.
  if (value == 0x166D || value == 0x111C9) return true;
  const utf8proc_category_t kind = category(value);
  return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO && !in_ranges(kNewerPunctuation, value);
}

bool is_bert_accent(char32_t value) {
  if (value == 0x1734) return true;  // the Hanunoo pamudpod, a spacing mark since Unicode 14
  return category(value) == UTF8PROC_CATEGORY_MN && !in_ranges(kNewerMarks, value);
}

bool is_han(char32_t value) {
  return (value >= 0x4E00 && value <= 0x9FFF) || (value >= 0x3400 && value <= 0x4DBF) ||
         (value >= 0x20000 && value <= 0x2A6DF) || (value >= 0x2A700 && value <= 0x2B73F) ||
         (value >= 0x2B740 && value <= 0x2B81F) || (value >= 0x2B920 && value <= 0x2CEAF) ||
         (value >= 0xF900 && value <= 0xFAFF) || (value >= 0x2F800 && value <= 0x2FA1F);
}

Decomposition decompose(char32_t value) {
  Decomposition result{{value}, 1};
  // The Dives Akuru vowel sign O has had a decomposition since Unicode 13, newer than the reference's tables.
  if (value < 0xC0 || value == 0x11938) return result;
  std::array<utf8proc_int32_t, 4> parts{};
  int last_class = UTF8PROC_BOUNDCLASS_START;
  const utf8proc_ssize_t count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(value), parts.data(),
                                                         parts.size(), UTF8PROC_DECOMPOSE, &last_class);
  if (count <= 0 || count > static_cast<utf8proc_ssize_t>(parts.size())) return result;
  result.size = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < result.size; ++i) result.values[i] = static_cast<char32_t>(parts[i]);
  return result;
}

int combining_class(char32_t value) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(value))->combining_class;
}

void append_lower(std::string& out, char32_t value) {
  if (value == 0x130) {  // the only letter whose lower case always has two code points
    out.append("i\u0307");
    return;
  }
  auto lower = static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(value)));
  if (const LowerCaseRange* range = find_range<LowerCaseRange>(kNewerCapitals, value))
    lower = static_cast<char32_t>(static_cast<std::int64_t>(value) + range->distance);
  out.append(text::encode_utf8(lower).view());
}

}  // namespace sotto::lm

#include "text/char_kind.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>

#include <utf8proc.h>

namespace sotto::text {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

/// Code points of the Latin script beyond ASCII, and the letter apostrophes that Latin orthographies use.
/// Those that are not letters (Roman numerals, unassigned code points) are filtered out by their category.
constexpr Range kLatin[] = {
    {0x00AA, 0x00AA}, {0x00BA, 0x00BA}, {0x00C0, 0x00D6}, {0x00D8, 0x00F6},   {0x00F8, 0x02B8},
    {0x02BB, 0x02BC}, {0x02E0, 0x02E4}, {0x1D00, 0x1D25}, {0x1D2C, 0x1D5C},   {0x1D62, 0x1D65},
    {0x1D6B, 0x1D77}, {0x1D79, 0x1DBE}, {0x1E00, 0x1EFF}, {0x2071, 0x2071},   {0x207F, 0x207F},
    {0x2090, 0x209C}, {0x212A, 0x212B}, {0x2132, 0x2132}, {0x214E, 0x214E},   {0x2183, 0x2184},
    {0x2C60, 0x2C7F}, {0xA722, 0xA787}, {0xA78B, 0xA7FF}, {0xAB30, 0xAB5A},   {0xAB5C, 0xAB64},
    {0xFB00, 0xFB06}, {0xFF21, 0xFF3A}, {0xFF41, 0xFF5A}, {0x10780, 0x107BA}, {0x1DF00, 0x1DF2A},
};

constexpr Range kDiacritics[] = {{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0xFE20, 0xFE2F}};

constexpr Range kExtenders[] = {{0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xE0100, 0xE01EF}};

/// Blanks beyond ASCII.
constexpr Range kWhitespace[] = {
    {0x00A0, 0x00A0}, {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029},
    {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000},
};

/// Characters beyond ASCII that are ordinary in English prose. They are output in clear, so emoji and
/// anything that could represent a word are excluded.
constexpr std::u32string_view kPunctuation =
    U"\u00A1\u00A2\u00A3\u00A5\u00A7\u00A9\u00AB\u00AE\u00B0\u00B1\u00B4\u00B6\u00B7\u00BB\u00BF\u00D7\u00F7"
    U"\u2010\u2011\u2012\u2013\u2014\u2015\u2018\u2019\u201A\u201B\u201C\u201D\u201E\u201F\u2020\u2021\u2022"
    U"\u2026"
    U"\u2030\u2032\u2033\u2039\u203A\u20AC\u2122\u2212";

template <std::size_t n>
bool contains(const Range (&ranges)[n], char32_t value) {
  const auto* const after = std::upper_bound(std::begin(ranges), std::end(ranges), value,
                                             [](char32_t v, const Range& range) { return v < range.first; });
  return after != std::begin(ranges) && value <= std::prev(after)->last;
}

CharKind ascii_kind(char32_t value) {
  if (is_ascii_whitespace(value)) return CharKind::whitespace;
  if (value < 0x20 || value == 0x7F) return CharKind::symbol;
  if (value >= '0' && value <= '9') return CharKind::digit;
  return is_ascii_alphanumeric(value) ? CharKind::letter : CharKind::punctuation;
}

CharKind kind_by_category(char32_t value) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(value))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return contains(kLatin, value) ? CharKind::letter : CharKind::foreign;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharKind::foreign;
    default:
      return CharKind::symbol;
  }
}

CharKind compute_kind(char32_t value) {
  if (value < 0x80) return ascii_kind(value);
  if (contains(kWhitespace, value)) return CharKind::whitespace;
  if (kPunctuation.find(value) != std::u32string_view::npos) return CharKind::punctuation;
  if (contains(kDiacritics, value)) return CharKind::mark;
  if (contains(kExtenders, value)) return CharKind::extender;
  return kind_by_category(value);
}

}  // namespace

CharKind char_kind(char32_t value) {
  // Covers general punctuation and the scripts that occur in English text.
  constexpr char32_t kCached = 0x2800;
  static const auto cache = [] {
    std::array<CharKind, kCached> kinds{};
    for (char32_t v = 0; v < kCached; ++v) kinds[v] = compute_kind(v);
    return kinds;
  }();
  return value < kCached ? cache[value] : compute_kind(value);
}

std::string unicode_tables_version() {
  return std::string("utf8proc ") + utf8proc_version();
}

}  // namespace sotto::text

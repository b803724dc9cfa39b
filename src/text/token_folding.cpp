#include "text/token_folding.hpp"

#include <algorithm>

#include <utf8proc.h>

#include "text/abbreviation.hpp"
#include "text/char_kind.hpp"
#include "text/letter_case.hpp"
#include "text/utf8.hpp"

namespace sotto::text {
namespace {

constexpr std::size_t kLongestRun = 3;

/// Latin letters that Unicode does not decompose; empty for all others.
constexpr std::string_view plain_letters(char32_t folded) {
  switch (folded) {
    case U'\u00E6':
      return "ae";
    case U'\u0153':
      return "oe";
    case U'\u00F8':
      return "o";
    case U'\u00F0':
    case U'\u0111':
      return "d";
    case U'\u00FE':
      return "th";
    case U'\u0127':
      return "h";
    case U'\u0131':
      return "i";
    case U'\u0142':
      return "l";
    case U'\u014B':
      return "n";
    case U'\u0167':
      return "t";
    default:
      return {};
  }
}

bool is_ascii_letter(char c) {
  return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

class TokenFolder {
 public:
  std::optional<FoldedToken> fold(std::string_view token) {
    token.remove_prefix(std::min(token.find_first_not_of('#'), token.size()));
    folded_.dotted = !token.empty() && abbreviation_end(token, 0) == token.size();
    for (std::size_t position = 0; position < token.size();) {
      if (static_cast<unsigned char>(token[position]) < 0x80) {
        if (!add_ascii(token[position++])) return std::nullopt;
        continue;
      }
      const CodePoint point = decode_utf8(token, position);
      if (!point.valid || !add(point.value)) return std::nullopt;
      position += point.size;
    }
    while (!folded_.letters.empty() && !is_ascii_letter(folded_.letters.back())) folded_.letters.pop_back();
    while (!folded_.part_begins.empty() && folded_.part_begins.back() >= folded_.letters.size())
      folded_.part_begins.pop_back();
    if (folded_.letters.empty()) return std::nullopt;
    return std::move(folded_);
  }

 private:
  enum class Case { none, lower, upper };

  bool add(char32_t value) {
    if (is_word_joiner(value)) return add_joiner(value == U'\u2019' ? '\'' : '-');
    const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(value));
    switch (category) {
      case UTF8PROC_CATEGORY_CF:
      case UTF8PROC_CATEGORY_MN:
      case UTF8PROC_CATEGORY_ME:
        return true;
      case UTF8PROC_CATEGORY_LU:
      case UTF8PROC_CATEGORY_LT:
        begin_part(Case::upper);
        return add_decomposed(value);
      case UTF8PROC_CATEGORY_LL:
        begin_part(Case::lower);
        return add_decomposed(value);
      case UTF8PROC_CATEGORY_LO:
      case UTF8PROC_CATEGORY_LM:
        return add_decomposed(value);
      default:
        return false;
    }
  }

  bool add_ascii(char c) {
    if (is_ascii_letter(c)) {
      begin_part(c < 'a' ? Case::upper : Case::lower);
      return add_letter(ascii_lower(c));
    }
    if (c == '\'' || c == '-') return add_joiner(c);
    if (c == '.') return folded_.dotted;
    if (c != '_') return false;
    break_here_ = !folded_.letters.empty();
    case_ = Case::none;
    return true;
  }

  bool add_decomposed(char32_t value) {
    constexpr utf8proc_ssize_t kMost = 32;  // no code point has a longer decomposition
    utf8proc_int32_t points[kMost];
    int ignored = 0;
    const auto options = static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT |
                                                        UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK);
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(value), points, kMost, options, &ignored);
    if (count < 0 || count > kMost) return false;
    for (utf8proc_ssize_t i = 0; i < count; ++i) {
      const auto point = static_cast<char32_t>(points[i]);
      if (point >= U'a' && point <= U'z') {
        if (!add_letter(static_cast<char>(point))) return false;
        continue;
      }
      const std::string_view letters = plain_letters(point);
      if (letters.empty()) return false;
      for (const char letter : letters)
        if (!add_letter(letter)) return false;
    }
    return true;
  }

  /// A capital after a small letter begins a part ("aB"), and so does the last of several before a small
  /// one ("ABc"), which is known only one letter later.
  void begin_part(Case letter_case) {
    const std::size_t size = folded_.letters.size();
    if (break_here_ || (letter_case == Case::upper && case_ == Case::lower))
      add_part(size);
    else if (letter_case == Case::lower && case_ == Case::upper && capitals_ > 1 && !shortened_)
      add_part(size - 1);
    capitals_ = letter_case == Case::upper ? capitals_ + 1 : 0;
    case_ = letter_case;
    break_here_ = false;
  }

  void add_part(std::size_t begin) {
    if (begin > 0 && (folded_.part_begins.empty() || folded_.part_begins.back() < begin))
      folded_.part_begins.push_back(static_cast<std::uint8_t>(begin));
  }

  bool add_joiner(char joiner) {
    std::string& letters = folded_.letters;
    if (!letters.empty() && is_ascii_letter(letters.back())) letters += joiner;
    case_ = Case::none;
    shortened_ = false;
    return letters.size() <= kMostFoldedLetters;
  }

  bool add_letter(char letter) {
    std::string& letters = folded_.letters;
    shortened_ = repeats_letter(letter);
    if (shortened_) return true;
    letters += letter;
    if (repeats_pair()) {
      letters.resize(letters.size() - 2);
      shortened_ = true;
    }
    return letters.size() <= kMostFoldedLetters;
  }

  bool repeats_letter(char letter) const {
    const std::string_view letters = folded_.letters;
    return letters.size() >= kLongestRun &&
           std::all_of(letters.end() - kLongestRun, letters.end(), [letter](char c) { return c == letter; });
  }

  /// Whether the letters end in "xyxyxy".
  bool repeats_pair() const {
    const std::string_view letters = folded_.letters;
    if (letters.size() < 6) return false;
    const char* const end = letters.data() + letters.size();
    const char x = end[-2];
    const char y = end[-1];
    return y == end[-3] && x == end[-4] && y == end[-5] && x == end[-6] && x != y && is_ascii_letter(x) &&
           is_ascii_letter(y);
  }

  FoldedToken folded_;
  Case case_ = Case::none;
  std::size_t capitals_ = 0;
  bool break_here_ = false;
  bool shortened_ = false;  // the last letter was dropped
};

}  // namespace

std::optional<FoldedToken> fold_token(std::string_view token) {
  return TokenFolder().fold(token);
}

}  // namespace sotto::text

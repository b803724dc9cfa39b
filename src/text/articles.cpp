#include "text/articles.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <utf8proc.h>

#include "text/char_kind.hpp"
#include "text/letter_case.hpp"
#include "text/utf8.hpp"

namespace sotto::text {
namespace {

// Beginnings of words with a silent h.
constexpr std::array<std::string_view, 5> kSilent = {"heir", "honest", "honor", "honour", "hour"};

// Beginnings of words with a vowel letter that sound like "you" or "one".
constexpr std::array<std::string_view, 32> kConsonant = {
    "eu",   "ewe",  "once", "ouija", "ubiq", "ufo",  "ugand", "ukrain", "ukul", "unic", "unif",
    "unil", "unio", "uniq", "unis",  "unit", "univ", "uran",  "urea",   "uret", "urin", "urol",
    "urug", "usa",  "usb",  "use",   "usi",  "usu",  "utah",  "ute",    "util", "utop"};

// Initialisms that are spoken letter by letter and begin with a consonant that sounds like "ef" or "ex".
constexpr std::array<std::string_view, 34> kSpokenLetters = {
    "fbi", "fcc",  "fda", "fm",  "ftc", "hbo", "hd",  "hiv", "hq",  "hr",   "html", "http",
    "lcd", "lgbt", "lp",  "lsd", "mba", "mit", "mp",  "mri", "mtv", "mvp",  "nba",  "nbc",
    "nfl", "ngo",  "nhl", "nra", "nsa", "rna", "sms", "sos", "suv", "x-ray"};

constexpr std::size_t kLongestSpoken = 5;  // of these, and of words without a vowel that count like them

constexpr std::string_view kVowels = "aeiou";
constexpr std::string_view kVowelNames = "aefhilmnorsx";  // letters whose names begin with a vowel

bool has(std::string_view set, char c) {
  return set.find(c) != std::string_view::npos;
}

template <std::size_t kSize>
bool begins_with_one_of(std::string_view word, const std::array<std::string_view, kSize>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [word](std::string_view beginning) {
    return beginning[0] == word[0] && word.starts_with(beginning);
  });
}

/// The word up to an apostrophe, in lower case; its first letter without diacritics.
std::string sounding_form(std::string_view word) {
  word = word.substr(0, word.find('\''));
  if (word.empty()) return {};
  const CodePoint first = decode_utf8(word, 0);
  std::string form = to_lower(word.substr(first.size));
  std::array<utf8proc_int32_t, 4> parts{};
  int ignored = 0;
  const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(first.value), parts.data(),
                                             parts.size(), UTF8PROC_DECOMPOSE, &ignored);
  const char32_t base = count > 0 ? static_cast<char32_t>(parts[0]) : first.value;
  return to_lower(encode_utf8(base).view()) + form;
}

/// "one", "one-way", but not "onerous".
bool is_one(std::string_view form) {
  return form == "one" || form == "ones" || form == "oneself" || form.starts_with("one-");
}

/// All capitals without a vowel: "MTV", "HTML". Such a word is spoken letter by letter.
bool is_unspeakable(std::string_view word) {
  return word.size() > 1 && word.size() <= kLongestSpoken &&
         std::all_of(word.begin(), word.end(),
                     [](char c) { return c >= 'A' && c <= 'Z' && !has(kVowels, ascii_lower(c)); });
}

bool number_takes_an(std::string_view number) {
  const std::size_t digits = std::min(number.find_first_not_of("0123456789"), number.size());
  if (number.starts_with('8')) return true;
  // Eleven, eighteen, eleven thousand; and years such as 1856.
  return (number.starts_with("11") || number.starts_with("18")) && (digits % 3 == 2 || digits == 4);
}

bool is_digit_byte(char c) {
  return c >= '0' && c <= '9';
}

/// The word or number that begins at `begin`; empty if something else does.
std::string_view next_word(std::string_view text, std::size_t begin) {
  const auto belongs = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return is_ascii_alphanumeric(byte) || byte >= 0x80 || c == '\'' || c == '-';
  };
  std::size_t end = begin;
  while (end < text.size() && (belongs(text[end]) || (is_digit_byte(text[begin]) && text[end] == ','))) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  return !word.empty() && (word[0] == '\'' || word[0] == '-') ? std::string_view() : word;
}

/// What becomes of an article.
enum class Agreement { stays, is_a, is_an };

Agreement agreement(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
  if (begin == end) return Agreement::stays;
  const std::string_view word = next_word(text, begin);
  if (word.empty()) return Agreement::stays;
  const char32_t first = decode_utf8(text, begin).value;
  const CharKind kind = char_kind(first);
  if (kind != CharKind::letter && kind != CharKind::digit) return Agreement::stays;
  return takes_an(word) ? Agreement::is_an : Agreement::is_a;
}

}  // namespace

bool takes_an(std::string_view word) {
  if (word.empty()) return false;
  if (is_digit_byte(word[0])) return number_takes_an(word);
  // Most words need no more than their first letter.
  const char letter = ascii_lower(word[0]);
  if (has("ai", letter)) return true;
  if (has("bcdgjkpqtvwyz", letter) || (has("flmnrsx", letter) && word.size() > kLongestSpoken)) return false;
  if (is_unspeakable(word)) return has(kVowelNames, ascii_lower(word[0]));
  const std::string form = sounding_form(word);
  if (form.empty()) return false;
  if (form.size() == 1) return has(kVowelNames, form[0]);
  if (word[0] == 'U' && word.size() <= 3 &&
      std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
    return false;  // UK, UN, USA
  if (std::find(kSpokenLetters.begin(), kSpokenLetters.end(), form) != kSpokenLetters.end()) return true;
  if (has(kVowels, form[0])) return !is_one(form) && !begins_with_one_of(form, kConsonant);
  return begins_with_one_of(form, kSilent);
}

bool ends_in_article(std::string_view text) {
  const std::size_t blank = text.rfind(' ');
  const std::string_view last = blank == std::string_view::npos ? text : text.substr(blank + 1);
  if (last.empty() || last.size() > 2 || ascii_lower(last[0]) != 'a') return false;
  return last.size() == 1 || ascii_lower(last[1]) == 'n';
}

void agree_articles(OutputBuffer& out, std::span<const std::size_t> ends) {
  std::string rebuilt;  // what follows the first change
  std::optional<std::size_t> first;
  std::size_t done = 0;
  for (const std::size_t end : ends) {
    const std::string_view text = out.view();
    const Agreement wanted = agreement(text, end);
    const bool is_an = ascii_lower(text[end - 1]) == 'n';
    if (wanted == Agreement::stays || is_an == (wanted == Agreement::is_an)) continue;
    const std::size_t kept = is_an ? end - 1 : end;
    if (!first) first = done = kept;
    rebuilt.append(text.substr(done, kept - done));
    if (!is_an) rebuilt.push_back('n');
    done = end;
  }
  if (!first) return;
  rebuilt.append(out.view().substr(done));
  out.truncate(*first);
  out.append(rebuilt);
}

}  // namespace sotto::text

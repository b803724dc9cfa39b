#include "text/abbreviation.hpp"

#include "text/char_kind.hpp"
#include "text/utf8.hpp"

namespace sotto::text {
namespace {

CodePoint point_at(std::string_view text, std::size_t position) {
  return position < text.size() ? decode_utf8(text, position) : CodePoint{U' ', 0, true};
}

/// The end of the marks at `position`, which belong to the character before them.
std::size_t marks_end(std::string_view text, std::size_t position) {
  for (CodePoint point = point_at(text, position); char_kind(point.value) == CharKind::mark;
       point = point_at(text, position))
    position += point.size;
  return position;
}

/// The end of the letter at `position` and the full stop after it, or 0. A full stop with a mark or variation
/// selector is no punctuation.
std::size_t dotted_letter_end(std::string_view text, std::size_t position) {
  const CodePoint letter = point_at(text, position);
  if (char_kind(letter.value) != CharKind::letter) return 0;
  const std::size_t stop = marks_end(text, position + letter.size);
  if (stop >= text.size() || text[stop] != '.') return 0;
  const CharKind after = char_kind(point_at(text, stop + 1).value);
  return after == CharKind::mark || after == CharKind::extender ? 0 : stop + 1;
}

}  // namespace

std::size_t abbreviation_end(std::string_view text, std::size_t begin) {
  std::size_t end = 0;
  std::size_t letters = 0;
  for (std::size_t next = dotted_letter_end(text, begin); next != 0; next = dotted_letter_end(text, end)) {
    end = next;
    ++letters;
  }
  if (letters < 2) return 0;
  const CharKind after = char_kind(point_at(text, end).value);
  const bool continues = after == CharKind::letter || after == CharKind::digit || after == CharKind::foreign;
  return continues ? 0 : end;
}

}  // namespace sotto::text

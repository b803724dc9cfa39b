// Which spellings may be words of a model or a phrase table. Words are output unchanged, so one containing a
// line terminator or a tab would forge records, and two equal ones would make an input ambiguous.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace sotto::text {

/// What is wrong with a spelling, as a continuation of "the word": it is empty, not UTF-8, or contains a
/// blank, a line or paragraph separator, or a control character. Empty if nothing is wrong.
std::string_view word_fault(std::string_view word);

/// Whether the first fault of a spelling is a control character or a separator. Third-party vector files have
/// a few such words, which nobody misses.
bool has_invisible_control(std::string_view word);

/// Whether a spelling has a letter of any script, and is not a marker in angle brackets, such as "</s>".
/// Vector files also list punctuation, numbers and markers, which no reader expects where a word was.
bool is_word_like(std::string_view word);

/// Whether all these bytes are ASCII letters, digits or punctuation: then no non-empty part of them has a
/// fault. Much faster than checking part by part.
bool is_plain_ascii(std::string_view words);

/// The first of the words words[offsets[i], offsets[i + 1]) that has a fault. The offsets must be ascending
/// and within `words`.
template <class Offset>
std::optional<std::size_t> first_faulty(std::span<const Offset> offsets, std::string_view words) {
  const auto word = [&](std::size_t i) { return words.substr(offsets[i], offsets[i + 1] - offsets[i]); };
  const bool plain = is_plain_ascii(words);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    if (offsets[i] == offsets[i + 1] || (!plain && !word_fault(word(i)).empty())) return i;
  return std::nullopt;
}

}  // namespace sotto::text

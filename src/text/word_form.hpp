// Which spellings may be words of a model or of a phrase table. A word becomes output as it is, so one with a
// line end or a tab inside would forge records, and two equal ones would make an input ambiguous.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace sotto {

/// What is wrong with a spelling, to be put after "the word": it is empty, not UTF-8, or has a blank, a line
/// or paragraph separator or a control character inside. Empty when nothing is.
std::string_view word_fault(std::string_view word);

/// True when the first fault of a spelling is a control character or a separator. Vector files of others have
/// a few such words, which nobody misses.
bool has_invisible_control(std::string_view word);

/// True when all these bytes are ASCII letters, digits, punctuation: then no non-empty part of them has a
/// fault. Much faster than asking part by part.
bool is_plain_ascii(std::string_view words);

/// The first of the words words[offsets[i], offsets[i + 1]) that has a fault. The offsets ascend within the
/// size of `words`.
template <class Offset>
std::optional<std::size_t> first_faulty(std::span<const Offset> offsets, std::string_view words) {
  const auto word = [&](std::size_t i) { return words.substr(offsets[i], offsets[i + 1] - offsets[i]); };
  const bool plain = is_plain_ascii(words);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    if (offsets[i] == offsets[i + 1] || (!plain && !word_fault(word(i)).empty())) return i;
  return std::nullopt;
}

}  // namespace sotto

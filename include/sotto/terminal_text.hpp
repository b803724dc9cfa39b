// Text for people: what comes from elsewhere made fit for a terminal or a page, and counts in sentences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <sotto/api.hpp>

namespace sotto {

/// `text` with everything visible that a terminal would obey or hide: control characters as their pictures
/// (␛ for escape, ␊ for a line end), directional marks and other invisible characters as <U+202E>, and each
/// ill-formed sequence as U+FFFD. The result is valid UTF-8 on one line. Thread-safe.
SOTTO_API std::string visible_text(std::string_view text);

/// The columns that valid UTF-8 without control characters takes on a terminal: two for a wide character,
/// none for a combining one. Thread-safe.
SOTTO_API std::size_t display_width(std::string_view text);

/// "1 token", "2 tokens": for nouns whose plural takes an s. Thread-safe.
inline std::string counted(std::uint64_t count, std::string_view noun) {
  std::string text = std::to_string(count);
  text.append(" ").append(noun);
  return count == 1 ? text : text + 's';
}

}  // namespace sotto

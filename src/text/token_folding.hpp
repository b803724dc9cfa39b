// Folding a token to the 26 letters: case, accents and full-width forms removed, drawn-out spellings
// shortened.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::text {

/// A token with more letters than this, after shortening, is no word.
inline constexpr std::size_t kMostFoldedLetters = 48;

/// A token as letters a to z, with ' and - only between two of them; a dotted abbreviation without its full
/// stops. A run of a letter is at most 3 long
/// ("sooooo" is "sooo"), a repeated pair occurs at most twice ("hahahaha" is "haha").
struct FoldedToken {
  std::string letters;
  /// Where an underscore or an inner capital ("ThrowbackThursday") begins another part of `letters`;
  /// ascending.
  std::vector<std::uint8_t> part_begins;
  bool dotted = false;  ///< a dotted abbreviation, such as "p.m."
};

/// Nothing if the token cannot be written with these letters: one with a digit, an @, other punctuation or a
/// symbol, another script, more letters than kMostFoldedLetters, or ill-formed UTF-8. A leading # is dropped,
/// and so are marks and invisible characters. Takes time linear in the token's length. Thread-safe.
std::optional<FoldedToken> fold_token(std::string_view token);

}  // namespace sotto::text

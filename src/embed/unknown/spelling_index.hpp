// Words within a small edit distance of what was typed.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "embed/unknown/public_words.hpp"

namespace sotto::embed {

/// Words sorted by first letter and length, each with a signature of its letters: a letter more or less
/// changes at most one of its bits, any other edit two, so that a scan of the signatures leaves few words to
/// compare. Immutable, so safe to share
/// between threads.
class SpellingIndex {
 public:
  /// `words` must outlive the index.
  explicit SpellingIndex(const PublicWords& words);

  /// The words with the same first letter at exactly `edits` (1 or 2) from `typed`: first those whose
  /// frequency and edits make them the most likely, then by number. `typed` consists of a to z, ' and -.
  /// Strings below 3 letters have none, those below 6 none with two edits, and short ones only frequent
  /// words.
  std::vector<WordNumber> corrections(std::string_view typed, int edits) const;

 private:
  static constexpr std::size_t kLengths = 64;

  std::size_t begin_of(char first, std::size_t length) const;
  /// Places of the words whose lengths and signatures allow for that many edits.
  std::vector<std::uint32_t> candidates(std::string_view typed, std::size_t edits) const;

  const PublicWords& words_;
  std::vector<std::uint32_t> signatures_;
  std::vector<WordNumber> numbers_;
  std::array<std::uint32_t, 26 * kLengths + 1> begins_{};
};

}  // namespace sotto::embed

// Words within a small edit distance of what was typed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "embed/unknown/public_words.hpp"

namespace sotto::embed {

/// Words sorted by first letter and length, each with a signature of its letters: a letter more or less
/// changes at most one of its bits, any other edit two, so that a scan of the signatures leaves few words to
/// compare. Immutable, so safe to share between threads.
class SpellingIndex {
 public:
  /// `words` must outlive the index. They have fewer than kLengths letters and begin with a to z.
  explicit SpellingIndex(const PublicWords& words);

  /// The words with the same first letter at exactly `edits` (1 or 2) from `typed`: first those whose
  /// frequency and edits make them the most likely, then by number. `typed` consists of a to z, ' and -.
  /// Strings below 3 letters have none, those below 6 none with two edits, and short ones only frequent
  /// words.
  std::vector<WordNumber> corrections(std::string_view typed, int edits) const;

 private:
  static constexpr std::size_t kLengths = 64;

  /// The words of one first letter and length.
  struct Bucket {
    std::uint32_t begin = 0;    ///< of its places in signatures_ and numbers_
    std::uint32_t letters = 0;  ///< where its words begin in letters_
  };

  static std::size_t bucket_of(char first, std::size_t length) {
    return static_cast<std::size_t>(first - 'a') * kLengths + length;
  }

  const PublicWords& words_;
  std::vector<std::uint32_t> signatures_;
  std::vector<WordNumber> numbers_;
  std::string letters_;                            // in the same order, so that a bucket's words are together
  std::array<Bucket, 26 * kLengths + 1> buckets_;  // and the end
};

}  // namespace sotto::embed

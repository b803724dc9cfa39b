// Which tokens get a vector: counts them first, then chooses.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/collocations.hpp>

#include "embed/vector_table.hpp"

namespace sotto::train {

/// Occurrences of the tokens of a segmented corpus: words by their spelling, phrases by their id.
class TokenCounts {
 public:
  explicit TokenCounts(std::uint32_t phrases = 0) : phrase_counts_(phrases, 0) {}

  void add_word(std::string_view word, std::uint64_t count = 1);
  void add_phrase(PhraseId phrase, std::uint64_t count = 1) { phrase_counts_[phrase] += count; }
  void add(const TokenCounts& other);
  /// Sets the count of a phrase to zero and returns the previous count.
  std::uint64_t take_phrase(PhraseId phrase) { return std::exchange(phrase_counts_[phrase], 0); }

  const embed::WordTable& words() const { return words_; }
  std::uint64_t word_count(std::uint32_t word) const { return word_counts_[word]; }
  std::span<const std::uint64_t> phrase_counts() const { return phrase_counts_; }

 private:
  embed::WordTable words_;
  std::vector<std::uint64_t> word_counts_;
  std::vector<std::uint64_t> phrase_counts_;
};

struct TokenVocabulary {
  embed::WordTable words;
  std::vector<bool> phrases;  ///< by phrase id
};

struct VocabularyRules {
  std::uint64_t min_count = 1;
  std::uint64_t limit = 0;                          ///< 0: none
  const embed::WordSelection* selection = nullptr;  ///< null: all words are allowed
};

/// Chooses by these rules, with ties in byte order. If a phrase is not chosen, other tokens replace it in the
/// text and are counted accordingly: for three words the first two if they are a phrase, else the last two,
/// else single words. `table` is null without phrases.
TokenVocabulary choose_vocabulary(TokenCounts counts, const PhraseTable* table, const VocabularyRules& rules);

}  // namespace sotto::train

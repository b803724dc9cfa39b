// Which tokens get a vector: counted first, then chosen.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <sotto/collocations.hpp>

#include "embed/vector_table.hpp"

namespace sotto {

/// Occurrences of the tokens of a segmented corpus: words by their spelling, phrases by their id.
class TokenCounts {
 public:
  explicit TokenCounts(std::uint32_t phrases = 0) : phrase_counts_(phrases, 0) {}

  void add_word(std::string_view word, std::uint64_t count = 1);
  void add_phrase(PhraseId phrase) { ++phrase_counts_[phrase]; }
  void add(const TokenCounts& other);
  /// Counts the occurrences of a phrase as occurrences of its words instead.
  void take_apart(PhraseId phrase, const PhraseTable& table);

  const WordTable& words() const { return words_; }
  std::uint64_t word_count(std::uint32_t word) const { return word_counts_[word]; }
  std::span<const std::uint64_t> phrase_counts() const { return phrase_counts_; }

 private:
  WordTable words_;
  std::vector<std::uint64_t> word_counts_;
  std::vector<std::uint64_t> phrase_counts_;
};

struct TokenVocabulary {
  WordTable words;
  std::vector<bool> phrases;  ///< by phrase id
};

struct VocabularyRules {
  std::uint64_t min_count = 1;
  std::uint64_t limit = 0;                   ///< 0: none
  const WordSelection* selection = nullptr;  ///< null: all words are allowed
};

/// Chooses by these rules, at equal counts in byte order. Where a phrase is not chosen, its words will stand
/// in the text for themselves, so they are counted that way. `table` is null without phrases.
TokenVocabulary choose_vocabulary(TokenCounts counts, const PhraseTable* table, const VocabularyRules& rules);

}  // namespace sotto

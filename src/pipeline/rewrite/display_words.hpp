// The spelling of output words, packed for fast copying.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/model.hpp>
#include <sotto/policy.hpp>

#include "embed/word_forms.hpp"

namespace sotto::pipeline {

/// How output words are written.
struct WordSpelling {
  CasePolicy letter_case = CasePolicy::lower;
  const embed::WordForms* forms = nullptr;  ///< null: none
  bool finds_articles = false;              ///< whether ends_in_article() answers
};

class DisplayWords {
 public:
  DisplayWords() = default;
  /// With CasePolicy::lower every word is in lower case; otherwise in the form that the table has for it, and
  /// without one as in the model, except that the English pronoun I and its contractions are capitalized.
  /// With `phrases` the words of a phrase are separated ("New York" for "new_york"). This depends only on
  /// output words, so it is post-processing.
  DisplayWords(const Model& model, const WordSpelling& spelling, bool phrases);
  /// The same for a list of words.
  DisplayWords(std::span<const std::string> words, const WordSpelling& spelling);

  /// Ready for copy_padded.
  std::string_view operator[](TokenId id) const {
    const Slot& slot = slots_[id];
    if (slot.length <= sizeof(slot.text)) [[likely]]
      return {slot.text, slot.length};
    return long_word(slot);
  }

  /// Whether the word is "a" or "an", or a phrase that ends so. Costs next to nothing beside operator[].
  bool ends_in_article(TokenId id) const { return slots_[id].length == kArticle; }

  /// Prefetches a word that is needed soon (forced inline, see Vocabulary::prefetch_ascii).
  [[gnu::always_inline]] void prefetch(TokenId id) const { __builtin_prefetch(&slots_[id]); }

 private:
  /// Holds a short word itself, so that one memory access fetches it, or the place of a long one in
  /// long_words_.
  struct Slot {
    unsigned char length;
    char text[15];
  };
  static constexpr unsigned char kLong = 255;
  static constexpr unsigned char kArticle = 254;  // stored like a long word

  void add(std::string_view word, const WordSpelling& spelling);
  std::string_view long_word(const Slot& slot) const;

  std::vector<Slot> slots_;  // plus some padding, so that block copies stay inside
  std::vector<std::string> long_words_;
};

}  // namespace sotto::pipeline

// What a string enters a mechanism as that works word by word.
#pragma once

#include <memory>
#include <string_view>

#include <sotto/explain.hpp>
#include <sotto/model.hpp>

#include "pipeline/rewrite/pinned_word_map.hpp"

namespace sotto::pipeline {

struct WordInput {
  TokenId id = 0;  ///< of the word, bottom(), or mechanism::uniform_input()
  WordEntry entry;

  bool in_vocabulary() const { return entry.path == EntryPath::vocabulary; }
};

/// As in a document: a word of the model, in any letter case, or what `oov` makes of another token. A phrase
/// may be written as it is read: "new york" for "new_york". Punctuation around the word is ignored ("#soup").
/// An error if the string has several words or none, because numbers and punctuation do not enter a
/// mechanism, and if `oov` keeps or drops words.
Result<WordInput> find_input(std::string_view word, const Model& model, OovPolicy oov,
                             std::shared_ptr<const PinnedWordMap> map = PinnedWordMap::shipped());

/// The promise for one token, as it reads where words outside the vocabulary are mapped.
Guarantee with_mapped_words(Guarantee token);

/// The numbers of outputs to list and of draws.
Result<void> check_amounts(const ExplainOptions& options);

}  // namespace sotto::pipeline

// A word of a text, and what a masked mechanism makes of it there.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/explain.hpp>
#include <sotto/tokenizer.hpp>

#include "mechanisms/word_row.hpp"
#include "pipeline/rewrite/masked_text_mechanism.hpp"

namespace sotto::pipeline {

/// A text with one of its tokens, which is a word.
struct PlacedToken {
  std::string text;  ///< valid UTF-8
  std::vector<Token> tokens;
  std::size_t token = 0;

  std::string_view word() const {
    return std::string_view(text).substr(tokens[token].begin, tokens[token].end - tokens[token].begin);
  }
};

/// The token that `place` names, or an error that says how many words the text has.
Result<PlacedToken> find_place(const TextPlace& place);

/// The same text with `word` in the place; an error unless `word` is one token that can stand for a word.
Result<PlacedToken> replace_word(const PlacedToken& place, std::string_view word);

/// Opens a mechanism that draws words of a text. One that writes a new text has no places and is an error.
Result<std::shared_ptr<const MaskedTextMechanism>> open_masked(const MechanismSpec& spec);

/// The exact distribution of the draw for the place.
Result<mechanism::WordRow> masked_row(const lm::MaskedMechanism& mechanism, const PlacedToken& place);

}  // namespace sotto::pipeline

// BERT's normalization and word splitting.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "lm/tokenizer/subword_model.hpp"

namespace sotto::lm {

struct BertNormalization {
  bool clean_text = true;            ///< drop control characters, make every blank U+0020
  bool handle_chinese_chars = true;  ///< put blanks around Han ideographs
  bool strip_accents = true;         ///< decompose (NFD), drop nonspacing marks
  bool lowercase = true;
};

/// Writes the normalized form of valid UTF-8 to `out`. Thread-safe.
void normalize_bert(std::string_view text, const BertNormalization& settings, bool track,
                    NormalizedText& out);

/// The next word from text[position] on: a punctuation character, or what lies between blanks and
/// punctuation. If there is none, an empty range at the end of the text. Thread-safe.
IndexRange next_bert_word(std::string_view text, std::size_t position);

}  // namespace sotto::lm

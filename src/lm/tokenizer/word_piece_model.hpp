// WordPiece, as BERT uses it: repeatedly takes the longest matching token.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

#include "lm/tokenizer/bert_normalizer.hpp"
#include "lm/tokenizer/byte_trie.hpp"
#include "lm/tokenizer/subword_model.hpp"
#include "lm/tokenizer/subword_vocabulary.hpp"
#include "lm/tokenizer/word_cache.hpp"

namespace sotto::lm {

struct WordPieceSettings {
  BertNormalization normalization;
  std::string continuation = "##";  ///< starts a token that continues a word
  std::string unknown = "[UNK]";    ///< the token of a word that cannot be split
  std::size_t max_word_chars = 100;
  bool clean_up = true;  ///< no blank before . ? ! , when decoding
};

class WordPieceModel final : public SubwordModel {
 public:
  /// `file` is for messages.
  static Result<std::unique_ptr<const SubwordModel>> make(const SubwordVocabulary& vocabulary,
                                                          const WordPieceSettings& settings,
                                                          std::string_view file);

  void normalize(std::string_view segment, bool track, NormalizedText& out) const override;
  void encode(std::string_view normalized, SegmentPlace place, PieceSink& sink) const override;
  std::string decode(std::span<const std::string_view> tokens) const override;
  bool starts_word(std::string_view token) const override;
  std::string surface(std::string_view token) const override;

 private:
  WordPieceModel(const WordPieceSettings& settings, SubwordId unknown)
      : settings_(settings), unknown_(unknown) {}
  void cut(std::string_view word, std::vector<WordPart>& parts) const;

  WordPieceSettings settings_;
  SubwordId unknown_;
  ByteTrie starts_;          // every token as spelled: a word may well start with "##"
  ByteTrie continuations_;   // tokens that continue a word, without the marker
  mutable WordCache cache_;  // synchronizes internally
};

}  // namespace sotto::lm

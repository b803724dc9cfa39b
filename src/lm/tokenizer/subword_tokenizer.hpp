// Converts text to the ids of a language model and back, as the Hugging Face libraries do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

#include "lm/tokenizer/added_tokens.hpp"
#include "lm/tokenizer/post_template.hpp"
#include "lm/tokenizer/subword_model.hpp"
#include "lm/tokenizer/subword_types.hpp"
#include "lm/tokenizer/subword_vocabulary.hpp"

namespace sotto::lm {

/// Ids with a special meaning; those that the model lacks are empty.
struct SpecialIds {
  std::optional<SubwordId> bos;  ///< starts a text: <s>, [CLS], <|endoftext|>
  std::optional<SubwordId> eos;  ///< ends a text: </s>, [SEP], <|endoftext|>
  std::optional<SubwordId> mask;
  std::optional<SubwordId> pad;
  std::optional<SubwordId> unk;
};

struct EncodeOptions {
  /// Put the model's own tokens around the text: <s> … </s>, [CLS] … [SEP].
  bool add_special = true;
  /// Fill Encoding::ranges.
  bool ranges = false;
  /// Read "<mask>" in a text as the mask token, as the reference does. If false, special tokens written in a
  /// text are plain characters, so a text cannot forge the model's structure.
  bool special_in_text = true;
};

/// A text, or a pair of texts, as ids.
struct Encoding {
  std::vector<SubwordId> ids;
  /// The model's token types: 0 for the first text, for BERT 1 for the second; as many as ids.
  std::vector<std::uint8_t> type_ids;
  /// For each id the bytes of its own text that it represents, including blanks before the word; empty ranges
  /// for tokens that the template added. Only if requested.
  std::vector<ByteRange> ranges;
  /// The positions of the two texts' ids in `ids`.
  IndexRange first;
  IndexRange second;

  /// The positions of the ids that represent any of these bytes of a text; `text` is `first` or `second`.
  /// Needs ranges. To find the ids of a word, pass its bytes and the blank before it, if any: to most models
  /// that blank is part of the word.
  IndexRange ids_of(IndexRange text, ByteRange bytes) const;
};

/// The parts of a tokenizer.
struct TokenizerParts {
  std::unique_ptr<const SubwordModel> model;
  SubwordVocabulary vocabulary;  ///< added tokens included
  AddedTokens added;
  PostTemplate post_template;
  SpecialIds special;
};

/// Immutable: all functions are thread-safe.
class SubwordTokenizer {
 public:
  /// Opens a Hugging Face folder: tokenizer.json, or vocab.json with merges.txt (also under the names
  /// encoder.json and vocab.bpe), or vocab.txt, or spiece.model, or sentencepiece.bpe.model, in this order.
  /// Truncation and padding requested by a tokenizer.json are not applied.
  static Result<std::shared_ptr<const SubwordTokenizer>> open(const std::filesystem::path& folder);

  explicit SubwordTokenizer(TokenizerParts parts) : parts_(std::move(parts)) {}

  /// Ill-formed UTF-8 in `text` counts as U+FFFD, one per maximal subpart; ranges refer to the original
  /// bytes. `text` must be shorter than 4 GiB.
  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  Encoding encode_pair(std::string_view first, std::string_view second,
                       const EncodeOptions& options = {}) const;

  /// The ids of a word inside a text, with or without a blank before it, and nothing around them. Without a
  /// blank it directly follows the previous word ("(word"). For WordPiece there is no difference.
  std::vector<SubwordId> encode_word(std::string_view word, bool blank_before) const;

  /// The text of ids. Ids outside the vocabulary are omitted; so are special tokens, unless requested.
  std::string decode(std::span<const SubwordId> ids, bool keep_special = false) const;

  /// One more than the largest id. Smaller ids need not all have a token.
  std::size_t size() const { return parts_.vocabulary.size(); }
  const SpecialIds& special() const { return parts_.special; }
  bool is_special(SubwordId id) const { return parts_.added.is_special(id); }

  /// The token as the vocabulary spells it ("Ġthe", "##ing", "▁the"); empty for an id without a token.
  std::string_view token(SubwordId id) const { return parts_.vocabulary.token(id); }
  std::optional<SubwordId> id(std::string_view token) const { return parts_.vocabulary.find(token); }

  /// The token as it reads in a text, without the marker of a word's start or continuation. Not always valid
  /// UTF-8: a byte-level token can be part of a character.
  std::string surface(SubwordId id) const;
  /// True for a token that starts a word: it has a blank before it or, for WordPiece, no "##". The first word
  /// of a text can start with a token for which this is false (GPT-2 puts no blank there).
  bool starts_word(SubwordId id) const;
  /// True if the token starts a word, is not special, and reads as one word of Latin letters (see
  /// TokenClass::word). Vocabularies do not say whether such a token also starts longer words: "th" is one.
  bool is_whole_word(SubwordId id) const;

 private:
  /// Refuses a model that turns plain text into special tokens, because it takes their spelling for ordinary
  /// text or one of them for what it does not know: a private text could end its sequence or mask itself.
  Result<void> check_special_tokens(const std::filesystem::path& folder) const;
  void encode_text(std::string_view text, const EncodeOptions& options, PieceSink& sink) const;
  void encode_valid(std::string_view text, const EncodeOptions& options, PieceSink& sink) const;
  void encode_segment(std::string_view segment, std::size_t offset, const EncodeOptions& options,
                      PieceSink& sink) const;
  Encoding apply(const std::vector<TemplateItem>& items, std::string_view first, std::string_view second,
                 const EncodeOptions& options) const;

  TokenizerParts parts_;
};

}  // namespace sotto::lm

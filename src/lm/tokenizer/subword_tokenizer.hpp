// Text to the ids of a language model and back, as the Hugging Face libraries do it.
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

namespace sotto {

/// The ids with a meaning of their own; those that the model lacks are absent.
struct SpecialIds {
  std::optional<SubwordId> bos;  ///< begins a text: <s>, [CLS], <|endoftext|>
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
  /// Read "<mask>" in a text as the mask token, as the reference does. Switched off, special tokens that
  /// somebody wrote into a text are plain characters, so a text cannot forge the model's structure.
  bool special_in_text = true;
};

/// A text, or a pair of texts, as ids.
struct Encoding {
  std::vector<SubwordId> ids;
  /// What the model calls token types: 0 for the first text, for BERT 1 for the second; as many as ids.
  std::vector<std::uint8_t> type_ids;
  /// For each id the bytes of its own text that it stands for, blanks before the word included; empty ranges
  /// for tokens that the template added. Only when asked for.
  std::vector<ByteRange> ranges;
  /// Where the ids of the two texts stand among `ids`.
  IndexRange first;
  IndexRange second;

  /// The positions of the ids that stand for any of these bytes of a text; `text` is `first` or `second`.
  /// Needs ranges. To find the ids of a word, give its bytes and the blank before it, if there is one: to
  /// most models that blank is a part of the word.
  IndexRange ids_of(IndexRange text, ByteRange bytes) const;
};

/// The parts a tokenizer is made of.
struct TokenizerParts {
  std::unique_ptr<const SubwordModel> model;
  SubwordVocabulary vocabulary;  ///< added tokens included
  AddedTokens added;
  PostTemplate post_template;
  SpecialIds special;
};

/// A tokenizer that never changes: all functions are thread-safe.
class SubwordTokenizer {
 public:
  /// Opens a Hugging Face folder: tokenizer.json, or vocab.json with merges.txt (also under the names
  /// encoder.json and vocab.bpe), or vocab.txt, or spiece.model, or sentencepiece.bpe.model, in this order.
  /// Truncation and padding that a tokenizer.json asks for are not done here.
  static Result<std::shared_ptr<const SubwordTokenizer>> open(const std::filesystem::path& folder);

  explicit SubwordTokenizer(TokenizerParts parts) : parts_(std::move(parts)) {}

  /// Ill-formed UTF-8 in `text` counts as U+FFFD, one for each maximal subpart; ranges speak of the bytes as
  /// they were given. `text` is shorter than 4 GiB.
  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  Encoding encode_pair(std::string_view first, std::string_view second,
                       const EncodeOptions& options = {}) const;

  /// The ids of a word inside a text, with or without a blank before it; nothing around them. Without a blank
  /// it is what follows the word before at once ("(word"). For WordPiece there is no difference.
  std::vector<SubwordId> encode_word(std::string_view word, bool blank_before) const;

  /// The text of ids. Ids outside the vocabulary are left out; special tokens too, unless asked for.
  std::string decode(std::span<const SubwordId> ids, bool keep_special = false) const;

  /// One more than the largest id. Not every id below needs to have a token.
  std::size_t size() const { return parts_.vocabulary.size(); }
  const SpecialIds& special() const { return parts_.special; }
  bool is_special(SubwordId id) const { return parts_.added.is_special(id); }

  /// The token as the vocabulary spells it ("Ġthe", "##ing", "▁the"); empty for an id without a token.
  std::string_view token(SubwordId id) const { return parts_.vocabulary.token(id); }
  std::optional<SubwordId> id(std::string_view token) const { return parts_.vocabulary.find(token); }

  /// The token as it reads in a text, without the marker of a word's begin or of its continuation. Not always
  /// valid UTF-8: a token of a byte-level model can be a part of a character.
  std::string surface(SubwordId id) const;
  /// True for a token that begins a word: it has a blank before it, or for WordPiece no "##". A word at the
  /// very beginning of a text can begin with a token for which this is false (GPT-2 puts no blank there).
  bool starts_word(SubwordId id) const;
  /// True when the token starts a word, is not special, and reads as one word of Latin letters (see
  /// TokenClass::word). Vocabularies do not say whether such a token also begins longer words: "th" is one.
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

}  // namespace sotto

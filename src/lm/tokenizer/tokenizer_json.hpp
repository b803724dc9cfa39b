// tokenizer.json, the file that describes a whole tokenizer.
#pragma once

#include <filesystem>

#include <sotto/result.hpp>

#include "lm/tokenizer/json_file.hpp"
#include "lm/tokenizer/subword_tokenizer.hpp"

namespace sotto {

/// Reads the file: byte-level BPE, WordPiece with BERT's normalization, or Unigram. Special ids are left out,
/// since other files of the folder name them. Whatever would change ids and is not known here is an error
/// that names the field.
Result<TokenizerParts> read_tokenizer_json(const std::filesystem::path& file);

/// One entry of a list of added tokens, with `id` given apart. Fields that are absent count as false.
Result<AddedToken> parse_added_token(const JsonView& entry, SubwordId id);

/// The template of the field post_processor.
Result<PostTemplate> parse_post_processor(const JsonView& root, const SubwordVocabulary& vocabulary);

/// The model of type Unigram with the normalizer and pre_tokenizer that belong to it; fills the vocabulary.
Result<std::unique_ptr<const SubwordModel>> parse_unigram(const JsonView& root, const JsonView& model,
                                                          SubwordVocabulary& vocabulary);

}  // namespace sotto

// Reads tokenizer.json, the file that describes a whole tokenizer.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include <sotto/result.hpp>

#include "lm/tokenizer/json_file.hpp"
#include "lm/tokenizer/subword_tokenizer.hpp"

namespace sotto::lm {

/// Reads the file: byte-level BPE, WordPiece with BERT's normalization, or Unigram. Special ids are left
/// empty, since other files of the folder name them. Unsupported settings that would change ids are an error
/// that names the field.
Result<TokenizerParts> read_tokenizer_json(const std::filesystem::path& file);

/// One entry of a list of added tokens; `id` is given separately. Absent fields count as false.
Result<AddedToken> parse_added_token(const JsonView& entry, SubwordId id);

/// The template in the field post_processor.
Result<PostTemplate> parse_post_processor(const JsonView& root, const SubwordVocabulary& vocabulary);

/// The model of type Unigram with its normalizer and pre_tokenizer; fills the vocabulary. The model itself
/// never finds the special tokens of `added`.
Result<std::unique_ptr<const SubwordModel>> parse_unigram(const JsonView& root, const JsonView& model,
                                                          const std::vector<AddedToken>& added,
                                                          SubwordVocabulary& vocabulary);

}  // namespace sotto::lm

// Tokenizers in the older formats: a vocabulary, its merges, and separate settings files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sotto/result.hpp>

#include "lm/tokenizer/json_file.hpp"
#include "lm/tokenizer/subword_tokenizer.hpp"

namespace sotto::lm {

/// The settings that accompany a vocabulary; missing files count as empty.
// NOLINTNEXTLINE(bugprone-exception-escape): JSON's default constructor, a null, allocates nothing
struct TokenizerSettings {
  std::filesystem::path folder;
  Json tokenizer_config;    ///< tokenizer_config.json
  Json special_tokens_map;  ///< special_tokens_map.json
  Json added_tokens;        ///< added_tokens.json
  Json config;              ///< config.json of the language model

  JsonView tokenizer_view() const { return {tokenizer_config, (folder / "tokenizer_config.json").string()}; }
};

Result<TokenizerSettings> read_tokenizer_settings(const std::filesystem::path& folder);

/// The ids named by special_tokens_map.json and tokenizer_config.json; otherwise those of the usual names.
SpecialIds find_special_ids(const TokenizerSettings& settings, const SubwordVocabulary& vocabulary);

/// Adds the tokens listed in tokenizer_config.json and added_tokens.json to `tokens` and to the vocabulary.
/// An entry for an id already in `tokens` replaces it.
Result<void> add_listed_tokens(const TokenizerSettings& settings, SubwordVocabulary& vocabulary,
                               std::vector<AddedToken>& tokens);

/// GPT-2 or RoBERTa, distinguished by whether the vocabulary has <s> and </s>.
Result<TokenizerParts> read_bpe_files(const std::filesystem::path& vocabulary_file,
                                      const std::filesystem::path& merges_file,
                                      const TokenizerSettings& settings);
/// BERT.
Result<TokenizerParts> read_word_piece_file(const std::filesystem::path& file,
                                            const TokenizerSettings& settings);
/// T5 (spiece.model).
Result<TokenizerParts> read_t5_file(const std::filesystem::path& file, const TokenizerSettings& settings);
/// XLM-RoBERTa (sentencepiece.bpe.model).
Result<TokenizerParts> read_xlm_roberta_file(const std::filesystem::path& file,
                                             const TokenizerSettings& settings);

}  // namespace sotto::lm

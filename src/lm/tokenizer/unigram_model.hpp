// Unigram segmentation, as T5 and XLM-RoBERTa use it: the split with the highest sum of token scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

#include "lm/tokenizer/byte_trie.hpp"
#include "lm/tokenizer/precompiled_map.hpp"
#include "lm/tokenizer/subword_model.hpp"
#include "lm/tokenizer/subword_vocabulary.hpp"
#include "lm/tokenizer/word_cache.hpp"

namespace sotto::lm {

/// The mark that represents a blank: ▁.
inline constexpr std::string_view kMetaspace = "\u2581";

/// When a mark is put before a piece that does not start with one.
enum class PrependMark : std::uint8_t { always, first, never };

struct UnigramSettings {
  /// Tokens that text never becomes. The reference also finds special tokens whose spelling is a product of
  /// normalization, for instance from full-width brackets; sentencepiece itself does not, and a text must not
  /// forge them.
  std::set<SubwordId> hidden;
  std::optional<PrecompiledMap> map;
  bool strip_left = false;                ///< after the map, drop leading blanks
  bool strip_right = false;               ///< and trailing ones
  std::optional<std::string> blank_runs;  ///< replaces two or more blanks
  bool whitespace_split = false;          ///< split at blanks first and drop them
  PrependMark prepend = PrependMark::always;
  bool drop_first_mark = true;  ///< a mark in the first token is not a blank when decoding
  bool split = true;            ///< split before every mark, so that no token crosses a word boundary
};

class UnigramModel final : public SubwordModel {
 public:
  /// `scores` by id, as many as the model has tokens of its own, which are the first ids of the vocabulary.
  UnigramModel(const SubwordVocabulary& vocabulary, std::vector<double> scores, SubwordId unknown,
               UnigramSettings settings);

  void normalize(std::string_view segment, bool track, NormalizedText& out) const override;
  void encode(std::string_view normalized, SegmentPlace place, PieceSink& sink) const override;
  std::string decode(std::span<const std::string_view> tokens) const override;
  bool starts_word(std::string_view token) const override;
  std::string surface(std::string_view token) const override;

 private:
  struct Marked;
  void encode_piece(std::string_view normalized, IndexRange piece, bool prepend, PieceSink& sink) const;
  void add_word(const Marked& marked, IndexRange word, PieceSink& sink) const;
  void cut(std::string_view word, std::vector<WordPart>& parts) const;

  UnigramSettings settings_;
  std::vector<double> scores_;
  SubwordId unknown_;
  double unknown_score_;
  ByteTrie trie_;
  mutable WordCache cache_;  // synchronizes internally
};

/// The text of tokens that mark blanks by ▁. A mark at the very beginning is not a blank if `prepended`.
std::string decode_metaspace(std::span<const std::string_view> tokens, bool prepended);

}  // namespace sotto::lm

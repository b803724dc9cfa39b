// Unigram segmentation, as T5 and XLM-RoBERTa use it: the cut whose tokens have the highest sum of scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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

namespace sotto {

/// The mark that stands for a blank: ▁.
inline constexpr std::string_view kMetaspace = "\u2581";

/// When a mark is put before a piece that does not begin with one.
enum class PrependMark : std::uint8_t { always, first, never };

struct UnigramSettings {
  std::optional<PrecompiledMap> map;
  bool strip_left = false;                ///< after the map, blanks at the beginning go
  bool strip_right = false;               ///< and those at the end
  std::optional<std::string> blank_runs;  ///< two and more blanks become this
  bool whitespace_split = false;          ///< cut at blanks first and drop them
  PrependMark prepend = PrependMark::always;
  bool drop_first_mark = true;  ///< a mark in the first token is no blank when decoding
  bool split = true;            ///< cut before every mark, so that no token goes over a word's border
};

class UnigramModel final : public SubwordModel {
 public:
  /// `scores` by id, as many as the model's own tokens, which are the first ids of the vocabulary.
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
  mutable WordCache cache_;  // locks inside
};

/// The text of tokens that mark blanks by ▁. A mark at the very beginning is no blank when `prepended`.
std::string decode_metaspace(std::span<const std::string_view> tokens, bool prepended);

}  // namespace sotto

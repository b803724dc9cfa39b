// Byte-level byte-pair encoding, as GPT-2 and RoBERTa use it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/result.hpp>

#include "lm/tokenizer/flat_map.hpp"
#include "lm/tokenizer/subword_model.hpp"
#include "lm/tokenizer/subword_vocabulary.hpp"
#include "lm/tokenizer/word_cache.hpp"

namespace sotto::lm {

struct BpeSettings {
  bool add_prefix_space = false;     ///< a segment that does not start with a blank gets one
  bool whole_segments = false;       ///< a segment is one word, not split at blanks or apostrophes
  std::optional<SubwordId> unknown;  ///< for bytes missing from the vocabulary; without it they are dropped
};

using MergeList = std::vector<std::pair<std::string, std::string>>;

class ByteLevelBpe final : public SubwordModel {
 public:
  /// `merges` are in rank order; both parts of each, and their concatenation, must be in the vocabulary.
  /// `file` is for messages.
  static Result<std::unique_ptr<const SubwordModel>> make(const SubwordVocabulary& vocabulary,
                                                          const MergeList& merges,
                                                          const BpeSettings& settings, std::string_view file);

  void encode(std::string_view normalized, SegmentPlace place, PieceSink& sink) const override;
  std::string decode(std::span<const std::string_view> tokens) const override;
  bool starts_word(std::string_view token) const override;
  std::string surface(std::string_view token) const override;

 private:
  struct Merge {
    std::uint32_t rank;
    SubwordId merged;
  };
  struct Symbol;
  struct Candidate;
  class Merging;

  explicit ByteLevelBpe(const BpeSettings& settings) : settings_(settings) {}
  Result<void> add_merges(const SubwordVocabulary& vocabulary, const MergeList& merges,
                          std::string_view file);
  /// `own_blank` bytes of the word are a blank that is not in the text.
  void add_word(std::string_view word, std::size_t begin, std::size_t own_blank, PieceSink& sink) const;
  void cut(std::string_view word, std::vector<WordPart>& parts) const;
  const Merge* find_merge(SubwordId left, SubwordId right) const {
    return merges_.find(std::uint64_t{left} << 32 | right);
  }

  BpeSettings settings_;
  std::array<std::optional<SubwordId>, 256> byte_ids_;
  FlatMap<Merge> merges_;
  mutable WordCache cache_;  // synchronizes internally
};

}  // namespace sotto::lm

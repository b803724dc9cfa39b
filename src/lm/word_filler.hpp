// A masked model and the words that go in and come out of it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <sotto/result.hpp>

#include "lm/draw_law.hpp"
#include "lm/language_model.hpp"
#include "lm/tokenizer/subword_tokenizer.hpp"

namespace sotto {

/// A word of more pieces is known to the model by its first ones, so that no word fills a window alone.
inline constexpr std::size_t kMostPieces = 8;

/// How a text is written down for the model.
enum class InputLayout {
  pair,   ///< as the tokenizer's template joins two texts: [CLS] original [SEP] text [SEP]
  slots,  ///< the pieces of a word share a position; original and text share positions and differ by segment
};

/// What config.json says about the use of a masked model.
struct FillerSettings {
  std::size_t window = 0;          ///< the most tokens of a window that it was trained on; 0: unknown
  LawKind law = LawKind::bounded;  ///< of its draws
};

/// Immutable, so safe to share between threads.
///
/// What may come out is fixed by the files of the model alone: the words of words.txt, one for each logit, or
/// else those tokens of the vocabulary that are whole words (SubwordTokenizer::is_whole_word). The logits of
/// other tokens are never looked at. So parts of words never come out, and the set tells nothing about texts.
class WordFiller {
 public:
  /// `words`: one for each logit; empty: from the tokenizer's vocabulary. The slots layout is for models that
  /// read words as pieces (MaskedModel::piece_count above 1).
  static Result<std::shared_ptr<const WordFiller>> make(std::shared_ptr<const MaskedModel> model,
                                                        std::shared_ptr<const SubwordTokenizer> tokenizer,
                                                        std::vector<std::string> words,
                                                        FillerSettings settings = {});
  /// Opens a folder with the plugin.
  static Result<std::shared_ptr<const WordFiller>> open(const std::filesystem::path& folder,
                                                        const LanguageModelResources& resources);

  const MaskedModel& model() const { return *model_; }
  const SubwordTokenizer& tokenizer() const { return *tokenizer_; }
  InputLayout layout() const { return layout_; }
  std::int32_t mask() const { return mask_; }
  /// window_slots of config.json.
  std::size_t usual_window() const { return settings_.window; }
  /// law of config.json; bounded where there is none.
  LawKind usual_law() const { return settings_.law; }
  /// Whether the model's architecture bounds its logits, when draws are made at this ε; nothing: it does not.
  Result<std::optional<LogitBounds>> bounds_at(double epsilon) const;

  /// The words that may come out, as they are spelled; a word's number is its place here.
  const std::vector<std::string>& words() const { return words_; }
  /// The logit of each word.
  const std::vector<std::uint32_t>& logits() const { return logits_; }
  /// The number of a word whatever its case, or nothing.
  std::optional<std::uint32_t> find(std::string_view word) const;

  /// Appends the pieces of a token of a text, at most kMostPieces. A word always counts as one after a blank,
  /// also at the beginning of a text and after a bracket, because only such tokens may come out in its place.
  void add_pieces(std::string_view token, bool after_blank, std::vector<std::int32_t>& out) const;

 private:
  WordFiller() = default;
  Result<void> take_words(std::vector<std::string> words);

  std::shared_ptr<const MaskedModel> model_;
  std::shared_ptr<const SubwordTokenizer> tokenizer_;
  InputLayout layout_ = InputLayout::pair;
  std::int32_t mask_ = 0;
  FillerSettings settings_;
  std::vector<std::string> words_;
  std::vector<std::uint32_t> logits_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // by lower case
};

}  // namespace sotto

// A masked model with its input and output words.
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

namespace sotto::lm {

/// The model sees only the first pieces of a longer word, so that no word fills a window alone.
inline constexpr std::size_t kMostPieces = 8;

/// How a text is laid out for the model.
enum class InputLayout {
  pair,   ///< as the tokenizer's template joins two texts: [CLS] original [SEP] text [SEP]
  slots,  ///< the pieces of a word share a position; original and text share positions and differ by segment
};

/// What the draws of a text see.
enum class MaskedMode {
  /// Every word is masked in the original text, so that all draws of a text can be made at once.
  parallel,
  /// As printed in Algorithm 2, a draw sees the words drawn before it.
  sequential,
  /// The original text without a mask, so that one pass of the model scores all words. For models made for
  /// it.
  one_pass,
};

const char* to_string(MaskedMode mode);
/// "parallel", "sequential" or "one-pass".
Result<MaskedMode> parse_masked_mode(std::string_view parameter, std::string_view name);

/// What config.json says about using a masked model.
struct FillerSettings {
  std::size_t window = 0;          ///< the largest window in tokens it was trained on; 0: unknown
  LawKind law = LawKind::bounded;  ///< of its draws
  /// What it was made for, the usual mode first.
  std::vector<MaskedMode> modes = {MaskedMode::parallel, MaskedMode::sequential};
};

/// Immutable, so safe to share between threads.
///
/// The possible outputs are fixed by the model's files alone: the words of words.txt, one per logit, or else
/// the vocabulary's tokens that are whole words (SubwordTokenizer::is_whole_word). The logits of other tokens
/// are never read. So parts of words never come out, and the set reveals nothing about texts.
class WordFiller {
 public:
  /// `words`: one per logit; empty: from the tokenizer's vocabulary. The slots layout is for models that read
  /// words as pieces (MaskedModel::piece_count above 1).
  static Result<std::shared_ptr<const WordFiller>> make(std::shared_ptr<const MaskedModel> model,
                                                        std::shared_ptr<const SubwordTokenizer> tokenizer,
                                                        std::vector<std::string> words,
                                                        FillerSettings settings = {});
  /// Opens a model folder through the plugin.
  static Result<std::shared_ptr<const WordFiller>> open(const std::filesystem::path& folder,
                                                        const LanguageModelResources& resources);

  const MaskedModel& model() const { return *model_; }
  const SubwordTokenizer& tokenizer() const { return *tokenizer_; }
  InputLayout layout() const { return layout_; }
  std::int32_t mask() const { return mask_; }
  /// window_slots of config.json.
  std::size_t usual_window() const { return settings_.window; }
  /// law of config.json; bounded if absent.
  LawKind usual_law() const { return settings_.law; }
  /// modes of config.json; parallel and sequential if absent.
  const std::vector<MaskedMode>& modes() const { return settings_.modes; }

  /// The possible output words as spelled; a word's number is its index here.
  const std::vector<std::string>& words() const { return words_; }
  /// The logit of each word.
  const std::vector<std::uint32_t>& logits() const { return logits_; }
  /// The number of a word, ignoring case, or nullopt.
  std::optional<std::uint32_t> find(std::string_view word) const;

  /// Appends the pieces of a token of a text, at most kMostPieces. Pass `after_blank` for every word, even at
  /// the beginning of a text and after a bracket, because only such tokens may come out in its place.
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

}  // namespace sotto::lm

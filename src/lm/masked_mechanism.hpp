// DP-MLM and DP-MLM-plus: each word is drawn anew from a masked language model's scores, with the word masked
// or, in one pass, in view ("DP-MLM: Differentially Private Text Rewriting Using Masked Language Models",
// Algorithms 1 to 3).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <sotto/guarantee.hpp>
#include <sotto/tokenizer.hpp>

#include "lm/antonym_filter.hpp"
#include "lm/context_similarity.hpp"
#include "lm/draw_law.hpp"
#include "lm/drawn_text.hpp"
#include "lm/masked_input.hpp"
#include "lm/word_filler.hpp"

namespace sotto::lm {

class BalancedLaw;

struct MaskedOptions {
  double epsilon = 0;                             ///< per draw
  bool with_original = true;                      ///< the original text precedes the one with the mask
  std::optional<MaskedMode> mode = std::nullopt;  ///< empty: the model's first
  std::size_t window = 0;  ///< maximum number of tokens a draw sees; 0: as many as the model takes
  double addition = 0;     ///< A of Algorithm 3: the probability that a word is added after a place
  double deletion = 0;     ///< D of Algorithm 3: the probability that a place is deleted
  std::optional<LawKind> law = std::nullopt;  ///< empty: the model's default
  /// From 0, the model tells what the law allows, to 1, it replaces every word of content. Empty: the model's
  /// default, and the only value for a model that does not depend on it.
  std::optional<double> wander = std::nullopt;
  unsigned threads = 1;  ///< that compute weights; affects only speed
  /// Whether the model makes the draws itself, if it can; empty: if it prefers to.
  std::optional<bool> drawn_by_model = std::nullopt;
};

/// What else influences the scores of words.
struct MaskedExtras {
  AntonymPolicy antonym_policy = AntonymPolicy::keep;
  std::shared_ptr<const AntonymFilter> antonyms;        ///< non-null unless the policy is keep
  std::shared_ptr<const ContextSimilarity> similarity;  ///< null: the model's scores alone
};

/// The output for one place.
struct MaskedOutput {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t word = kNone;   ///< an index into WordFiller::words; kNone: the place was deleted
  std::uint32_t added = kNone;  ///< the word after it, if one was added
};

/// A text to rewrite.
struct MaskedDocument : DrawnText {
  std::span<const Token> tokens;      ///< the output of tokenize()
  std::vector<std::uint32_t> drawn;   ///< the tokens to draw, in order
  std::vector<MaskedOutput> outputs;  ///< by prepare() and rewrite(): one per element of `drawn`

  std::string_view original(std::size_t token) const {
    return text.substr(tokens[token].begin, tokens[token].end - tokens[token].begin);
  }
};

/// Immutable, so safe to share between threads.
class MaskedMechanism {
 public:
  /// Logits are clipped to `bounds`; if empty, the model must have its own. The balanced law needs a model
  /// with a bounded head, and no bounds.
  static Result<std::shared_ptr<const MaskedMechanism>> make(std::shared_ptr<const WordFiller> filler,
                                                             const MaskedOptions& options,
                                                             std::optional<LogitBounds> bounds,
                                                             MaskedExtras extras = {});

  /// Tosses the coins of Algorithm 3, two per place, whatever the words are; so the number of draws is known
  /// before the first one and reveals nothing about the text. Uses no bits without addition and deletion.
  void prepare(MaskedDocument& document) const;

  /// Makes the draws of prepared documents, each document's in the order of its places. The output does not
  /// depend on which documents are passed together, up to rounding in the model's arithmetic. `made` hears of
  /// each batch.
  Result<void> rewrite(std::span<MaskedDocument> documents, const DrawsMade& made = {}) const;

  /// Whether the model draws, by the same law and with the same guarantee but other arithmetic, so that the
  /// same key gives other outputs. Several threads may then rewrite at once, and keep it busy.
  bool drawn_by_model() const { return drawer_ != nullptr; }

  /// The number of draws that makes a good batch.
  std::size_t good_batch() const { return batch_; }

  /// The integer weights from which a token of a text is sampled, one per word of the filler, if every other
  /// place holds its original word. `tokens` is the output of tokenize().
  Result<void> weights_of_token(std::string_view text, std::span<const Token> tokens, std::size_t token,
                                std::vector<std::uint64_t>& out) const;

  /// The same for the word of a one-word text.
  Result<void> weights_of_word(std::string_view word, std::vector<std::uint64_t>& out) const;

  const WordFiller& filler() const { return *filler_; }
  const std::shared_ptr<const WordFiller>& shared_filler() const { return filler_; }
  const LogitBounds& bounds() const { return bounds_; }
  LawKind law_kind() const { return law_kind_; }
  MaskedMode mode() const { return mode_; }
  std::optional<double> wander() const { return wander_; }  ///< nullopt: words do not wander

  /// The guarantee of one draw.
  Guarantee guarantee() const;

 private:
  class Batch;
  struct Question;

  /// Where a word is drawn.
  struct Place {
    const MaskedDocument& document;
    std::size_t token;
    std::string_view original;  ///< the word that is replaced; empty: none
  };

  MaskedMechanism(std::shared_ptr<const WordFiller> filler, const MaskedOptions& options, MaskedInput input)
      : filler_(std::move(filler)), options_(options), input_(std::move(input)) {}

  Result<void> choose_mode();
  Result<void> choose_wander();
  Result<void> choose_law(std::optional<LogitBounds> bounds);
  Result<void> balance();
  Result<void> hand_over(const BalancedLaw& law);
  Result<void> bound(std::optional<LogitBounds> bounds);
  float sharpness(bool known) const;
  void lower_own(std::uint32_t own, std::span<float> scores) const;
  Result<void> weigh(const Place& place, std::span<float> answers, LawMemory& memory, DrawWeights& out) const;
  void exclude(std::span<const std::uint32_t> words, DrawWeights& weights) const;
  Result<void> rewrite_at_once(std::span<MaskedDocument> documents, const DrawsMade& made) const;
  Result<void> rewrite_in_turn(std::span<MaskedDocument> documents, const DrawsMade& made) const;

  std::shared_ptr<const WordFiller> filler_;
  std::shared_ptr<const MaskedModel> model_;  // as it answers at this ε and wander
  MaskedOptions options_;
  MaskedExtras extras_;
  MaskedInput input_;
  MaskedMode mode_ = MaskedMode::parallel;
  std::optional<double> wander_;
  LawKind law_kind_ = LawKind::bounded;
  LogitBounds bounds_;
  std::unique_ptr<const DrawLaw> law_;
  std::uint64_t total_ = 0;                   // of the law, if the model draws
  std::unique_ptr<const WordDrawer> drawer_;  // null: the model only answers
  std::size_t batch_ = 1;
};

}  // namespace sotto::lm

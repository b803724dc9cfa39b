// DP-MLM and DP-MLM-plus: words are masked and drawn anew from what a masked language model makes of the rest
// ("DP-MLM: Differentially Private Text Rewriting Using Masked Language Models", Algorithms 1 to 3).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <sotto/bit_source.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/tokenizer.hpp>

#include "lm/antonym_filter.hpp"
#include "lm/context_similarity.hpp"
#include "lm/draw_law.hpp"
#include "lm/masked_input.hpp"
#include "lm/word_filler.hpp"

namespace sotto {

struct MlmOptions {
  double epsilon = 0;         ///< of a draw
  bool with_original = true;  ///< the original text stands before the one with the mask
  /// false: every word is masked in the original text, so that a text's draws can be made at once. true: as
  /// printed in Algorithm 2, a draw sees the words already drawn.
  bool sequential = false;
  std::size_t window = 0;  ///< most tokens that a draw sees; 0: as many as the model takes
  double addition = 0;     ///< A of Algorithm 3: the probability that a word is added after a place
  double deletion = 0;     ///< D of Algorithm 3: the probability that a place is left out
  std::optional<LawKind> law = std::nullopt;  ///< empty: the model's usual one
};

/// What else has a say in the scores of words.
struct MlmExtras {
  AntonymPolicy antonym_policy = AntonymPolicy::keep;
  std::shared_ptr<const AntonymFilter> antonyms;        ///< there unless the policy is keep
  std::shared_ptr<const ContextSimilarity> similarity;  ///< null: the model alone
};

/// What came out for one place.
struct MlmOutput {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t word = kNone;   ///< a number of WordFiller::words; kNone: the place was deleted
  std::uint32_t added = kNone;  ///< the word after it, if one was added
};

/// A text to be rewritten. What it points to must live until it has been.
struct MlmDocument {
  std::string_view text;
  std::span<const Token> tokens;     ///< what tokenize() made of it
  std::vector<std::uint32_t> drawn;  ///< the tokens that are to be drawn, in order
  BitSource* bits = nullptr;         ///< its own; not shared with another document

  std::vector<MlmOutput> outputs;  ///< by prepare() and rewrite(): one for each of `drawn`
  std::uint64_t draws = 0;         ///< by prepare()
};

/// Immutable, so safe to share between threads.
class MlmMechanism {
 public:
  /// Logits are clipped to `bounds`; empty: the model's own, which it then must have. The balanced law needs
  /// a model with a bounded head, and no bounds.
  static Result<std::shared_ptr<const MlmMechanism>> make(std::shared_ptr<const WordFiller> filler,
                                                          const MlmOptions& options,
                                                          std::optional<LogitBounds> bounds,
                                                          MlmExtras extras = {});

  /// Tosses the coins of Algorithm 3, two for each place, whatever the words are; so the number of draws is
  /// known before the first of them and tells nothing about the text. Without addition and deletion no bit
  /// is used.
  void prepare(MlmDocument& document) const;

  /// Makes the draws of prepared documents, each document's in the order of its places. The output does not
  /// depend on which documents are handed over together, up to the rounding of the model's arithmetic.
  Result<void> rewrite(std::span<MlmDocument> documents) const;

  /// How many draws make a good batch.
  std::size_t good_batch() const { return batch_; }

  /// The integers that are sampled for the word of a text of one word, one for each word of the filler.
  Result<void> weights_of_word(std::string_view word, std::vector<std::uint64_t>& out) const;

  const WordFiller& filler() const { return *filler_; }
  const std::shared_ptr<const WordFiller>& shared_filler() const { return filler_; }
  const LogitBounds& bounds() const { return bounds_; }
  LawKind law_kind() const { return law_kind_; }

  /// What one draw promises.
  Guarantee guarantee() const;

 private:
  class Batch;
  struct Question;

  MlmMechanism(std::shared_ptr<const WordFiller> filler, const MlmOptions& options, MaskedInput input)
      : filler_(std::move(filler)), options_(options), input_(std::move(input)) {}

  Result<void> choose_law(std::optional<LogitBounds> bounds);
  Result<void> balance();
  Result<void> bound(std::optional<LogitBounds> bounds);
  Result<void> weights(const MlmDocument& document, std::size_t token, std::span<float> answers,
                       std::vector<std::uint64_t>& out) const;
  Result<void> rewrite_at_once(std::span<MlmDocument> documents) const;
  Result<void> rewrite_in_turn(std::span<MlmDocument> documents) const;

  std::shared_ptr<const WordFiller> filler_;
  std::shared_ptr<const MaskedModel> model_;  // as it answers at this ε
  MlmOptions options_;
  MlmExtras extras_;
  MaskedInput input_;
  LawKind law_kind_ = LawKind::bounded;
  LogitBounds bounds_;
  std::unique_ptr<const DrawLaw> law_;
  std::size_t batch_ = 1;
};

}  // namespace sotto

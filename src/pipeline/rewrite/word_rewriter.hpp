// Word by word: tokens → policy → mechanism → text.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <sotto/mechanism.hpp>
#include <sotto/policy.hpp>
#include <sotto/tokenizer.hpp>

#include "collocation/segmenter.hpp"
#include "embed/vocabulary.hpp"
#include "pipeline/rewrite/budgeted_tokens.hpp"
#include "pipeline/rewrite/text_rewriter.hpp"
#include "pipeline/rewrite/token_plan.hpp"
#include "pipeline/rewrite/word_text_mechanism.hpp"
#include "random/bit_sources.hpp"
#include "text/render.hpp"

namespace sotto::pipeline {

class WordRewriter final : public TextRewriter {
 public:
  /// `mechanism` must outlive this object.
  explicit WordRewriter(const WordTextMechanism& mechanism);

  void clear() override;
  Result<void> add(const TextToRewrite& text) override;
  bool is_full() const override;
  Result<void> resolve() override;
  void render(Counts& counts, text::OutputBuffer& out) override;

 private:
  /// A document whose outputs may still be pending.
  struct Document : PlannedText {
    std::size_t input_count;  // replaced tokens
  };

  /// A token outside the vocabulary, by its places in inputs_ and in its document.
  struct OutsideToken {
    std::size_t input;
    std::size_t token;
  };

  void form_phrases(Document& document);
  template <bool kPhrases>
  void plan(Document& document);
  Result<void> find_places(const Document& document, std::size_t first_input);
  std::span<const TokenId> draw_places(std::span<const TokenId> inputs);
  Result<void> draw(std::span<const TokenId> inputs, const TextToRewrite& text);
  Result<void> draw_budgeted(std::span<const TokenId> inputs, const random::Key& key,
                             const TextToRewrite& text);
  void count_outputs(const Document& document, Counts& counts) const;
  void replace_in_case(text::Renderer& renderer, const Token& token, std::string_view text,
                       std::string_view word) const;
  TokenAction plan_word(std::string_view word, TokenId id, std::size_t token);
  TokenAction plan_unknown(std::size_t token);
  void note_outside(std::size_t token);
  void replace(TokenId id) { inputs_[input_count_++] = id; }

  const WordTextMechanism& text_mechanism_;
  const Policy policy_;
  const embed::Vocabulary& vocabulary_;
  const std::size_t good_batch_;
  std::unique_ptr<PendingTokens> pending_;           // null with a budget per document
  std::optional<BudgetedTokens> budgeted_;           // used instead in that case
  std::optional<collocation::Segmenter> segmenter_;  // if phrases are formed
  std::shared_ptr<random::ChaChaBitSource> bits_;    // in locked memory: holds the last document's key
  Counts* counts_ = nullptr;                         // of the document being planned
  std::vector<Document> documents_;                  // the first document_count_ are held back
  std::size_t document_count_ = 0;
  std::size_t rendered_ = 0;         // how many of these have been rendered
  std::size_t rendered_inputs_ = 0;  // their replaced tokens
  bool resolved_ = true;
  std::vector<TokenId> inputs_;  // the first input_count_ are the replaced tokens, in order
  std::size_t input_count_ = 0;
  std::vector<TokenId> outputs_;
  std::size_t extra_words_ = 0;  // how many more words than tokens the document being planned has
  std::vector<collocation::Piece> pieces_;
  std::vector<TokenId> phrase_ids_;        // for each of its tokens: the phrase, or ⊥ if it is none
  std::vector<OutsideToken> outside_;      // of the document being planned, if the policy is nearest
  std::vector<std::size_t> unplaced_;      // which of its inputs have no place
  std::vector<TokenId> placed_;            // its inputs with drawn places
  std::vector<std::size_t> article_ends_;  // of the document being rendered, in the output
};

}  // namespace sotto::pipeline

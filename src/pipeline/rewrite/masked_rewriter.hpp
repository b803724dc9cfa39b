// With a masked language model: tokens → policy → draws that read the whole text → text.
#pragma once

#include <deque>

#include "lm/masked_mechanism.hpp"
#include "pipeline/rewrite/language_rewriter.hpp"
#include "pipeline/rewrite/masked_text_mechanism.hpp"
#include "pipeline/rewrite/token_plan.hpp"

namespace sotto::pipeline {

/// Some places of a text are drawn, the others follow the policy.
class MaskedRewriter final : public LanguageRewriter<lm::MaskedMechanism, lm::MaskedDocument> {
 public:
  /// `mechanism` must outlive this object.
  explicit MaskedRewriter(const MaskedTextMechanism& mechanism);

  void clear() override;
  Result<void> add(const TextToRewrite& text) override;
  bool is_full() const override;
  void render(Counts& counts, text::OutputBuffer& out) override;

 private:
  void plan(PlannedText& planned, lm::MaskedDocument& document, Counts& counts) const;
  TokenAction plan_token(PlannedText& planned, std::size_t index, Counts& counts) const;
  void render_words(text::Renderer& renderer, std::string_view original, const Token& token,
                    const lm::MaskedOutput& output, bool& capital, Counts& counts);

  const DisplayWords& display_;
  const Policy policy_;
  std::deque<PlannedText> planned_;  // one per document; a deque, because documents refer to their tokens
  text::OutputBuffer words_;         // the output of one place
  std::vector<std::size_t> article_ends_;  // of the document being rendered, in the output
};

}  // namespace sotto::pipeline

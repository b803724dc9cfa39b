// With a language model that writes: a text is replaced with a different one.
#pragma once

#include "lm/generation.hpp"
#include "pipeline/rewrite/generated_text_mechanism.hpp"
#include "pipeline/rewrite/language_rewriter.hpp"

namespace sotto::pipeline {

class GenerationRewriter final : public LanguageRewriter<lm::GenerationMechanism, lm::GenerationDocument> {
 public:
  /// `mechanism` must outlive this object.
  explicit GenerationRewriter(const GeneratedTextMechanism& mechanism);

  Result<void> add(const TextToRewrite& text) override;
  bool is_full() const override;
  void render(Counts& counts, text::OutputBuffer& out) override;

 private:
  const CasePolicy letter_case_;
};

}  // namespace sotto::pipeline

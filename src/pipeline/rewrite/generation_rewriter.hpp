// With a language model that writes: a text is replaced with a different one.
#pragma once

#include <vector>

#include <sotto/tokenizer.hpp>

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
  void render_naturally(std::string_view output, text::OutputBuffer& out);

  void agree(std::size_t begin, text::OutputBuffer& out);

  const Policy policy_;
  const embed::WordForms* const word_forms_;  // null unless the policy asks for it
  std::vector<Token> tokens_;                 // of an output
  std::vector<std::size_t> article_ends_;
};

}  // namespace sotto::pipeline

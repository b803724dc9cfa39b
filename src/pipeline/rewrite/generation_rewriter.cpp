#include "pipeline/rewrite/generation_rewriter.hpp"

#include "text/letter_case.hpp"

namespace sotto::pipeline {

GenerationRewriter::GenerationRewriter(const GeneratedTextMechanism& mechanism)
    : LanguageRewriter(mechanism.mechanism()), letter_case_(mechanism.options().policy.letter_case) {}

Result<void> GenerationRewriter::add(const TextToRewrite& text) {
  add_document(text.text);
  prepare_draws(text, 0);
  return {};
}

bool GenerationRewriter::is_full() const {
  return documents_.size() >= mechanism_.good_batch();
}

void GenerationRewriter::render(Counts&, text::OutputBuffer& out) {
  const std::string& output = documents_[rendered_++].output;
  out.append(letter_case_ == CasePolicy::lower ? text::to_lower(output) : output);
}

}  // namespace sotto::pipeline

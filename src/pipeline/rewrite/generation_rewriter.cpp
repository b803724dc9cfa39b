#include "pipeline/rewrite/generation_rewriter.hpp"

#include "pipeline/rewrite/token_plan.hpp"
#include "text/articles.hpp"
#include "text/letter_case.hpp"
#include "text/render.hpp"

namespace sotto::pipeline {

GenerationRewriter::GenerationRewriter(const GeneratedTextMechanism& mechanism)
    : LanguageRewriter(mechanism.mechanism()),
      policy_(mechanism.options().policy),
      word_forms_(mechanism.word_forms()) {}

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
  const std::size_t begin = out.size();
  if (policy_.letter_case == CasePolicy::natural)
    render_naturally(output, out);
  else
    out.append(policy_.letter_case == CasePolicy::lower ? text::to_lower(output) : output);
  if (policy_.articles == ArticlePolicy::agree) agree(begin, out);
}

/// Makes the articles of the output that begins at `begin` agree.
void GenerationRewriter::agree(std::size_t begin, text::OutputBuffer& out) {
  const std::string_view output = out.view().substr(begin);
  tokenize(output, tokens_);
  article_ends_.clear();
  for (const Token& token : tokens_)
    if (text::ends_in_article(token_text(output, token))) article_ends_.push_back(begin + token.end);
  text::agree_articles(out, article_ends_);
}

/// Words that the model wrote with capitals stay as they are. A function of the output.
void GenerationRewriter::render_naturally(std::string_view output, text::OutputBuffer& out) {
  tokenize(output, tokens_);
  text::Renderer renderer(output, out);
  for (const Token& token : tokens_) {
    std::string_view word = token_text(output, token);
    if (token.token_class != TokenClass::word) {
      renderer.keep(token);
      continue;
    }
    if (const std::string_view form = word_forms_->find(word); !form.empty()) word = form;
    if (token.starts_sentence && !text::stays_small(word))
      renderer.replace_capitalized(token, word);
    else
      renderer.replace(token, word);
  }
  renderer.finish();
}

}  // namespace sotto::pipeline

#include "pipeline/rewrite/masked_rewriter.hpp"

#include "pipeline/rewrite/number_draws.hpp"
#include "text/articles.hpp"
#include "text/letter_case.hpp"
#include "text/render.hpp"

namespace sotto::pipeline {
namespace {

// A batch ends where a document ends; several batches leave fewer half-filled ones.
constexpr std::size_t kMaskedBatches = 4;

}  // namespace

MaskedRewriter::MaskedRewriter(const MaskedTextMechanism& mechanism)
    : LanguageRewriter(*mechanism.mechanism()),
      display_(mechanism.display()),
      policy_(mechanism.options().policy) {}

void MaskedRewriter::clear() {
  LanguageRewriter::clear();
  planned_.clear();
}

Result<void> MaskedRewriter::add(const TextToRewrite& text) {
  lm::MaskedDocument& document = add_document(text.text);
  PlannedText& planned = planned_.emplace_back();
  planned.text = text.text;
  tokenize(text.text, planned.tokens);
  document.tokens = planned.tokens;
  plan(planned, document, text.counts);
  if (document.drawn.empty() && planned.numbers.empty()) return {};
  // The coins of places, then the numbers, then the draws of words, which wait for the batch.
  prepare_draws(text, document.drawn.size() + 1);
  draw_numbers(*document.bits, planned);
  return {};
}

bool MaskedRewriter::is_full() const {
  return draws_ >= kMaskedBatches * mechanism_.good_batch();
}

/// Decides about each token.
void MaskedRewriter::plan(PlannedText& planned, lm::MaskedDocument& document, Counts& counts) const {
  for (std::uint32_t i = 0; i < planned.tokens.size(); ++i) {
    const TokenAction action = plan_token(planned, i, counts);
    count_class(planned.tokens[i].token_class, 1, counts);
    if (action == TokenAction::replace) document.drawn.push_back(i);
    planned.actions.push_back(action);
  }
}

TokenAction MaskedRewriter::plan_token(PlannedText& planned, std::size_t index, Counts& counts) const {
  const Token& token = planned.tokens[index];
  const std::string_view text = token_text(planned.text, token);
  switch (token.token_class) {
    case TokenClass::number:
      return plan_number(policy_, planned, index, counts);
    case TokenClass::punctuation: {
      const bool keep = policy_.punctuation == PunctuationPolicy::keep;
      ++(keep ? counts.clear_punctuation : counts.dropped);
      return keep ? TokenAction::keep : TokenAction::drop;
    }
    case TokenClass::word:
      if (policy_.stopwords == StopwordPolicy::keep && is_stopword(text::lookup_form(text))) {
        ++counts.clear_stopwords;
        return TokenAction::keep;
      }
      if (mechanism_.filler().find(text)) return TokenAction::replace;
      break;
    case TokenClass::other:
      break;
  }
  const TokenAction action = plan_outside(policy_, counts);
  counts.statistics.bottom += action == TokenAction::replace;
  return action;
}

void MaskedRewriter::render(Counts& counts, text::OutputBuffer& out) {
  const PlannedText& planned = planned_[rendered_];
  const lm::MaskedOutput* output = documents_[rendered_].outputs.data();
  ++rendered_;
  text::Renderer renderer(planned.text, out);
  const char* digit = planned.digits.data();
  article_ends_.clear();
  std::size_t noted = 0;  // how many of article_ends_ are positions in the output
  bool capital = false;   // a sentence has begun and its first word was omitted
  for (std::size_t i = 0; i < planned.tokens.size(); ++i) {
    const Token& token = planned.tokens[i];
    capital |= token.starts_sentence;
    switch (planned.actions[i]) {
      case TokenAction::keep:
        renderer.keep(token);
        if (policy_.articles == ArticlePolicy::agree && token.token_class == TokenClass::word &&
            text::ends_in_article(token_text(planned.text, token))) {
          article_ends_.push_back(out.size());
          ++noted;
        }
        break;
      case TokenAction::drop:
        renderer.drop(token);
        break;
      case TokenAction::replace:
        render_words(renderer, token_text(planned.text, token), token, *output++, capital, counts);
        while (noted < article_ends_.size()) article_ends_[noted++] += out.size() - words_.size();
        continue;
      case TokenAction::digits:
        digit = replace_digits(renderer, planned.text, token, digit);
        break;
    }
    if (token.token_class != TokenClass::punctuation) capital = false;
  }
  renderer.finish();
  text::agree_articles(out, article_ends_);
}

/// Renders the output of a place: nothing, one word, or two. Notes the ends of articles in words_.
void MaskedRewriter::render_words(text::Renderer& renderer, std::string_view original, const Token& token,
                                  const lm::MaskedOutput& output, bool& capital, Counts& counts) {
  words_.clear();
  std::uint64_t words = 0;
  for (const std::uint32_t word : {output.word, output.added}) {
    if (word == lm::MaskedOutput::kNone) continue;
    if (!words_.empty()) words_.push_back(' ');
    const std::string_view spelled = display_[word];
    if (policy_.letter_case == CasePolicy::keep)
      text::append_in_case(words_, spelled, text::case_pattern(original));
    else if (capital && begins_with_capitals(policy_) && !text::stays_small(spelled))
      text::append_capitalized(words_, spelled);
    else
      words_.append(spelled);
    if (display_.ends_in_article(word)) article_ends_.push_back(words_.size());
    capital = false;
    ++words;
  }
  counts.statistics.changed += words;
  if (output.word != lm::MaskedOutput::kNone && mechanism_.filler().find(original) == output.word)
    --counts.statistics.changed;
  counts.statistics.output_words += words;
  if (words_.empty())
    renderer.drop(token);
  else
    renderer.replace(token, words_.view());
}

}  // namespace sotto::pipeline

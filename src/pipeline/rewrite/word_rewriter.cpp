#include "pipeline/rewrite/word_rewriter.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/message.hpp"
#include "pipeline/rewrite/document_budget.hpp"
#include "pipeline/rewrite/number_draws.hpp"
#include "random/integer_samplers.hpp"
#include "text/articles.hpp"
#include "text/letter_case.hpp"

namespace sotto::pipeline {
namespace {

// How many tokens ahead to prefetch: enough to hide a cache miss, few enough to stay cached.
constexpr std::size_t kLookAhead = 8;

}  // namespace

WordRewriter::WordRewriter(const WordTextMechanism& mechanism)
    : text_mechanism_(mechanism),
      policy_(text_mechanism_.options().policy),
      vocabulary_(ModelAccess::vocabulary(*text_mechanism_.model)),
      good_batch_(text_mechanism_.mechanism->good_batch()),
      bits_(random::make_locked<random::ChaChaBitSource>(random::Key{})) {
  if (text_mechanism_.bank)
    budgeted_.emplace(*text_mechanism_.bank, good_batch_);
  else
    pending_ = text_mechanism_.mechanism->make_pending();
  if (const ModelPhrases* phrases = text_mechanism_.phrases.get())
    segmenter_.emplace(phrases->table, text_mechanism_.options().collocations, &phrases->allowed);
}

void WordRewriter::clear() {
  if (!resolved_) {
    if (budgeted_)
      budgeted_->clear();
    else
      pending_ = text_mechanism_.mechanism->make_pending();
  }
  resolved_ = true;
  document_count_ = 0;
  input_count_ = 0;
}

Result<void> WordRewriter::add(const TextToRewrite& text) {
  if (document_count_ == documents_.size()) documents_.emplace_back();
  Document& document = documents_[document_count_++];
  document.text = text.text;
  counts_ = &text.counts;
  resolved_ = false;
  tokenize(document.text, document.tokens);
  const std::size_t first_input = input_count_;
  if (segmenter_) {
    form_phrases(document);
    plan<true>(document);
  } else {
    plan<false>(document);
  }
  SOTTO_TRY(find_places(document, first_input));
  const std::span<const TokenId> inputs(inputs_.data() + first_input, input_count_ - first_input);
  document.input_count = inputs.size();
  // The places of words without one, then all words, then all numbers, each in order: a fixed order of draws,
  // independent of a mechanism's batches.
  if (!inputs.empty() || !document.numbers.empty()) {
    SOTTO_TRY(draw(inputs, text));
    draw_numbers(*bits_, document);
  }
  const std::uint64_t words = inputs.size() + extra_words_;
  counts_->privatized += inputs.size();
  counts_->statistics.privatized_words += words;
  counts_->largest_document = std::max<std::uint64_t>(counts_->largest_document, inputs.size());
  counts_->statistics.largest_document_words = std::max(counts_->statistics.largest_document_words, words);
  return {};
}

bool WordRewriter::is_full() const {
  return budgeted_ ? budgeted_->is_full() : input_count_ >= good_batch_;
}

Result<void> WordRewriter::resolve() {
  outputs_.resize(input_count_);
  if (budgeted_)
    budgeted_->resolve(outputs_);
  else
    pending_->resolve(outputs_);
  resolved_ = true;
  rendered_ = 0;
  rendered_inputs_ = 0;
  return {};
}

Result<void> WordRewriter::draw(std::span<const TokenId> inputs, const TextToRewrite& text) {
  const random::Key key = text.stream_key();
  if (budgeted_ && !inputs.empty()) return draw_budgeted(inputs, key, text);
  if (text.log != nullptr && !inputs.empty())
    text.log->list(key, privacy::charge_for(text.log->epsilon, inputs.size()));
  bits_->reset(key, inputs.size() + unplaced_.size() + 1);
  if (!budgeted_) pending_->add(draw_places(inputs), *bits_);
  return {};
}

Result<void> WordRewriter::draw_budgeted(std::span<const TokenId> inputs, const random::Key& key,
                                         const TextToRewrite& text) {
  const DocumentBudget& budget = *text_mechanism_.options().document_budget;
  const DocumentShape shape{inputs.size(), inputs.size() + extra_words_};
  SOTTO_ASSIGN(const std::vector<double> shares,
               share_budget(budget.strategy, budget.epsilon, shape, budget.profile));
  bits_->reset(key, inputs.size() + unplaced_.size() + 1);
  if (auto drawn = budgeted_->add(draw_places(inputs), shares, *bits_); !drawn) {
    drawn.error().code = Errc::limit;
    return base::fail_at(
        fmt::format("a share of {:.6g} for each of {} tokens is refused", shares.front(), shape.tokens),
        std::move(drawn.error()));
  }
  count_shares(shares, budget.epsilon, *counts_);
  if (text.log != nullptr) text.log->list(key, charge_for_shares(shares, budget.epsilon));
  return {};
}

/// Gives each token outside the vocabulary its word; the ones without stay ⊥ in inputs_, so that they always
/// count as changed, and are listed in unplaced_.
Result<void> WordRewriter::find_places(const Document& document, std::size_t first_input) {
  unplaced_.clear();
  Statistics& statistics = counts_->statistics;
  for (const OutsideToken& outside : outside_) {
    SOTTO_ASSIGN(const OutsidePlace place,
                 text_mechanism_.places->find(token_text(document.text, document.tokens[outside.token])));
    inputs_[outside.input] = place.word;
    switch (place.path) {
      case embed::WordPath::folded:
        ++statistics.folded;
        break;
      case embed::WordPath::corrected:
        ++statistics.corrected;
        break;
      case embed::WordPath::subword:
        ++statistics.subword;
        break;
      case embed::WordPath::none:
        ++statistics.uniform;
        unplaced_.push_back(outside.input - first_input);
        break;
    }
  }
  return {};
}

/// The inputs of a document with a uniformly drawn word for each that has no place: its row is the mean of
/// all rows.
std::span<const TokenId> WordRewriter::draw_places(std::span<const TokenId> inputs) {
  if (unplaced_.empty()) return inputs;
  placed_.assign(inputs.begin(), inputs.end());
  for (const std::size_t i : unplaced_)
    placed_[i] = static_cast<TokenId>(random::uniform_below(*bits_, vocabulary_.bottom()));
  return placed_;
}

/// Combines the words of each phrase into one token.
void WordRewriter::form_phrases(Document& document) {
  segmenter_->segment(document.text, document.tokens, pieces_);
  phrase_ids_.assign(pieces_.size(), vocabulary_.bottom());
  std::vector<Token>& tokens = document.tokens;
  std::uint64_t phrases = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const collocation::Piece& piece = pieces_[i];
    Token token = tokens[piece.first];
    if (piece.phrase != kNoPhrase) {
      token.end = tokens[piece.first + piece.length - 1].end;
      token.ascii = false;  // it contains whitespace
      phrase_ids_[i] = text_mechanism_.phrases->ids[piece.phrase];
      ++phrases;
    }
    tokens[i] = token;  // i <= piece.first
  }
  // Phrases are words of the model and not stopwords, so all of them are privatized.
  extra_words_ = tokens.size() - pieces_.size();
  tokens.resize(pieces_.size());
  counts_->statistics.phrases += phrases;
}

void WordRewriter::count_outputs(const Document& document, Counts& counts) const {
  const TokenId* const inputs = inputs_.data() + rendered_inputs_;
  const TokenId* const outputs = outputs_.data() + rendered_inputs_;
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < document.input_count; ++i) changed += inputs[i] != outputs[i];
  counts.statistics.changed += changed;
  counts.statistics.output_words += document.input_count;
  if (text_mechanism_.word_counts.empty()) return;
  for (std::size_t i = 0; i < document.input_count; ++i) {
    const std::uint8_t words = text_mechanism_.word_counts[outputs[i]];
    counts.statistics.output_words += words - 1U;
    counts.statistics.output_phrases += words > 1;
  }
}

template <bool kPhrases>
void WordRewriter::plan(Document& document) {
  const std::string_view text = document.text;
  const std::size_t size = document.tokens.size();
  const Token* const tokens = document.tokens.data();
  document.actions.resize(size);
  TokenAction* const actions = document.actions.data();
  if (inputs_.size() < input_count_ + size) inputs_.resize(std::max(input_count_ + size, 2 * inputs_.size()));
  document.numbers.clear();
  document.digits.clear();
  outside_.clear();
  const bool every_word = policy_.stopwords == StopwordPolicy::privatize && replaces_outside(policy_);
  const TokenAction punctuation =
      policy_.punctuation == PunctuationPolicy::keep ? TokenAction::keep : TokenAction::drop;
  std::array<std::uint64_t, 4> of_class{};
  for (std::size_t i = 0; i < size; ++i) {
    if (i + kLookAhead < size) {
      const std::string_view ahead = token_text(text, tokens[i + kLookAhead]);
      vocabulary_.prefetch_ascii(ahead.data(), ahead.size());
    }
    const Token& token = tokens[i];
    ++of_class[static_cast<std::size_t>(token.token_class)];
    if (token.token_class == TokenClass::word) {
      const std::string_view word = token_text(text, token);
      TokenId id = kPhrases ? phrase_ids_[i] : vocabulary_.bottom();
      if (!kPhrases || id == vocabulary_.bottom())
        id = token.ascii ? vocabulary_.find_ascii(word.data(), word.size()) : vocabulary_.find(word);
      if (every_word) [[likely]] {
        if (id == vocabulary_.bottom()) [[unlikely]]
          note_outside(i);
        replace(id);
        actions[i] = TokenAction::replace;
      } else {
        actions[i] = plan_word(word, id, i);
      }
    } else if (token.token_class == TokenClass::punctuation) {
      actions[i] = punctuation;
    } else if (token.token_class == TokenClass::number) {
      actions[i] = plan_number(policy_, document, i, *counts_);
    } else {
      actions[i] = plan_unknown(i);
    }
  }
  for (std::size_t i = 0; i < of_class.size(); ++i)
    count_class(static_cast<TokenClass>(i), of_class[i], *counts_);
  (punctuation == TokenAction::keep ? counts_->clear_punctuation : counts_->dropped) +=
      of_class[static_cast<std::size_t>(TokenClass::punctuation)];
}

TokenAction WordRewriter::plan_word(std::string_view word, TokenId id, std::size_t token) {
  const bool known = id != vocabulary_.bottom();
  if (policy_.stopwords == StopwordPolicy::keep &&
      (known ? text_mechanism_.stopwords[id] : is_stopword(text::to_lower(word)))) {
    ++counts_->clear_stopwords;
    return TokenAction::keep;
  }
  if (!known) return plan_unknown(token);
  replace(id);
  return TokenAction::replace;
}

TokenAction WordRewriter::plan_unknown(std::size_t token) {
  const TokenAction action = plan_outside(policy_, *counts_);
  if (action == TokenAction::replace) {
    note_outside(token);
    replace(vocabulary_.bottom());
  }
  return action;
}

/// The next input is a token outside the vocabulary.
void WordRewriter::note_outside(std::size_t token) {
  if (text_mechanism_.places)
    outside_.push_back({input_count_, token});
  else
    ++counts_->statistics.bottom;
}

void WordRewriter::render(Counts& counts, text::OutputBuffer& out) {
  const Document& document = documents_[rendered_++];
  count_outputs(document, counts);
  const TokenId* output = outputs_.data() + rendered_inputs_;
  rendered_inputs_ += document.input_count;
  const std::string_view text = document.text;
  text::Renderer renderer(text, out);
  const bool keeps_case = policy_.letter_case == CasePolicy::keep;
  const bool capitals = begins_with_capitals(policy_);
  const bool finds_articles = policy_.articles == ArticlePolicy::agree;
  article_ends_.clear();
  const DisplayWords& display = text_mechanism_.display;
  const TokenId* const outputs_end = outputs_.data() + outputs_.size();
  const char* digit = document.digits.data();
  for (std::size_t i = 0; i < document.tokens.size(); ++i) {
    const Token& token = document.tokens[i];
    switch (document.actions[i]) {
      case TokenAction::keep:
        renderer.keep(token);
        if (finds_articles && token.token_class == TokenClass::word &&
            text::ends_in_article(token_text(text, token)))
          article_ends_.push_back(out.size());
        break;
      case TokenAction::drop:
        renderer.drop(token);
        break;
      case TokenAction::replace: {
        if (output + kLookAhead < outputs_end) display.prefetch(output[kLookAhead]);
        const TokenId id = *output++;
        const std::string_view word = display[id];
        if (keeps_case) [[unlikely]]
          replace_in_case(renderer, token, token_text(text, token), word);
        else if (token.starts_sentence && capitals && !text::stays_small(word))
          renderer.replace_padded_capitalized(token, word);
        else
          renderer.replace_padded(token, word);
        if (display.ends_in_article(id)) [[unlikely]]
          article_ends_.push_back(out.size());
        break;
      }
      case TokenAction::digits:
        digit = replace_digits(renderer, text, token, digit);
        break;
    }
  }
  renderer.finish();
  text::agree_articles(out, article_ends_);
}

/// Applies the case of the input, word by word if it has several. A single capital at the beginning of a
/// sentence says nothing about further words.
void WordRewriter::replace_in_case(text::Renderer& renderer, const Token& token, std::string_view text,
                                   std::string_view word) const {
  if (text_mechanism_.word_counts.empty()) {
    renderer.replace_in_case(token, word, text::case_pattern(text));
    return;
  }
  std::vector<Token> words;
  tokenize(text, words);
  std::vector<text::CasePattern> patterns;
  for (const Token& part : words) patterns.push_back(text::case_pattern(token_text(text, part)));
  if (patterns.size() == 1 && token.starts_sentence && patterns[0] == text::CasePattern::capitalized)
    patterns.push_back(text::CasePattern::lower);
  renderer.replace_in_case(token, word, patterns);
}

}  // namespace sotto::pipeline

#include "pipeline/rewriter.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "random/integer_samplers.hpp"
#include "text/letter_case.hpp"
#include "text/render.hpp"

namespace sotto {
namespace {

// How many tokens ahead memory is asked for what they will need: enough to hide a miss, few enough to stay
// cached.
constexpr std::size_t kLookAhead = 8;

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

std::string_view token_text(std::string_view text, const Token& token) {
  return {text.data() + token.begin, token.end - token.begin};
}

}  // namespace

Result<void> Rewriter::rewrite(const DocumentStreams& streams, const DocumentId& id, std::string_view field,
                               std::string_view text, OutputBuffer& out, Counts& counts) {
  if (text.size() > context_->options.max_document_bytes)
    return fail(Errc::limit, fmt::format("the document has {} bytes, more than --max-document-bytes {}",
                                         text.size(), context_->options.max_document_bytes));
  if (text.find('\0') != std::string_view::npos)
    return fail(Errc::bad_format, "this is not text: there is a NUL byte (is it a binary file, or UTF-16?)");
  if (!is_valid_utf8(text)) {
    valid_text_.clear();
    valid_text_.append(replace_invalid_utf8(text, counts.invalid_utf8));
    text = valid_text_.view();
  }
  ++counts.documents;
  counts.bytes_in += text.size();
  tokenize(text, tokens_);
  plan(text, counts);
  draw(streams, id, field, text, counts);
  render(text, out);
  return {};
}

void Rewriter::plan(std::string_view text, Counts& counts) {
  actions_.resize(tokens_.size());
  inputs_.clear();
  digit_count_ = 0;
  const bool keep_punctuation = policy_.punctuation == PunctuationPolicy::keep;
  std::uint64_t punctuation = 0;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (i + kLookAhead < tokens_.size()) {
      const std::string_view ahead = token_text(text, tokens_[i + kLookAhead]);
      vocabulary_.prefetch_ascii(ahead.data(), ahead.size());
    }
    switch (tokens_[i].token_class) {
      case TokenClass::word:
        actions_[i] = plan_word(text, tokens_[i], counts);
        break;
      case TokenClass::number:
        actions_[i] = plan_number(text, tokens_[i], counts);
        break;
      case TokenClass::punctuation:
        ++punctuation;
        actions_[i] = keep_punctuation ? Action::keep : Action::drop;
        break;
      case TokenClass::other:
        ++counts.others;
        actions_[i] = plan_bottom(counts);
        break;
    }
  }
  counts.punctuation += punctuation;
  (keep_punctuation ? counts.clear_punctuation : counts.dropped) += punctuation;
}

Rewriter::Action Rewriter::plan_word(std::string_view text, const Token& token, Counts& counts) {
  ++counts.words;
  const std::string_view word = token_text(text, token);
  const TokenId id = token.ascii ? vocabulary_.find_ascii(word.data(), word.size()) : vocabulary_.find(word);
  if (policy_.stopwords == StopwordPolicy::keep) [[unlikely]] {
    const bool stopword = id == vocabulary_.bottom() ? is_stopword(to_lower(word)) : context_->stopwords[id];
    if (stopword) {
      ++counts.clear_stopwords;
      return Action::keep;
    }
  }
  if (id == vocabulary_.bottom()) return plan_bottom(counts);
  inputs_.push_back(id);
  return Action::replace;
}

Rewriter::Action Rewriter::plan_bottom(Counts& counts) {
  switch (policy_.oov) {
    case OovPolicy::bottom:
      ++counts.bottom;
      inputs_.push_back(vocabulary_.bottom());
      return Action::replace;
    case OovPolicy::keep:
      ++counts.clear_oov;
      return Action::keep;
    case OovPolicy::drop:
      break;
  }
  ++counts.dropped;
  return Action::drop;
}

Rewriter::Action Rewriter::plan_number(std::string_view text, const Token& token, Counts& counts) {
  ++counts.numbers;
  switch (policy_.numbers) {
    case NumberPolicy::random: {
      ++counts.randomized_numbers;
      const std::string_view number = token_text(text, token);
      digit_count_ += static_cast<std::size_t>(std::count_if(number.begin(), number.end(), is_digit));
      return Action::digits;
    }
    case NumberPolicy::keep:
      ++counts.clear_numbers;
      return Action::keep;
    case NumberPolicy::drop:
      break;
  }
  ++counts.dropped;
  return Action::drop;
}

/// All words first, in order, then all digits: a fixed order of draws, whatever batches a mechanism works in.
void Rewriter::draw(const DocumentStreams& streams, const DocumentId& id, std::string_view field,
                    std::string_view text, Counts& counts) {
  outputs_.resize(inputs_.size());
  digits_.resize(digit_count_);
  if (inputs_.empty() && digits_.empty()) return;
  bits_.reset(streams.stream_key(id, field, text), 2 * inputs_.size() + digit_count_ / 16 + 1);
  context_->mechanism->privatize(inputs_, outputs_, bits_);
  uniform_digits(bits_, digits_);
  counts.privatized += inputs_.size();
  counts.largest_document = std::max<std::uint64_t>(counts.largest_document, inputs_.size());
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) changed += inputs_[i] != outputs_[i];
  counts.changed += changed;
}

void Rewriter::render(std::string_view text, OutputBuffer& out) {
  Renderer renderer(text, out);
  const TokenId* output = outputs_.data();
  const TokenId* const outputs_end = output + outputs_.size();
  const char* digit = digits_.data();
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    switch (actions_[i]) {
      case Action::keep:
        renderer.keep(tokens_[i]);
        break;
      case Action::drop:
        renderer.drop(tokens_[i]);
        break;
      case Action::replace:
        if (output + kLookAhead < outputs_end) context_->display.prefetch(output[kLookAhead]);
        render_word(text, tokens_[i], context_->display[*output++], renderer);
        break;
      case Action::digits: {
        char* to = renderer.replace_in_place(tokens_[i]);
        for (const char byte : token_text(text, tokens_[i])) *to++ = is_digit(byte) ? *digit++ : byte;
        break;
      }
    }
  }
  renderer.finish();
}

void Rewriter::render_word(std::string_view text, const Token& token, std::string_view word,
                           Renderer& renderer) const {
  const CasePolicy letter_case = policy_.letter_case;
  if (letter_case == CasePolicy::keep) [[unlikely]]
    renderer.replace_in_case(token, word, case_pattern(token_text(text, token)));
  else if (token.starts_sentence && letter_case == CasePolicy::position)
    renderer.replace_padded_capitalized(token, word);
  else
    renderer.replace_padded(token, word);
}

}  // namespace sotto

#include "pipeline/rewriter.hpp"

#include <algorithm>
#include <array>
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
  const std::size_t size = tokens_.size();
  const Token* const tokens = tokens_.data();
  actions_.resize(size);
  if (inputs_.size() < size) inputs_.resize(size);
  input_count_ = 0;
  digit_count_ = 0;
  const bool every_word = policy_.stopwords == StopwordPolicy::privatize && policy_.oov == OovPolicy::bottom;
  const Action punctuation = policy_.punctuation == PunctuationPolicy::keep ? Action::keep : Action::drop;
  std::array<std::uint64_t, 4> of_class{};
  std::uint64_t bottom = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (i + kLookAhead < size) {
      const std::string_view ahead = token_text(text, tokens[i + kLookAhead]);
      vocabulary_.prefetch_ascii(ahead.data(), ahead.size());
    }
    const Token& token = tokens[i];
    ++of_class[static_cast<std::size_t>(token.token_class)];
    if (token.token_class == TokenClass::word) {
      const std::string_view word = token_text(text, token);
      const TokenId id =
          token.ascii ? vocabulary_.find_ascii(word.data(), word.size()) : vocabulary_.find(word);
      if (every_word) [[likely]] {
        bottom += id == vocabulary_.bottom();
        replace(id);
        actions_[i] = Action::replace;
      } else {
        actions_[i] = plan_word(word, id, counts);
      }
    } else if (token.token_class == TokenClass::punctuation) {
      actions_[i] = punctuation;
    } else if (token.token_class == TokenClass::number) {
      actions_[i] = plan_number(token_text(text, token), counts);
    } else {
      actions_[i] = plan_bottom(counts);
    }
  }
  const auto count = [&](TokenClass token_class) { return of_class[static_cast<std::size_t>(token_class)]; };
  counts.bottom += bottom;
  counts.words += count(TokenClass::word);
  counts.numbers += count(TokenClass::number);
  counts.others += count(TokenClass::other);
  counts.punctuation += count(TokenClass::punctuation);
  (punctuation == Action::keep ? counts.clear_punctuation : counts.dropped) += count(TokenClass::punctuation);
}

Rewriter::Action Rewriter::plan_word(std::string_view word, TokenId id, Counts& counts) {
  const bool known = id != vocabulary_.bottom();
  if (policy_.stopwords == StopwordPolicy::keep &&
      (known ? context_->stopwords[id] : is_stopword(to_lower(word)))) {
    ++counts.clear_stopwords;
    return Action::keep;
  }
  if (!known) return plan_bottom(counts);
  replace(id);
  return Action::replace;
}

Rewriter::Action Rewriter::plan_bottom(Counts& counts) {
  switch (policy_.oov) {
    case OovPolicy::bottom:
      ++counts.bottom;
      replace(vocabulary_.bottom());
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

Rewriter::Action Rewriter::plan_number(std::string_view number, Counts& counts) {
  switch (policy_.numbers) {
    case NumberPolicy::random: {
      ++counts.randomized_numbers;
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
  const std::span<const TokenId> inputs(inputs_.data(), input_count_);
  outputs_.resize(inputs.size());
  digits_.resize(digit_count_);
  if (inputs.empty() && digits_.empty()) return;
  bits_.reset(streams.stream_key(id, field, text), inputs.size() + 1);
  context_->mechanism->privatize(inputs, outputs_, bits_);
  uniform_digits(bits_, digits_);
  counts.privatized += inputs.size();
  counts.largest_document = std::max<std::uint64_t>(counts.largest_document, inputs.size());
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) changed += inputs[i] != outputs_[i];
  counts.changed += changed;
}

void Rewriter::render(std::string_view text, OutputBuffer& out) {
  Renderer renderer(text, out);
  const CasePolicy letter_case = policy_.letter_case;
  const DisplayWords& display = context_->display;
  const TokenId* output = outputs_.data();
  const TokenId* const outputs_end = output + outputs_.size();
  const char* digit = digits_.data();
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    switch (actions_[i]) {
      case Action::keep:
        renderer.keep(token);
        break;
      case Action::drop:
        renderer.drop(token);
        break;
      case Action::replace: {
        if (output + kLookAhead < outputs_end) display.prefetch(output[kLookAhead]);
        const std::string_view word = display[*output++];
        if (letter_case == CasePolicy::keep) [[unlikely]]
          renderer.replace_in_case(token, word, case_pattern(token_text(text, token)));
        else if (token.starts_sentence && letter_case == CasePolicy::position)
          renderer.replace_padded_capitalized(token, word);
        else
          renderer.replace_padded(token, word);
        break;
      }
      case Action::digits: {
        char* to = renderer.replace_in_place(token);
        for (const char byte : token_text(text, token)) *to++ = is_digit(byte) ? *digit++ : byte;
        break;
      }
    }
  }
  renderer.finish();
}

}  // namespace sotto

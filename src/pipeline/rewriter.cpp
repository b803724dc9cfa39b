#include "pipeline/rewriter.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "pipeline/document_budget.hpp"
#include "random/integer_samplers.hpp"
#include "text/letter_case.hpp"
#include "text/render.hpp"

namespace sotto {
namespace {

// How many tokens ahead memory is asked for what they will need: enough to hide a miss, few enough to stay
// cached.
constexpr std::size_t kLookAhead = 8;

// Each document held back has buffers of some kilobytes, so short ones must not be gathered without end.
constexpr std::size_t kMostDocuments = 1 << 12;

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

std::string_view token_text(std::string_view text, const Token& token) {
  return {text.data() + token.begin, token.end - token.begin};
}

}  // namespace

Rewriter::Rewriter(std::shared_ptr<const RewriteContext> context)
    : context_(std::move(context)),
      policy_(context_->options.policy),
      vocabulary_(context_->model->vocabulary()),
      good_batch_(context_->mechanism->good_batch()),
      bits_(Key{}) {
  if (context_->bank)
    budgeted_.emplace(*context_->bank, good_batch_);
  else
    pending_ = context_->mechanism->make_pending();
  if (const ModelPhrases* phrases = context_->phrases.get())
    segmenter_.emplace(phrases->table, context_->options.collocations, &phrases->allowed);
}

void Rewriter::start(OutputBuffer& out, Counts& counts, ReleaseLog* log) {
  if (input_count_ > 0) {  // an earlier chunk failed half-way
    if (budgeted_)
      budgeted_->clear();
    else
      pending_ = context_->mechanism->make_pending();
  }
  document_count_ = 0;
  input_count_ = 0;
  copied_.clear();
  out_ = &out;
  counts_ = chunk_counts_ = &counts;
  log_ = log;
  marks_.clear();
}

void Rewriter::begin_record(std::string_view subject, const DocumentId& id) {
  if (log_ == nullptr) return;
  LoggedRecord& record = log_->records.emplace_back();
  record.subject = subject;
  if (id.id) record.id = *id.id;
  record.record = id.record;
  record.first_document = log_->documents.size();
  counts_ = &record.counts;
  mark(false);
}

void Rewriter::end_record() {
  if (log_ == nullptr) return;
  mark(true);
  counts_ = chunk_counts_;
}

void Rewriter::mark(bool is_end) {
  const Mark mark{document_count_, copied_.size(), log_->records.size() - 1, is_end};
  if (document_count_ == 0)
    place(mark, out_->size());
  else
    marks_.push_back(mark);
}

void Rewriter::place(const Mark& mark, std::size_t position) {
  LoggedRecord& record = log_->records[mark.record];
  (mark.is_end ? record.output_end : record.output_begin) = position;
}

void Rewriter::copy(std::string_view bytes) {
  (document_count_ == 0 ? *out_ : copied_).append(bytes);
}

Result<void> Rewriter::rewrite(const DocumentStreams& streams, const DocumentId& id, std::string_view field,
                               std::string_view text, Lifetime lifetime, TextEncoder encoder) {
  SOTTO_ASSIGN(Document* const document, take_in(text, lifetime));
  document->encoder = encoder;
  tokenize(document->text, document->tokens);
  const std::size_t first_input = input_count_;
  if (segmenter_) {
    form_phrases(*document);
    plan<true>(*document);
  } else {
    plan<false>(*document);
  }
  const std::span<const TokenId> inputs(inputs_.data() + first_input, input_count_ - first_input);
  document->digits.resize(digit_count_);
  document->input_count = inputs.size();
  // All words first, in order, then all digits: a fixed order of draws, whatever batches a mechanism works
  // in.
  if (!inputs.empty() || digit_count_ > 0) {
    SOTTO_TRY(draw(inputs, streams.stream_key(id, field, document->text)));
    uniform_digits(bits_, document->digits);
  }
  const std::uint64_t words = inputs.size() + extra_words_;
  counts_->privatized += inputs.size();
  counts_->privatized_words += words;
  counts_->largest_document = std::max<std::uint64_t>(counts_->largest_document, inputs.size());
  counts_->largest_document_words = std::max(counts_->largest_document_words, words);
  const bool is_full = budgeted_ ? budgeted_->is_full() : input_count_ >= good_batch_;
  if (is_full || document_count_ >= kMostDocuments) finish();
  return {};
}

Result<void> Rewriter::draw(std::span<const TokenId> inputs, const Key& key) {
  if (budgeted_ && !inputs.empty()) return draw_budgeted(inputs, key);
  if (log_ != nullptr && !inputs.empty())
    log_->documents.push_back(
        {document_tag(key, log_->records.back().subject), charge_for(log_->epsilon, inputs.size())});
  bits_.reset(key, inputs.size() + 1);
  if (!budgeted_) pending_->add(inputs, bits_);
  return {};
}

Result<void> Rewriter::draw_budgeted(std::span<const TokenId> inputs, const Key& key) {
  const DocumentBudget& budget = *context_->options.document_budget;
  const DocumentShape shape{inputs.size(), inputs.size() + extra_words_};
  SOTTO_ASSIGN(const std::vector<double> shares,
               share_budget(budget.strategy, budget.epsilon, shape, budget.profile));
  bits_.reset(key, inputs.size() + 1);
  if (const auto drawn = budgeted_->add(inputs, shares, bits_); !drawn)
    return fail(Errc::limit, fmt::format("a share of {:.6g} for each of {} tokens is refused: {}",
                                         shares.front(), shape.tokens, drawn.error().message));
  count_shares(shares, budget.epsilon, *counts_);
  if (log_ != nullptr)
    log_->documents.push_back(
        {document_tag(key, log_->records.back().subject), charge_for_shares(shares, budget.epsilon)});
  return {};
}

/// Puts the words of each phrase together to one token.
void Rewriter::form_phrases(Document& document) {
  segmenter_->segment(document.text, document.tokens, pieces_);
  phrase_ids_.assign(pieces_.size(), vocabulary_.bottom());
  std::vector<Token>& tokens = document.tokens;
  std::uint64_t phrases = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    Token token = tokens[piece.first];
    if (piece.phrase != kNoPhrase) {
      token.end = tokens[piece.first + piece.length - 1].end;
      token.ascii = false;  // there is whitespace in it
      phrase_ids_[i] = context_->phrases->ids[piece.phrase];
      ++phrases;
    }
    tokens[i] = token;  // i <= piece.first
  }
  // Phrases are words of the model and no stopwords, so all of them are privatized.
  extra_words_ = tokens.size() - pieces_.size();
  tokens.resize(pieces_.size());
  counts_->phrases += phrases;
  counts_->words += extra_words_;
}

Result<Rewriter::Document*> Rewriter::take_in(std::string_view text, Lifetime lifetime) {
  if (text.size() > context_->options.max_document_bytes)
    return fail(Errc::limit, fmt::format("the document has {} bytes, more than --max-document-bytes {}",
                                         text.size(), context_->options.max_document_bytes));
  if (text.find('\0') != std::string_view::npos)
    return fail(Errc::bad_format, "this is not text: there is a NUL byte (is it a binary file, or UTF-16?)");
  if (document_count_ == documents_.size()) documents_.emplace_back();
  Document& document = documents_[document_count_++];
  document.copied_before = copied_.size();
  if (log_ != nullptr) document.record = log_->records.size() - 1;
  document.own_text.clear();
  document.text = text;
  if (!is_valid_utf8(text)) {
    document.own_text.append(replace_invalid_utf8(text, counts_->invalid_utf8));
    document.text = document.own_text.view();
  } else if (lifetime == Lifetime::call) {
    document.own_text.append(text);
    document.text = document.own_text.view();
  }
  ++counts_->documents;
  counts_->bytes_in += document.text.size();
  return &document;
}

void Rewriter::finish() {
  outputs_.resize(input_count_);
  if (budgeted_)
    budgeted_->resolve(outputs_);
  else
    pending_->resolve(outputs_);
  count_changes();
  auto mark = marks_.begin();
  const TokenId* output = outputs_.data();
  std::size_t copied = 0;
  for (std::size_t i = 0; i < document_count_; ++i) {
    const Document& document = documents_[i];
    for (; mark != marks_.end() && mark->documents == i; ++mark)
      place(*mark, out_->size() + mark->copied - copied);
    out_->append(copied_.view().substr(copied, document.copied_before - copied));
    copied = document.copied_before;
    if (document.encoder == nullptr) {
      output = render(document, output, *out_);
    } else {
      rendered_.clear();
      output = render(document, output, rendered_);
      document.encoder(rendered_.view(), *out_);
    }
  }
  for (; mark != marks_.end(); ++mark) place(*mark, out_->size() + mark->copied - copied);
  marks_.clear();
  out_->append(copied_.view().substr(copied));
  copied_.clear();
  document_count_ = 0;
  input_count_ = 0;
}

void Rewriter::count_changes() {
  if (log_ == nullptr) {
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < input_count_; ++i) changed += inputs_[i] != outputs_[i];
    counts_->changed += changed;
    count_words(outputs_.data(), input_count_, *counts_);
    return;
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < document_count_; ++i) {
    Counts& counts = log_->records[documents_[i].record].counts;
    count_words(outputs_.data() + at, documents_[i].input_count, counts);
    for (const std::size_t end = at + documents_[i].input_count; at < end; ++at)
      counts.changed += inputs_[at] != outputs_[at];
  }
}

void Rewriter::count_words(const TokenId* outputs, std::size_t size, Counts& counts) const {
  counts.output_words += size;
  if (context_->word_counts.empty()) return;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint8_t words = context_->word_counts[outputs[i]];
    counts.output_words += words - 1U;
    counts.output_phrases += words > 1;
  }
}

template <bool kPhrases>
void Rewriter::plan(Document& document) {
  const std::string_view text = document.text;
  const std::size_t size = document.tokens.size();
  const Token* const tokens = document.tokens.data();
  document.actions.resize(size);
  Action* const actions = document.actions.data();
  if (inputs_.size() < input_count_ + size) inputs_.resize(std::max(input_count_ + size, 2 * inputs_.size()));
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
      TokenId id = kPhrases ? phrase_ids_[i] : vocabulary_.bottom();
      if (!kPhrases || id == vocabulary_.bottom())
        id = token.ascii ? vocabulary_.find_ascii(word.data(), word.size()) : vocabulary_.find(word);
      if (every_word) [[likely]] {
        bottom += id == vocabulary_.bottom();
        replace(id);
        actions[i] = Action::replace;
      } else {
        actions[i] = plan_word(word, id);
      }
    } else if (token.token_class == TokenClass::punctuation) {
      actions[i] = punctuation;
    } else if (token.token_class == TokenClass::number) {
      actions[i] = plan_number(token_text(text, token));
    } else {
      actions[i] = plan_bottom();
    }
  }
  const auto count = [&](TokenClass token_class) { return of_class[static_cast<std::size_t>(token_class)]; };
  counts_->bottom += bottom;
  counts_->words += count(TokenClass::word);
  counts_->numbers += count(TokenClass::number);
  counts_->others += count(TokenClass::other);
  counts_->punctuation += count(TokenClass::punctuation);
  (punctuation == Action::keep ? counts_->clear_punctuation : counts_->dropped) +=
      count(TokenClass::punctuation);
}

Rewriter::Action Rewriter::plan_word(std::string_view word, TokenId id) {
  const bool known = id != vocabulary_.bottom();
  if (policy_.stopwords == StopwordPolicy::keep &&
      (known ? context_->stopwords[id] : is_stopword(to_lower(word)))) {
    ++counts_->clear_stopwords;
    return Action::keep;
  }
  if (!known) return plan_bottom();
  replace(id);
  return Action::replace;
}

Rewriter::Action Rewriter::plan_bottom() {
  switch (policy_.oov) {
    case OovPolicy::bottom:
      ++counts_->bottom;
      replace(vocabulary_.bottom());
      return Action::replace;
    case OovPolicy::keep:
      ++counts_->clear_oov;
      return Action::keep;
    case OovPolicy::drop:
      break;
  }
  ++counts_->dropped;
  return Action::drop;
}

Rewriter::Action Rewriter::plan_number(std::string_view number) {
  switch (policy_.numbers) {
    case NumberPolicy::random: {
      ++counts_->randomized_numbers;
      digit_count_ += static_cast<std::size_t>(std::count_if(number.begin(), number.end(), is_digit));
      return Action::digits;
    }
    case NumberPolicy::keep:
      ++counts_->clear_numbers;
      return Action::keep;
    case NumberPolicy::drop:
      break;
  }
  ++counts_->dropped;
  return Action::drop;
}

const TokenId* Rewriter::render(const Document& document, const TokenId* output, OutputBuffer& out) const {
  const std::string_view text = document.text;
  Renderer renderer(text, out);
  const CasePolicy letter_case = policy_.letter_case;
  const DisplayWords& display = context_->display;
  const TokenId* const outputs_end = outputs_.data() + outputs_.size();
  const char* digit = document.digits.data();
  for (std::size_t i = 0; i < document.tokens.size(); ++i) {
    const Token& token = document.tokens[i];
    switch (document.actions[i]) {
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
          replace_in_case(renderer, token, token_text(text, token), word);
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
  return output;
}

/// The case of the input, word by word where it has several. A single capital at the beginning of a sentence
/// says nothing about further words.
void Rewriter::replace_in_case(Renderer& renderer, const Token& token, std::string_view text,
                               std::string_view word) const {
  if (context_->word_counts.empty()) {
    renderer.replace_in_case(token, word, case_pattern(text));
    return;
  }
  std::vector<Token> words;
  tokenize(text, words);
  std::vector<CasePattern> patterns;
  for (const Token& part : words) patterns.push_back(case_pattern(token_text(text, part)));
  if (patterns.size() == 1 && token.starts_sentence && patterns[0] == CasePattern::capitalized)
    patterns.push_back(CasePattern::lower);
  renderer.replace_in_case(token, word, patterns);
}

}  // namespace sotto

#include "pipeline/rewrite/language_rewriter.hpp"

#include <algorithm>
#include <deque>

#include "pipeline/rewrite/token_plan.hpp"
#include "random/integer_samplers.hpp"
#include "text/letter_case.hpp"
#include "text/render.hpp"

namespace sotto {
namespace {

/// Counts the draws of a text and, with a ledger, lists what they cost.
void account(const TextToRewrite& text, const Key& key, std::uint64_t draws) {
  text.counts.privatized += draws;
  text.counts.largest_document = std::max(text.counts.largest_document, draws);
  if (text.log != nullptr && draws > 0) text.log->list(key, charge_for(text.log->epsilon, draws));
}

/// DP-MLM and DP-MLM-plus: some places of a text are drawn, the others follow the policy.
class MaskedRewriter final : public TextRewriter {
 public:
  explicit MaskedRewriter(std::shared_ptr<const RewriteContext> context)
      : context_(std::move(context)),
        mechanism_(*context_->language->masked),
        policy_(context_->options.policy) {}

  void clear() override {
    documents_.clear();
    draws_ = 0;
    rendered_ = 0;
  }

  Result<void> add(const TextToRewrite& text) override {
    Document& document = documents_.emplace_back();
    document.work.text = text.text;
    tokenize(text.text, document.tokens);
    document.work.tokens = document.tokens;
    const std::size_t digits = plan(document, text.counts);
    if (document.work.drawn.empty() && digits == 0) return {};
    // The coins of places, then the digits, then the draws of words, which wait for the batch.
    const Key key = text.stream_key();
    document.bits = make_locked<ChaChaBitSource>(key, document.work.drawn.size() + 1);
    document.work.bits = document.bits.get();
    mechanism_.prepare(document.work);
    document.digits.resize(digits);
    uniform_digits(*document.bits, document.digits);
    account(text, key, document.work.draws);
    draws_ += document.work.draws;
    return {};
  }

  bool is_full() const override { return draws_ >= kBatches * mechanism_.good_batch(); }

  Result<void> resolve() override {
    std::vector<MaskedDocument> work;
    work.reserve(documents_.size());
    for (Document& document : documents_) work.push_back(std::move(document.work));
    const Result<void> done = mechanism_.rewrite(work);
    for (std::size_t i = 0; i < work.size(); ++i) documents_[i].work = std::move(work[i]);
    return done;
  }

  void render(Counts& counts, OutputBuffer& out) override {
    const Document& document = documents_[rendered_++];
    Renderer renderer(document.work.text, out);
    const char* digit = document.digits.data();
    const MaskedOutput* output = document.work.outputs.data();
    bool capital = false;  // a sentence has begun and its first word was omitted
    for (std::size_t i = 0; i < document.tokens.size(); ++i) {
      const Token& token = document.tokens[i];
      capital |= token.starts_sentence;
      switch (document.actions[i]) {
        case TokenAction::keep:
          renderer.keep(token);
          break;
        case TokenAction::drop:
          renderer.drop(token);
          break;
        case TokenAction::replace:
          render_words(renderer, document, token, *output++, capital, counts);
          continue;
        case TokenAction::digits:
          digit = replace_digits(renderer, document.work.text, token, digit);
          break;
      }
      if (token.token_class != TokenClass::punctuation) capital = false;
    }
    renderer.finish();
  }

 private:
  // A batch ends where a document ends; several batches leave fewer half-filled ones.
  static constexpr std::size_t kBatches = 4;

  struct Document {
    MaskedDocument work;
    std::vector<Token> tokens;
    std::vector<TokenAction> actions;       // one per token
    std::vector<char> digits;               // uniform digits for the numbers, in order
    std::shared_ptr<ChaChaBitSource> bits;  // in locked memory; null if nothing is drawn
  };

  /// Decides about each token; returns how many digits must be drawn.
  std::size_t plan(Document& document, Counts& counts) const {
    std::size_t digits = 0;
    for (std::uint32_t i = 0; i < document.tokens.size(); ++i) {
      const Token& token = document.tokens[i];
      const TokenAction action = plan_token(token, token_text(document.work.text, token), digits, counts);
      count_class(token.token_class, 1, counts);
      if (action == TokenAction::replace) document.work.drawn.push_back(i);
      document.actions.push_back(action);
    }
    return digits;
  }

  TokenAction plan_token(const Token& token, std::string_view text, std::size_t& digits,
                         Counts& counts) const {
    switch (token.token_class) {
      case TokenClass::number:
        return plan_number(policy_, text, digits, counts);
      case TokenClass::punctuation: {
        const bool keep = policy_.punctuation == PunctuationPolicy::keep;
        ++(keep ? counts.clear_punctuation : counts.dropped);
        return keep ? TokenAction::keep : TokenAction::drop;
      }
      case TokenClass::word:
        if (policy_.stopwords == StopwordPolicy::keep && is_stopword(lookup_form(text))) {
          ++counts.clear_stopwords;
          return TokenAction::keep;
        }
        if (mechanism_.filler().find(text)) return TokenAction::replace;
        break;
      case TokenClass::other:
        break;
    }
    return plan_bottom(policy_, counts);
  }

  /// Renders the output of a place: nothing, one word, or two.
  void render_words(Renderer& renderer, const Document& document, const Token& token,
                    const MaskedOutput& output, bool& capital, Counts& counts) const {
    const std::string_view original = token_text(document.work.text, token);
    OutputBuffer text;
    std::uint64_t words = 0;
    for (const std::uint32_t word : {output.word, output.added}) {
      if (word == MaskedOutput::kNone) continue;
      if (!text.empty()) text.push_back(' ');
      const std::string_view spelled = context_->display[word];
      if (policy_.letter_case == CasePolicy::keep)
        append_in_case(text, spelled, case_pattern(original));
      else if (capital && policy_.letter_case == CasePolicy::position)
        append_capitalized(text, spelled);
      else
        text.append(spelled);
      capital = false;
      ++words;
    }
    counts.statistics.changed += words;
    if (output.word != MaskedOutput::kNone && mechanism_.filler().find(original) == output.word)
      --counts.statistics.changed;
    counts.statistics.output_words += words;
    if (text.empty())
      renderer.drop(token);
    else
      renderer.replace(token, text.view());
  }

  std::shared_ptr<const RewriteContext> context_;
  const MaskedMechanism& mechanism_;
  const Policy policy_;
  std::deque<Document> documents_;
  std::size_t draws_ = 0;
  std::size_t rendered_ = 0;
};

/// DP-Paraphrase and DP-Prompt: a text is replaced with a different one.
class GenerationRewriter final : public TextRewriter {
 public:
  explicit GenerationRewriter(std::shared_ptr<const RewriteContext> context)
      : context_(std::move(context)), mechanism_(*context_->language->generation) {}

  void clear() override {
    documents_.clear();
    bits_.clear();
    rendered_ = 0;
  }

  Result<void> add(const TextToRewrite& text) override {
    GenerationDocument& document = documents_.emplace_back();
    document.text = text.text;
    const Key key = text.stream_key();
    bits_.emplace_back(key);
    document.bits = &bits_.back();
    mechanism_.prepare(document);
    account(text, key, document.draws);
    return {};
  }

  bool is_full() const override { return documents_.size() >= mechanism_.good_batch(); }

  Result<void> resolve() override { return mechanism_.rewrite(documents_); }

  void render(Counts&, OutputBuffer& out) override {
    const std::string& output = documents_[rendered_++].output;
    out.append(context_->options.policy.letter_case == CasePolicy::lower ? to_lower(output) : output);
  }

 private:
  std::shared_ptr<const RewriteContext> context_;
  const GenerationMechanism& mechanism_;
  std::vector<GenerationDocument> documents_;
  std::deque<ChaChaBitSource, LockedAllocator<ChaChaBitSource>> bits_;
  std::size_t rendered_ = 0;
};

}  // namespace

std::unique_ptr<TextRewriter> make_language_rewriter(std::shared_ptr<const RewriteContext> context) {
  if (context->language->masked) return std::make_unique<MaskedRewriter>(std::move(context));
  return std::make_unique<GenerationRewriter>(std::move(context));
}

}  // namespace sotto

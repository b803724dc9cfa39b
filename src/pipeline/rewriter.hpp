// The path of one document: text → tokens → policy → mechanism → text.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <sotto/certificate.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/policy.hpp>
#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>
#include <sotto/tokenizer.hpp>

#include "collocation/segmenter.hpp"
#include "embed/vocabulary.hpp"
#include "mechanisms/mechanism_bank.hpp"
#include "pipeline/budgeted_tokens.hpp"
#include "pipeline/display_words.hpp"
#include "pipeline/model_phrases.hpp"
#include "pipeline/release_log.hpp"
#include "random/bit_sources.hpp"
#include "random/document_stream.hpp"
#include "text/output_buffer.hpp"
#include "text/render.hpp"

namespace sotto {

/// What all threads of a run share: immutable.
struct RewriteContext {
  static Result<std::shared_ptr<const RewriteContext>> make(const PrivatizeOptions& options);

  /// Streams for the documents of one data set.
  DocumentStreams streams(std::string_view dataset) const;
  /// What holds for a token: certified where a stored certificate matches. With a budget for each document,
  /// what holds for all tokens of documents that were counted.
  Guarantee guarantee(const Counts& counts = {}) const;
  /// The receipt of a run that counted this.
  Receipt receipt(const Counts& counts) const;

  PrivatizeOptions options;
  std::shared_ptr<const Model> model;
  ParameterValues parameters;
  std::unique_ptr<MechanismBank> bank;           // with a budget for each document; thread-safe
  std::shared_ptr<const Mechanism> mechanism;    // with such a budget: for a document of a single token
  std::optional<StoredCertificate> certificate;  // about that mechanism
  std::vector<bool> stopwords;                   // by word id; only when the policy keeps them
  std::shared_ptr<const ModelPhrases> phrases;   // null: every word is a token
  std::vector<std::uint8_t> word_counts;         // by word id; empty: the model has no phrases
  DisplayWords display;
  Key key;
  Sha256Digest configuration;
};

/// Writes a rewritten text into its record, for example as a JSON string.
using TextEncoder = void (*)(std::string_view text, OutputBuffer& out);

/// Rewrites documents and copies what stands between them. Documents are held back until there are enough
/// tokens for the mechanism to answer well together; the output does not depend on it. Each thread has its
/// own.
class Rewriter {
 public:
  explicit Rewriter(std::shared_ptr<const RewriteContext> context);

  /// From now on everything goes to the end of `out` and is added to `counts`, which must outlive finish().
  /// With a log, what belongs to a record is counted there instead, and its documents are listed.
  void start(OutputBuffer& out, Counts& counts, ReleaseLog* log = nullptr);

  /// A record, whose documents follow, begins or ends here. Without a log they do nothing.
  void begin_record(std::string_view subject, const DocumentId& id);
  void end_record();

  /// Where to count what happens outside the rewriter: until finish(), or the next end of a record.
  Counts& counts() { return *counts_; }

  /// Bytes that go to the output as they are.
  void copy(std::string_view bytes);

  /// Where a text lives: until finish(), or only as long as the call.
  enum class Lifetime { chunk, call };

  /// A document; kTextPadding bytes after `text` must be readable. Without `encoder` the rewritten text is
  /// written as it is.
  Result<void> rewrite(const DocumentStreams& streams, const DocumentId& id, std::string_view field,
                       std::string_view text, Lifetime lifetime, TextEncoder encoder = nullptr);

  /// Writes what is held back.
  void finish();

 private:
  enum class Action : std::uint8_t { keep, drop, replace, digits };

  /// A document whose outputs may still be open.
  struct Document {
    std::string_view text;
    OutputBuffer own_text;  // when the text does not live long enough or was not valid UTF-8
    std::vector<Token> tokens;
    std::vector<Action> actions;  // one for each token
    std::vector<char> digits;     // uniform digits for the numbers, in order
    std::size_t copied_before;    // of copied_, what stands before the document
    std::size_t input_count;      // replaced tokens
    std::size_t record;           // in the log
    TextEncoder encoder;
  };

  /// A place in the output that is not known until what is held back is written.
  struct Mark {
    std::size_t documents;  // held back before it
    std::size_t copied;     // of copied_, what stands before it
    std::size_t record;     // in the log
    bool is_end;
  };

  void mark(bool is_end);
  void place(const Mark& mark, std::size_t position);
  void count_changes();
  Result<Document*> take_in(std::string_view text, Lifetime lifetime);
  void form_phrases(Document& document);
  template <bool kPhrases>
  void plan(Document& document);
  Result<void> draw(std::span<const TokenId> inputs, const Key& key);
  Result<void> draw_budgeted(std::span<const TokenId> inputs, const Key& key);
  void count_words(const TokenId* outputs, std::size_t size, Counts& counts) const;
  void replace_in_case(Renderer& renderer, const Token& token, std::string_view text,
                       std::string_view word) const;
  Action plan_word(std::string_view word, TokenId id);
  Action plan_bottom();
  Action plan_number(std::string_view number);
  void replace(TokenId id) { inputs_[input_count_++] = id; }
  const TokenId* render(const Document& document, const TokenId* output, OutputBuffer& out) const;

  std::shared_ptr<const RewriteContext> context_;
  const Policy policy_;
  const Vocabulary& vocabulary_;
  const std::size_t good_batch_;
  std::unique_ptr<PendingTokens> pending_;  // null with a budget for each document
  std::optional<BudgetedTokens> budgeted_;  // instead
  std::optional<Segmenter> segmenter_;      // when words are put together
  ChaChaBitSource bits_;
  OutputBuffer* out_ = nullptr;
  Counts* counts_ = nullptr;
  Counts* chunk_counts_ = nullptr;
  ReleaseLog* log_ = nullptr;
  std::vector<Mark> marks_;
  std::vector<Document> documents_;  // the first document_count_ are held back
  std::size_t document_count_ = 0;
  OutputBuffer copied_;          // what was copied since the first of them
  std::vector<TokenId> inputs_;  // the first input_count_: their replaced tokens, in order
  std::size_t input_count_ = 0;
  std::vector<TokenId> outputs_;
  std::size_t digit_count_ = 0;  // of the document being planned
  std::size_t extra_words_ = 0;  // of it: by how many its words outnumber its tokens
  std::vector<Piece> pieces_;
  std::vector<TokenId> phrase_ids_;  // for each of its tokens: the phrase, or ⊥ where it is none
  OutputBuffer rendered_;            // a text on its way to its encoder
};

}  // namespace sotto

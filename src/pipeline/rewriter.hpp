// The path of one document: text → tokens → policy → mechanism → text.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <sotto/mechanism.hpp>
#include <sotto/policy.hpp>
#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>
#include <sotto/tokenizer.hpp>

#include "embed/vocabulary.hpp"
#include "pipeline/display_words.hpp"
#include "random/bit_sources.hpp"
#include "random/document_stream.hpp"
#include "text/output_buffer.hpp"

namespace sotto {

/// What all threads of a run share: immutable.
struct RewriteContext {
  static Result<std::shared_ptr<const RewriteContext>> make(const PrivatizeOptions& options);

  /// Streams for the documents of one data set.
  DocumentStreams streams(std::string_view dataset) const;
  /// A receipt without counts.
  Receipt receipt() const;

  PrivatizeOptions options;
  std::shared_ptr<const Model> model;
  ParameterValues parameters;
  std::unique_ptr<const Mechanism> mechanism;
  std::vector<bool> stopwords;  // by word id; only when the policy keeps them
  DisplayWords display;
  Key key;
  Sha256Digest configuration;
};

/// Rewrites documents one after the other; holds the buffers, so each thread has its own.
class Rewriter {
 public:
  explicit Rewriter(std::shared_ptr<const RewriteContext> context)
      : context_(std::move(context)),
        policy_(context_->options.policy),
        vocabulary_(context_->model->vocabulary()),
        bits_(Key{}) {}

  /// Appends the rewritten `text` to `out` and adds to `counts`. kTextPadding bytes after `text` must be
  /// readable.
  Result<void> rewrite(const DocumentStreams& streams, const DocumentId& id, std::string_view field,
                       std::string_view text, OutputBuffer& out, Counts& counts);

 private:
  enum class Action : std::uint8_t { keep, drop, replace, digits };

  void plan(std::string_view text, Counts& counts);
  Action plan_word(std::string_view word, TokenId id, Counts& counts);
  Action plan_bottom(Counts& counts);
  Action plan_number(std::string_view number, Counts& counts);
  void replace(TokenId id) { inputs_[input_count_++] = id; }
  void draw(const DocumentStreams& streams, const DocumentId& id, std::string_view field,
            std::string_view text, Counts& counts);
  void render(std::string_view text, OutputBuffer& out);

  std::shared_ptr<const RewriteContext> context_;
  const Policy policy_;
  const Vocabulary& vocabulary_;
  ChaChaBitSource bits_;
  std::vector<Token> tokens_;
  std::vector<Action> actions_;  // one for each token
  std::size_t input_count_ = 0;
  std::vector<TokenId> inputs_;  // the first input_count_: of the tokens that are replaced, in order
  std::vector<TokenId> outputs_;
  std::vector<char> digits_;  // uniform digits for the numbers, in order
  std::size_t digit_count_ = 0;
  OutputBuffer valid_text_;  // the text with invalid UTF-8 replaced, when there was any
};

}  // namespace sotto

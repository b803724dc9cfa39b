// A mechanism with its model, as the pipeline uses it: one implementation per kind.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include <sotto/guarantee.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/privatize_options.hpp>
#include <sotto/receipt.hpp>

#include "base/text_encoding.hpp"
#include "embed/word_forms.hpp"
#include "pipeline/rewrite/display_words.hpp"
#include "pipeline/rewrite/pinned_word_map.hpp"
#include "pipeline/rewrite/text_rewriter.hpp"
#include "random/document_stream.hpp"

namespace sotto::pipeline {

/// Everything in which the kinds of mechanisms differ. Immutable, so safe to share between threads.
class TextMechanism {
 public:
  /// Opens the mechanism that `info` describes, of whatever kind; `parameters` are complete, `map` is for
  /// words outside a vocabulary. Refuses options that make no sense for it.
  static Result<std::shared_ptr<const TextMechanism>> make(const MechanismInfo& info,
                                                           const PrivatizeOptions& options,
                                                           const ParameterValues& parameters,
                                                           std::shared_ptr<const PinnedWordMap> map);

  virtual ~TextMechanism() = default;

  MechanismKind kind() const { return kind_; }
  /// As requested.
  const PrivatizeOptions& options() const { return options_; }

  /// How output words are usually written; null unless the policy asks for it.
  const embed::WordForms* word_forms() const { return word_forms_.get(); }

  /// For one thread. The rewriter refers to the mechanism, which must outlive it.
  virtual std::unique_ptr<TextRewriter> make_rewriter() const = 0;

  virtual std::string model_name() const = 0;
  virtual std::string model_digest() const = 0;

  /// What holds for the tokens of texts under the policy: certified if a stored certificate matches. With a
  /// budget per document, what holds for all tokens of the counted documents.
  virtual Guarantee guarantee(const Counts& counts) const = 0;

  /// Whether ε has the same unit in all documents, so that it may be added up over them.
  virtual Result<bool> has_one_unit() const { return true; }

  /// Adds what determines the output besides the mechanism's name, its parameters, the model's digest and the
  /// policy.
  virtual void add_to(random::CanonicalConfiguration& configuration) const = 0;

  /// Adds what is specific to the kind. The guarantee is already there.
  virtual void add_to(Receipt& receipt) const = 0;

  /// Returns an error if one of the files to be privatized must not be.
  virtual Result<void> check_inputs(std::span<const std::filesystem::path>, const base::TextEncoding&) const {
    return {};
  }

  /// How much text to work on at a time. With a ledger each chunk waits for the disk once.
  virtual std::size_t chunk_bytes(bool with_ledger) const = 0;

  /// How many threads to use if `requested` are allowed (0: all).
  virtual unsigned threads(unsigned requested) const = 0;

 protected:
  TextMechanism(MechanismKind kind, const PrivatizeOptions& options) : kind_(kind), options_(options) {}

  /// To be called while the object is made.
  Result<void> open_word_forms();

  /// After open_word_forms().
  WordSpelling spelling() const {
    return {options_.policy.letter_case, word_forms(), options_.policy.articles == ArticlePolicy::agree};
  }

 private:
  MechanismKind kind_;
  PrivatizeOptions options_;
  std::shared_ptr<const embed::WordForms> word_forms_;
};

}  // namespace sotto::pipeline

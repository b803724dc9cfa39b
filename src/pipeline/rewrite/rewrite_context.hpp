// The state shared by all threads of a run.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <sotto/certificate.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>

#include "mechanisms/mechanism_bank.hpp"
#include "pipeline/rewrite/display_words.hpp"
#include "pipeline/rewrite/language_mechanism.hpp"
#include "pipeline/rewrite/model_phrases.hpp"
#include "random/bit_sources.hpp"
#include "random/document_stream.hpp"

namespace sotto {

/// Immutable.
struct RewriteContext {
  static Result<std::shared_ptr<const RewriteContext>> make(const PrivatizeOptions& options);

  /// Whether another run with the same key file or seed can repeat the noise.
  bool repeatable() const { return options.key_file || options.seed; }
  /// Streams for the documents of one data set.
  DocumentStreams streams(std::string_view dataset) const;
  /// A key for purposes other than noise.
  Key subkey(std::string_view purpose) const {
    return streams("sotto " + std::string(purpose)).stream_key({{}, 0}, "", "");
  }
  /// What holds for the tokens of texts under the policy: certified if a stored certificate matches. With a
  /// budget per document, what holds for all tokens of the counted documents.
  Guarantee guarantee(const Counts& counts = {}) const;
  /// The same for a single token, for a mechanism that replaces words.
  Guarantee token_guarantee(const Counts& counts = {}) const;
  /// How much text to work on at a time, and with how many threads if `requested` are allowed (0: all). With
  /// a ledger each chunk waits for the disk once.
  std::size_t chunk_bytes(bool with_ledger) const;
  unsigned threads(unsigned requested) const;
  /// The receipt of a run with these counts.
  Receipt receipt(const Counts& counts) const;

  PrivatizeOptions options;
  ParameterValues parameters;
  std::shared_ptr<const LanguageMechanism> language;  // for mechanisms that rewrite whole texts
  // For mechanisms that replace words; otherwise null or empty.
  std::shared_ptr<const Model> model;
  std::unique_ptr<MechanismBank> bank;           // with a budget per document; thread-safe
  std::shared_ptr<const Mechanism> mechanism;    // with such a budget: for a single-token document
  std::optional<StoredCertificate> certificate;  // about that mechanism
  std::vector<bool> stopwords;                   // by word id; only if the policy keeps them
  std::shared_ptr<const ModelPhrases> phrases;   // null: every word is a token
  std::vector<std::uint8_t> word_counts;         // by word id; empty: the model has no phrases
  // For all mechanisms.
  DisplayWords display;
  std::shared_ptr<const Key> key;  // in locked memory
  Sha256Digest configuration;
};

}  // namespace sotto

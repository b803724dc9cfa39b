// Word by word: a mechanism bound to a model of words, and how its words are looked up and spelled.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <sotto/certificate.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>

#include "mechanisms/mechanism_bank.hpp"
#include "pipeline/rewrite/display_words.hpp"
#include "pipeline/rewrite/model_phrases.hpp"
#include "pipeline/rewrite/outside_words.hpp"
#include "pipeline/rewrite/text_mechanism.hpp"

namespace sotto::pipeline {

/// Immutable once made.
struct WordTextMechanism final : public TextMechanism {
  /// `map` gives words outside the vocabulary their places if the policy asks for it.
  static Result<std::shared_ptr<const WordTextMechanism>> make(const PrivatizeOptions& options,
                                                               const ParameterValues& parameters,
                                                               std::shared_ptr<const PinnedWordMap> map);

  explicit WordTextMechanism(const PrivatizeOptions& options)
      : TextMechanism(MechanismKind::word_by_word, options) {}

  std::unique_ptr<TextRewriter> make_rewriter() const override;
  std::string model_name() const override { return model->name(); }
  std::string model_digest() const override { return model->digest(); }
  Guarantee guarantee(const Counts& counts) const override;
  Result<bool> has_one_unit() const override;
  void add_to(random::CanonicalConfiguration& configuration) const override;
  void add_to(Receipt& receipt) const override;
  std::size_t chunk_bytes(bool with_ledger) const override;
  unsigned threads(unsigned requested) const override;

  std::shared_ptr<const Model> model;
  double epsilon = 0;                              // nominal; unused with a budget per document
  std::unique_ptr<mechanism::MechanismBank> bank;  // with a budget per document; thread-safe
  std::shared_ptr<const Mechanism> mechanism;      // with such a budget: for a single-token document
  std::optional<StoredCertificate> certificate;    // about that mechanism
  std::shared_ptr<const ModelPhrases> phrases;     // null: every word is a token
  std::vector<std::uint8_t> word_counts;           // by word id; empty: the model has no phrases
  std::vector<bool> stopwords;                     // by word id; only if the policy keeps them
  DisplayWords display;
  std::unique_ptr<const OutsideWords> outside;  // only if the policy is nearest
  std::unique_ptr<RecentPlaces> places;         // of `outside`, shared by all threads

 private:
  Result<void> make_mechanisms(const ParameterValues& parameters);
  Result<void> look_up_certificate(const ParameterValues& parameters);
  void prepare_words();
  Guarantee token_guarantee(const Counts& counts) const;
};

}  // namespace sotto::pipeline

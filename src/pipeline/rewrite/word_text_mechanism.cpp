#include "pipeline/rewrite/word_text_mechanism.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <sotto/document_guarantee.hpp>

#include "base/checked_value.hpp"
#include "base/parallel.hpp"
#include "pipeline/rewrite/certificate_store.hpp"
#include "pipeline/rewrite/word_rewriter.hpp"
#include "privacy/certificate.hpp"

namespace sotto::pipeline {
namespace {

// A chunk should hold a good batch of tokens. The smallest one fits into a core's cache together with its
// output and keeps system calls cheap.
constexpr std::size_t kBytesPerToken = 6;
constexpr std::size_t kSmallestChunk = 256 << 10;
constexpr std::size_t kLargestChunk = 8 << 20;
// With a ledger each chunk waits for the disk once.
constexpr std::size_t kSmallestLedgerChunk = 2 << 20;

// How texts are segmented into phrases; must be raised if the same table segments a text differently.
constexpr int kCollocationsVersion = 1;

// How tokens outside the vocabulary get their places from the candidates of a map (which has a version of its
// own), and how places are drawn.
constexpr int kNearestVersion = 1;

tl::unexpected<Error> no_targeted_certificate(const MechanismSpec& spec) {
  return fail_parameter(
      "target", "certified",
      base::format_message("no certificate for {} with epsilon at most {} is stored; make it with '{{0}}'",
                           spec.name, spec.epsilon),
      Errc::not_found, {privacy::audit_hint(spec.name, spec.parameters, spec.epsilon, spec.model)});
}

/// The nominal ε whose stored certificate meets the requested one.
Result<double> nominal_epsilon(const PrivatizeOptions& options, const ParameterValues& parameters,
                               const Model& model) {
  if (options.target == PrivacyTarget::nominal) return options.mechanism.epsilon;
  SOTTO_TRY(check_epsilon("epsilon", options.mechanism.epsilon));
  SOTTO_ASSIGN(const auto found, find_targeted_certificate(options.mechanism.name, parameters,
                                                           options.mechanism.epsilon, model));
  if (found) return found->certificate.subject.epsilon;
  return no_targeted_certificate(options.mechanism);
}

void add_budget(const DocumentBudget& budget, random::CanonicalConfiguration& configuration) {
  configuration.add("budget.strategy", to_string(budget.strategy));
  configuration.add("budget.document_epsilon", budget.epsilon);
  for (std::size_t i = 0; i < budget.profile.size(); ++i)
    configuration.add(fmt::format("budget.profile.{}", i), budget.profile[i]);
}

}  // namespace

Result<std::shared_ptr<const WordTextMechanism>> WordTextMechanism::make(
    const PrivatizeOptions& options, const ParameterValues& parameters,
    std::shared_ptr<const PinnedWordMap> map) {
  auto made = std::make_shared<WordTextMechanism>(options);
  SOTTO_ASSIGN(const std::filesystem::path file, find_model(options.mechanism));
  SOTTO_ASSIGN(made->model, Model::open(file));
  if (options.collocations != Segmentation::none) {
    SOTTO_ASSIGN(made->phrases, ModelPhrases::open(*made->model, options.phrases));
  }
  SOTTO_TRY(made->make_mechanisms(parameters));
  SOTTO_TRY(made->look_up_certificate(parameters));
  SOTTO_TRY(made->open_word_forms());
  made->prepare_words();
  if (options.policy.oov == OovPolicy::nearest) {
    made->outside = std::make_unique<const OutsideWords>(*made->model, std::move(map));
    made->places = std::make_unique<RecentPlaces>(*made->outside);
  }
  return made;
}

/// One mechanism; or, with a budget per document, the bank of them and the one for a single token.
Result<void> WordTextMechanism::make_mechanisms(const ParameterValues& parameters) {
  if (!options().document_budget) {
    SOTTO_ASSIGN(epsilon, nominal_epsilon(options(), parameters, *model));
    SOTTO_ASSIGN(mechanism, make_mechanism(options().mechanism.name, model, epsilon, parameters,
                                           options().mechanism.resources));
    return {};
  }
  // Most of the memory is for what they share, mainly rows.
  MechanismResources shared = options().mechanism.resources;
  const std::uint64_t own = shared.memory / 8;
  shared.memory -= own;
  SOTTO_ASSIGN(mechanism::MechanismFamily family,
               mechanism::prepare_mechanism(options().mechanism.name, model, parameters, shared));
  bank = std::make_unique<mechanism::MechanismBank>(std::move(family), own);
  SOTTO_ASSIGN(mechanism, bank->at(options().document_budget->epsilon));
  return {};
}

/// The stored certificate about the mechanism, if any.
Result<void> WordTextMechanism::look_up_certificate(const ParameterValues& parameters) {
  if (bank) return {};  // there are many ε
  const CertificateSubject subject =
      certificate_subject(options().mechanism.name, parameters, epsilon, *model, *mechanism);
  SOTTO_ASSIGN(certificate, find_certificate(subject, *mechanism, *model));
  if (options().target == PrivacyTarget::certified &&
      (!certificate || certificate->certificate.epsilon > options().mechanism.epsilon))
    return no_targeted_certificate(options().mechanism);
  return {};
}

void WordTextMechanism::prepare_words() {
  const Policy& policy = options().policy;
  const bool has_phrases = phrases || model->has_phrases();
  display = DisplayWords(*model, spelling(), has_phrases);
  for (TokenId id = 0; has_phrases && id < model->size(); ++id)
    word_counts.push_back(count_words(model->word(id)));
  if (policy.stopwords == StopwordPolicy::keep)
    for (TokenId id = 0; id < model->size(); ++id) stopwords.push_back(is_stopword(model->word(id)));
}

std::unique_ptr<TextRewriter> WordTextMechanism::make_rewriter() const {
  return std::make_unique<WordRewriter>(*this);
}

Guarantee WordTextMechanism::guarantee(const Counts& counts) const {
  return guarantee_for_texts(
      token_guarantee(counts),
      {.kind = kind(),
       .policy = options().policy,
       .collocations = phrases != nullptr,
       .shares_by_words = bank && options().document_budget->strategy == BudgetStrategy::words});
}

/// For a single token.
Guarantee WordTextMechanism::token_guarantee(const Counts& counts) const {
  Guarantee guarantee = mechanism->guarantee();
  if (certificate) return certified_guarantee(std::move(guarantee), certificate->certificate);
  if (!bank || counts.largest_share == 0) return guarantee;
  // The guarantee for the largest share holds for the others. The distance may be capped at a limit that
  // falls as ε rises; what the ε of several tokens multiply is then that of the smallest.
  const auto largest = bank->at(counts.largest_share);
  const auto smallest = bank->at(counts.smallest_share);
  if (!largest || !smallest) return guarantee;  // they were used, so this does not happen
  guarantee = (*largest)->guarantee();
  guarantee.unit = (*smallest)->guarantee().unit;
  return guarantee;
}

Result<bool> WordTextMechanism::has_one_unit() const {
  if (!bank) return true;
  SOTTO_ASSIGN(const auto other, bank->at(options().document_budget->epsilon / 2));
  return other->guarantee().unit == mechanism->guarantee().unit;
}

void WordTextMechanism::add_to(random::CanonicalConfiguration& configuration) const {
  if (const std::string digest = mechanism->data_digest(); !digest.empty()) configuration.add("data", digest);
  if (bank)
    add_budget(*options().document_budget, configuration);
  else
    configuration.add("epsilon", epsilon);
  if (outside) {
    configuration.add("nearest.version", static_cast<std::uint64_t>(kNearestVersion));
    configuration.add("nearest.map", outside->map_digest());
    configuration.add("nearest.map_version", static_cast<std::uint64_t>(embed::kWordMapVersion));
  }
  if (!phrases) return;
  configuration.add("collocations.version", static_cast<std::uint64_t>(kCollocationsVersion));
  configuration.add("collocations.method", to_string(options().collocations));
  configuration.add("collocations.phrases", phrases->table->digest());
}

void WordTextMechanism::add_to(Receipt& receipt) const {
  receipt.epsilon = bank ? receipt.guarantee.epsilon : epsilon;
  if (const auto& budget = options().document_budget)
    receipt.budget = {to_string(budget->strategy), budget->epsilon, budget->profile};
  if (phrases)
    receipt.collocations = {to_string(options().collocations), phrases->table->digest(), phrases->count};
  if (outside) receipt.word_map_digest = outside->map_digest();
  if (certificate)
    receipt.certificate = {certificate->certificate.epsilon, certificate->certificate.attained,
                           certificate->sha256};
}

std::size_t WordTextMechanism::chunk_bytes(bool with_ledger) const {
  return std::clamp(mechanism->good_batch() * kBytesPerToken,
                    with_ledger ? kSmallestLedgerChunk : kSmallestChunk, kLargestChunk);
}

unsigned WordTextMechanism::threads(unsigned requested) const {
  return base::thread_count(requested);
}

}  // namespace sotto::pipeline

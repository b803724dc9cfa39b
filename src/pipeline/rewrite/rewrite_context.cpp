#include "pipeline/rewrite/rewrite_context.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <sotto/document_guarantee.hpp>

#include "base/checked_value.hpp"
#include "base/parallel.hpp"
#include "pipeline/rewrite/certificate_store.hpp"
#include "pipeline/rewrite/document_budget.hpp"
#include "privacy/certificate.hpp"
#include "text/char_kind.hpp"

namespace sotto {
namespace {

// A chunk should hold a good batch of tokens. The smallest one fits into a core's cache together with its
// output and keeps system calls cheap.
constexpr std::size_t kBytesPerToken = 6;
constexpr std::size_t kSmallestChunk = 256 << 10;
constexpr std::size_t kLargestChunk = 8 << 20;
// With a ledger each chunk waits for the disk once.
constexpr std::size_t kSmallestLedgerChunk = 2 << 20;
// A language model takes seconds for this much, and progress reports and stops happen between chunks.
constexpr std::size_t kLanguageChunk = 16 << 10;

// How texts are segmented into phrases; must be raised if the same table segments a text differently.
constexpr int kCollocationsVersion = 1;

tl::unexpected<Error> no_targeted_certificate(const MechanismSpec& spec) {
  return fail_parameter(
      "target", "certified",
      format_message("no certificate for {} with epsilon at most {} is stored; make it with '{{0}}'",
                     spec.name, spec.epsilon),
      Errc::not_found, {audit_hint(spec.name, spec.parameters, spec.epsilon, spec.model)});
}

Result<Key> choose_key(const PrivatizeOptions& options) {
  if (options.seed && options.key_file)
    return fail_parameter("seed", "",
                          format_message("cannot be given together with {{key_file}}; give one of them"));
  if (options.seed) return key_from_seed(*options.seed);
  if (options.key_file) return read_key_file(*options.key_file);
  return random_key();
}

void add_budget(const DocumentBudget& budget, CanonicalConfiguration& configuration) {
  configuration.add("budget.strategy", to_string(budget.strategy));
  configuration.add("budget.document_epsilon", budget.epsilon);
  for (std::size_t i = 0; i < budget.profile.size(); ++i)
    configuration.add(fmt::format("budget.profile.{}", i), budget.profile[i]);
}

/// Everything that determines the distribution of the output. A change of this list, or of the meaning of an
/// entry, needs a new kStreamVersion.
Sha256Digest configuration_digest(const RewriteContext& context) {
  CanonicalConfiguration configuration;
  configuration.add("mechanism", context.options.mechanism.name);
  if (!context.bank) configuration.add("epsilon", context.options.mechanism.epsilon);
  configuration.add("model", context.language ? context.language->digest : context.model->digest());
  for (const auto& [name, value] : context.parameters) configuration.add("parameter." + name, value);
  if (context.language) {
    // Different arithmetic may round to a different word, so it gets other noise: a re-run is a new spend.
    configuration.add("device", to_string(context.options.language.device));
    configuration.add("precision", to_string(context.options.language.precision));
    configuration.add("logits.lowest", static_cast<double>(context.language->bounds().lowest));
    configuration.add("logits.highest", static_cast<double>(context.language->bounds().highest));
    for (const auto& [name, value] : context.language->law) configuration.add("law." + name, value);
  } else if (const std::string digest = context.mechanism->data_digest(); !digest.empty()) {
    configuration.add("data", digest);
  }
  const Policy& policy = context.options.policy;
  configuration.add("policy.version", static_cast<std::uint64_t>(kPolicyVersion));
  configuration.add("policy.stopwords", to_string(policy.stopwords));
  configuration.add("policy.oov", to_string(policy.oov));
  configuration.add("policy.numbers", to_string(policy.numbers));
  configuration.add("policy.punctuation", to_string(policy.punctuation));
  configuration.add("policy.case", to_string(policy.letter_case));
  configuration.add("tokenizer.version", static_cast<std::uint64_t>(kTokenizerVersion));
  configuration.add("unicode.version", unicode_tables_version());
  if (context.bank) add_budget(*context.options.document_budget, configuration);
  if (context.phrases) {
    configuration.add("collocations.version", static_cast<std::uint64_t>(kCollocationsVersion));
    configuration.add("collocations.method", to_string(context.options.collocations));
    configuration.add("collocations.phrases", context.phrases->table->digest());
  }
  return configuration.digest();
}

/// The nominal ε whose stored certificate meets the requested one.
Result<double> nominal_epsilon(const PrivatizeOptions& options, const ParameterValues& parameters,
                               const Model& model) {
  const MechanismSpec& spec = options.mechanism;
  if (options.target == PrivacyTarget::nominal) return spec.epsilon;
  SOTTO_TRY(check_epsilon("epsilon", spec.epsilon));
  SOTTO_ASSIGN(const auto found, find_targeted_certificate(spec.name, parameters, spec.epsilon, model));
  if (found) return found->certificate.subject.epsilon;
  return no_targeted_certificate(spec);
}

/// The stored certificate about the mechanism of the context, if any.
Result<std::optional<StoredCertificate>> stored_certificate(const RewriteContext& context,
                                                            const PrivatizeOptions& asked) {
  if (context.bank) return std::nullopt;  // there are many ε
  const CertificateSubject subject =
      certificate_subject(context.options.mechanism.name, context.parameters,
                          context.options.mechanism.epsilon, *context.model, *context.mechanism);
  SOTTO_ASSIGN(auto found, find_certificate(subject, *context.mechanism, *context.model));
  if (asked.target == PrivacyTarget::certified &&
      (!found || found->certificate.epsilon > asked.mechanism.epsilon))
    return no_targeted_certificate(asked.mechanism);
  return found;
}

/// One mechanism; or, with a budget per document, the bank of them and the one for a single token.
Result<void> make_mechanisms(RewriteContext& context) {
  const PrivatizeOptions& options = context.options;
  MechanismSpec& spec = context.options.mechanism;
  if (!options.document_budget) {
    SOTTO_ASSIGN(spec.epsilon, nominal_epsilon(options, context.parameters, *context.model));
    SOTTO_ASSIGN(context.mechanism,
                 make_mechanism(spec.name, context.model, spec.epsilon, context.parameters, spec.resources));
    return {};
  }
  // Most of the memory is for what they share, mainly rows.
  MechanismResources shared = spec.resources;
  const std::uint64_t own = shared.memory / 8;
  shared.memory -= own;
  SOTTO_ASSIGN(MechanismFamily family,
               prepare_mechanism(spec.name, context.model, context.parameters, shared));
  context.bank = std::make_unique<MechanismBank>(std::move(family), own);
  SOTTO_ASSIGN(context.mechanism, context.bank->at(options.document_budget->epsilon));
  return {};
}

/// For a mechanism that replaces words.
Result<void> use_word_model(RewriteContext& context) {
  const PrivatizeOptions options = context.options;  // as requested; a certificate may change them
  SOTTO_ASSIGN(const std::filesystem::path file, find_model(options.mechanism));
  SOTTO_ASSIGN(context.model, Model::open(file));
  if (options.collocations != Segmentation::none) {
    SOTTO_ASSIGN(context.phrases, ModelPhrases::open(*context.model, options.phrases));
  }
  SOTTO_TRY(make_mechanisms(context));
  SOTTO_ASSIGN(context.certificate, stored_certificate(context, options));
  const bool phrases = context.phrases || context.model->has_phrases();
  context.display = DisplayWords(*context.model, options.policy.letter_case, phrases);
  for (TokenId id = 0; phrases && id < context.model->size(); ++id)
    context.word_counts.push_back(count_words(context.model->word(id)));
  if (options.policy.stopwords == StopwordPolicy::keep)
    for (TokenId id = 0; id < context.model->size(); ++id)
      context.stopwords.push_back(is_stopword(context.model->word(id)));
  return {};
}

/// For a mechanism that rewrites whole texts.
Result<void> use_language_model(const MechanismInfo& info, RewriteContext& context) {
  if (!(context.options.delta > 0 && context.options.delta < 1))
    return not_allowed("delta", context.options.delta, "a number between 0 and 1");
  SOTTO_ASSIGN(context.language, LanguageMechanism::make(context.options, info, context.parameters));
  if (const auto& masked = context.language->masked)
    context.display = DisplayWords(masked->filler().words(), context.options.policy.letter_case);
  return {};
}

}  // namespace

Result<PrivacyTarget> parse_target(std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice("target", name, {"nominal", "certified"}));
  return static_cast<PrivacyTarget>(index);
}

Result<std::shared_ptr<const RewriteContext>> RewriteContext::make(const PrivatizeOptions& options) {
  SOTTO_ASSIGN(const MechanismInfo* info, find_mechanism(options.mechanism.name));
  SOTTO_ASSIGN(ParameterValues parameters, complete_parameters(*info, options.mechanism.parameters));
  SOTTO_TRY(check_budget(options));
  auto context = std::make_shared<RewriteContext>();
  context->options = options;
  context->parameters = std::move(parameters);
  SOTTO_ASSIGN(const Key key, choose_key(options));
  context->key = make_locked<const Key>(key);
  if (rewrites_whole_texts(info->name))
    SOTTO_TRY(use_language_model(*info, *context));
  else
    SOTTO_TRY(use_word_model(*context));
  context->configuration = configuration_digest(*context);
  return context;
}

DocumentStreams RewriteContext::streams(std::string_view dataset) const {
  return DocumentStreams(*key, dataset, configuration,
                         repeatable() ? Repeats::same_noise : Repeats::fresh_noise);
}

Guarantee RewriteContext::guarantee(const Counts& counts) const {
  if (language) return language->guarantee(options.policy);
  return guarantee_for_texts(
      token_guarantee(counts),
      {.view = TextView::words,
       .policy = options.policy,
       .collocations = phrases != nullptr,
       .shares_by_words = bank && options.document_budget->strategy == BudgetStrategy::words});
}

Guarantee RewriteContext::token_guarantee(const Counts& counts) const {
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

std::size_t RewriteContext::chunk_bytes(bool with_ledger) const {
  if (language) return kLanguageChunk;
  return std::clamp(mechanism->good_batch() * kBytesPerToken,
                    with_ledger ? kSmallestLedgerChunk : kSmallestChunk, kLargestChunk);
}

unsigned RewriteContext::threads(unsigned requested) const {
  return language ? 1 : thread_count(requested);  // a language model is itself multithreaded
}

Receipt RewriteContext::receipt(const Counts& counts) const {
  Receipt receipt;
  receipt.mechanism = options.mechanism.name;
  receipt.parameters = parameters;
  receipt.model = language ? language->folder.filename().string() : model->name();
  receipt.model_digest = language ? language->digest : model->digest();
  if (language) receipt.language_model = language->receipt(options);
  receipt.guarantee = guarantee(counts);
  receipt.epsilon = bank ? receipt.guarantee.epsilon : options.mechanism.epsilon;
  if (bank)
    receipt.budget = {to_string(options.document_budget->strategy), options.document_budget->epsilon,
                      options.document_budget->profile};
  if (phrases)
    receipt.collocations = {to_string(options.collocations), phrases->table->digest(), phrases->count};
  if (certificate)
    receipt.certificate = {certificate->certificate.epsilon, certificate->certificate.attained,
                           certificate->sha256};
  receipt.policy = options.policy;
  receipt.configuration_digest = to_hex(configuration);
  receipt.seeded = options.seed.has_value();
  receipt.keyed = options.key_file.has_value();
  receipt.counts = counts;
  return receipt;
}

}  // namespace sotto

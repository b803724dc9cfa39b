#include "pipeline/rewrite/rewrite_context.hpp"

#include <fmt/format.h>

#include <sotto/tokenizer.hpp>

#include "base/checked_value.hpp"
#include "pipeline/rewrite/document_budget.hpp"
#include "random/forks.hpp"
#include "text/char_kind.hpp"

namespace sotto {
using namespace pipeline;
namespace {

Result<random::Key> choose_key(const PrivatizeOptions& options) {
  const auto exclude = [](std::string_view one, const Message& other) {
    return fail_parameter(one, "",
                          base::format_message("cannot be given together with {}; give one of them", other));
  };
  if (options.key && options.key_file) return exclude("key", base::format_message("{{key_file}}"));
  if (options.seed && options.key_file) return exclude("seed", base::format_message("{{key_file}}"));
  if (options.seed && options.key) return exclude("seed", base::format_message("{{key}}"));
  if (options.seed) return random::key_from_seed(*options.seed);
  if (options.key) return random::Key(options.key->bytes());
  if (options.key_file) return random::read_key_file(*options.key_file);
  random::watch_forks();
  return random::random_key();
}

Result<void> check_document_bytes(std::uint64_t most) {
  if (most >= 1 && most <= kLargestMaxDocumentBytes) return {};
  return base::not_allowed("max_document_bytes", most,
                           fmt::format("a whole number from 1 to {}", kLargestMaxDocumentBytes));
}

/// One spelling for one meaning: a language model draws every word whatever it is.
OovPolicy canonical_oov(const RewriteContext& context) {
  const OovPolicy oov = context.options.policy.oov;
  const bool same = context.mechanism->kind() != MechanismKind::word_by_word && oov == OovPolicy::nearest;
  return same ? OovPolicy::bottom : oov;
}

/// Everything that determines the distribution of the output. A change of this list, of what a mechanism adds
/// to it, or of the meaning of an entry needs a new kStreamVersion.
base::Sha256Digest configuration_digest(const RewriteContext& context) {
  random::CanonicalConfiguration configuration;
  configuration.add("mechanism", context.options.mechanism.name);
  configuration.add("model", context.mechanism->model_digest());
  for (const auto& [name, value] : context.parameters) configuration.add("parameter." + name, value);
  context.mechanism->add_to(configuration);
  const Policy& policy = context.options.policy;
  configuration.add("policy.version", static_cast<std::uint64_t>(kPolicyVersion));
  configuration.add("policy.stopwords", to_string(policy.stopwords));
  configuration.add("policy.oov", to_string(canonical_oov(context)));
  configuration.add("policy.numbers", to_string(policy.numbers));
  configuration.add("policy.punctuation", to_string(policy.punctuation));
  configuration.add("policy.case", to_string(policy.letter_case));
  configuration.add("policy.articles", to_string(policy.articles));
  if (const embed::WordForms* const forms = context.mechanism->word_forms())
    configuration.add("case.forms", forms->digest());
  configuration.add("tokenizer.version", static_cast<std::uint64_t>(kTokenizerVersion));
  configuration.add("unicode.version", text::unicode_tables_version());
  return configuration.digest();
}

}  // namespace

Result<PrivacyTarget> parse_target(std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice("target", name, kPrivacyTargetNames));
  return static_cast<PrivacyTarget>(index);
}

std::string_view to_string(EpsilonBasis basis) {
  if (basis == EpsilonBasis::unstated) return {};
  return kEpsilonBasisNames[basis == EpsilonBasis::public_text ? 0 : 1];
}

Result<EpsilonBasis> parse_epsilon_basis(std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice("epsilon_chosen_on", name, kEpsilonBasisNames));
  return index == 0 ? EpsilonBasis::public_text : EpsilonBasis::private_text;
}

Result<std::shared_ptr<const RewriteContext>> RewriteContext::make(const PrivatizeOptions& options,
                                                                   std::shared_ptr<const PinnedWordMap> map) {
  SOTTO_ASSIGN(const MechanismInfo* info, find_mechanism(options.mechanism.name));
  SOTTO_ASSIGN(ParameterValues parameters, complete_parameters(*info, options.mechanism.parameters));
  SOTTO_TRY(check_budget(options));
  SOTTO_TRY(check_document_bytes(options.max_document_bytes));
  auto context = std::make_shared<RewriteContext>();
  context->options = options;
  context->parameters = std::move(parameters);
  SOTTO_ASSIGN(const random::Key key, choose_key(options));
  context->key = random::make_locked<const random::Key>(key);
  SOTTO_ASSIGN(context->mechanism, TextMechanism::make(*info, options, context->parameters, std::move(map)));
  context->configuration = configuration_digest(*context);
  return context;
}

Result<random::DocumentStreams> RewriteContext::streams(std::string_view dataset) const {
  if (repeatable()) return random::DocumentStreams(*key, dataset, configuration);
  SOTTO_ASSIGN(const std::string_view tag, random::fork_tag());
  const std::string name = std::string(dataset).append(tag);
  return random::DocumentStreams(*key, name, configuration, random::Repeats::fresh_noise);
}

Result<std::shared_ptr<const random::DocumentStreams>> RewriteContext::locked_streams(
    std::string_view dataset) const {
  SOTTO_ASSIGN(const random::DocumentStreams opened, streams(dataset));
  return random::make_locked<const random::DocumentStreams>(opened);
}

random::Key RewriteContext::subkey(std::string_view purpose) const {
  const std::string name = "sotto " + std::string(purpose);
  return random::DocumentStreams(*key, name, configuration).stream_key({{}, 0}, "", "");
}

Receipt RewriteContext::receipt(const Counts& counts) const {
  Receipt receipt;
  receipt.mechanism = options.mechanism.name;
  receipt.kind = mechanism->kind();
  receipt.parameters = parameters;
  receipt.model = mechanism->model_name();
  receipt.model_digest = mechanism->model_digest();
  receipt.guarantee = mechanism->guarantee(counts);
  mechanism->add_to(receipt);
  if (const embed::WordForms* const forms = mechanism->word_forms())
    receipt.word_forms_digest = forms->digest();
  receipt.epsilon_chosen_on = options.epsilon_chosen_on;
  receipt.policy = options.policy;
  receipt.configuration_digest = base::to_hex(configuration);
  receipt.seeded = options.seed.has_value();
  receipt.keyed = options.keyed();
  receipt.counts = counts;
  return receipt;
}

}  // namespace sotto

#include <fmt/format.h>

#include <sotto/validate.hpp>

#include "pipeline/certificates.hpp"
#include "pipeline/rewriter.hpp"

namespace sotto {
namespace {

std::string no_targeted_certificate(const PrivatizeOptions& options) {
  return fmt::format("--target: no certificate for {} with epsilon at most {} is stored; make it with '{}'",
                     options.mechanism, options.epsilon,
                     audit_command(options.mechanism, options.parameters, options.epsilon, options.model));
}

Result<Key> choose_key(const PrivatizeOptions& options) {
  if (options.seed && options.key_file)
    return fail(Errc::invalid_argument, "--seed: cannot be given together with --key-file; give one of them");
  if (options.seed) return key_from_seed(*options.seed);
  if (options.key_file) return read_key_file(*options.key_file);
  return random_key();
}

/// Everything that decides the law of the output. A change of this list, or of what an entry means, needs a
/// new kStreamVersion.
Sha256Digest configuration_digest(const RewriteContext& context) {
  CanonicalConfiguration configuration;
  configuration.add("mechanism", context.options.mechanism);
  configuration.add("epsilon", context.options.epsilon);
  configuration.add("model", context.model->digest());
  for (const auto& [name, value] : context.parameters) configuration.add("parameter." + name, value);
  if (const std::string digest = context.mechanism->data_digest(); !digest.empty())
    configuration.add("data", digest);
  const Policy& policy = context.options.policy;
  configuration.add("policy.version", static_cast<std::uint64_t>(kPolicyVersion));
  configuration.add("policy.stopwords", to_string(policy.stopwords));
  configuration.add("policy.oov", to_string(policy.oov));
  configuration.add("policy.numbers", to_string(policy.numbers));
  configuration.add("policy.punctuation", to_string(policy.punctuation));
  configuration.add("policy.case", to_string(policy.letter_case));
  configuration.add("tokenizer.version", static_cast<std::uint64_t>(kTokenizerVersion));
  return configuration.digest();
}

/// The nominal ε whose stored certificate meets the requested one.
Result<double> nominal_epsilon(const PrivatizeOptions& options, const ParameterValues& parameters,
                               const Model& model) {
  if (options.target == PrivacyTarget::nominal) return options.epsilon;
  SOTTO_TRY(validate_epsilon("--epsilon", options.epsilon));
  SOTTO_ASSIGN(const auto found,
               find_targeted_certificate(options.mechanism, parameters, options.epsilon, model));
  if (found) return found->certificate.subject.epsilon;
  return fail(Errc::not_found, no_targeted_certificate(options));
}

/// The stored certificate about the mechanism of the context, if there is one.
Result<std::optional<StoredCertificate>> stored_certificate(const RewriteContext& context,
                                                            const PrivatizeOptions& asked) {
  const CertificateSubject subject =
      certificate_subject(context.options.mechanism, context.parameters, context.options.epsilon,
                          *context.model, *context.mechanism);
  SOTTO_ASSIGN(auto found, find_certificate(subject, context.model->path()));
  if (asked.target == PrivacyTarget::certified && (!found || found->certificate.epsilon > asked.epsilon))
    return fail(Errc::not_found, no_targeted_certificate(asked));
  return found;
}

}  // namespace

Result<PrivacyTarget> parse_target(std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, parse_choice("--target", name, {"nominal", "certified"}));
  return static_cast<PrivacyTarget>(index);
}

Result<std::shared_ptr<const RewriteContext>> RewriteContext::make(const PrivatizeOptions& options) {
  SOTTO_ASSIGN(const MechanismInfo* info, find_mechanism(options.mechanism));
  SOTTO_ASSIGN(ParameterValues parameters, complete_parameters(*info, options.parameters));
  auto context = std::make_shared<RewriteContext>();
  context->options = options;
  context->parameters = std::move(parameters);
  SOTTO_ASSIGN(context->key, choose_key(options));
  SOTTO_ASSIGN(const std::filesystem::path file,
               find_model(options.model.empty() ? info->default_model : options.model));
  SOTTO_ASSIGN(context->model, Model::open(file));
  SOTTO_ASSIGN(context->options.epsilon, nominal_epsilon(options, context->parameters, *context->model));
  SOTTO_ASSIGN(context->mechanism, make_mechanism(options.mechanism, context->model, context->options.epsilon,
                                                  context->parameters, options.resources));
  SOTTO_ASSIGN(context->certificate, stored_certificate(*context, options));
  context->display = DisplayWords(*context->model, options.policy.letter_case);
  if (options.policy.stopwords == StopwordPolicy::keep)
    for (TokenId id = 0; id < context->model->size(); ++id)
      context->stopwords.push_back(is_stopword(context->model->word(id)));
  context->configuration = configuration_digest(*context);
  return context;
}

DocumentStreams RewriteContext::streams(std::string_view dataset) const {
  return DocumentStreams(key, dataset, configuration);
}

Guarantee RewriteContext::guarantee() const {
  Guarantee guarantee = mechanism->guarantee();
  return certificate ? certified_guarantee(std::move(guarantee), certificate->certificate) : guarantee;
}

Receipt RewriteContext::receipt() const {
  Receipt receipt;
  receipt.mechanism = options.mechanism;
  receipt.parameters = parameters;
  receipt.model = model->name();
  receipt.model_digest = model->digest();
  receipt.epsilon = options.epsilon;
  receipt.guarantee = guarantee();
  if (certificate)
    receipt.certificate = {certificate->certificate.epsilon, certificate->certificate.attained,
                           certificate->sha256};
  receipt.policy = options.policy;
  receipt.configuration_digest = to_hex(configuration);
  receipt.seeded = options.seed.has_value();
  return receipt;
}

}  // namespace sotto

#include <fmt/format.h>

#include "pipeline/rewriter.hpp"

namespace sotto {
namespace {

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

}  // namespace

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
  SOTTO_ASSIGN(context->mechanism, make_mechanism(options.mechanism, context->model, options.epsilon,
                                                  context->parameters, options.resources));
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

Receipt RewriteContext::receipt() const {
  Receipt receipt;
  receipt.mechanism = options.mechanism;
  receipt.parameters = parameters;
  receipt.model = model->name();
  receipt.model_digest = model->digest();
  receipt.epsilon = options.epsilon;
  receipt.guarantee = mechanism->guarantee();
  receipt.policy = options.policy;
  receipt.configuration_digest = to_hex(configuration);
  receipt.seeded = options.seed.has_value();
  return receipt;
}

}  // namespace sotto

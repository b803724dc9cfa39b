#include "evaluate/experiment/cache_key.hpp"

#include <fmt/format.h>

#include <sotto/error_text.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/policy.hpp>
#include <sotto/tokenizer.hpp>
#include <sotto/version.hpp>

#include "random/document_stream.hpp"
#include "text/wordnet.hpp"

namespace sotto::evaluate {
namespace {

// Increase this when the same cell gives another result although nothing else below changed.
constexpr int kResultVersion = 2;

}  // namespace

nlohmann::json CacheKeys::versions() const {
  return {{"program", library_version()},
          {"results", kResultVersion},
          {"stream", random::kStreamVersion},
          {"tokenizer", kTokenizerVersion},
          {"policy", kPolicyVersion}};
}

Result<std::string> CacheKeys::wordnet_digest(const std::string& folder) const {
  const std::scoped_lock lock(mutex_);
  auto found = wordnets_.find(folder);
  if (found == wordnets_.end()) {
    auto opened = text::WordNet::open(folder);
    Result<std::string> digest;
    if (opened) {
      digest = opened->digest();
    } else {
      digest =
          fail(Errc::not_found, fmt::format("WordNet is not in {}: {}", folder, describe(opened.error())));
    }
    found = wordnets_.emplace(folder, std::move(digest)).first;
  }
  return found->second;
}

Result<nlohmann::json> CacheKeys::mechanism(const ExperimentMechanism& spec, double epsilon,
                                            const std::string& model) const {
  const auto info = find_mechanism(spec.mechanism);
  if (!info) return fail(Errc::not_found, fmt::format("this build has no mechanism '{}'", spec.mechanism));
  SOTTO_ASSIGN(const PreparedModel* prepared, inputs_.model(model));
  SOTTO_ASSIGN(const ParameterValues parameters, complete_parameters(**info, spec.parameters));
  nlohmann::json identity = {{"mechanism", spec.mechanism},
                             {"parameters", parameters},
                             {"epsilon", epsilon},
                             {"model", prepared->digest}};
  // Either may change the last digits of a language model's answers.
  if (prepared->language.device != Device::cpu)
    identity["device"] = sotto::to_string(prepared->language.device);
  if (rewrites_whole_texts(spec.mechanism) && prepared->language.precision != Precision::f32)
    identity["precision"] = sotto::to_string(prepared->language.precision);
  // The only mechanism whose output depends on more than its model and parameters.
  if (const auto folder = parameters.find("wordnet"); folder != parameters.end()) {
    SOTTO_ASSIGN(identity["wordnet"], wordnet_digest(folder->second));
  }
  return identity;
}

Result<nlohmann::json> CacheKeys::rewriting(const ExperimentMechanism& spec, double epsilon,
                                            const std::string& model, const std::string& dataset) const {
  SOTTO_ASSIGN(nlohmann::json identity, mechanism(spec, epsilon, model));
  identity["policy"] = spec.policy;
  identity["collocations"] = sotto::to_string(spec.collocations);
  if (spec.budget.empty()) return identity;
  identity["budget"] = spec.budget;
  SOTTO_ASSIGN(identity["mean_words"], inputs_.mean_words(dataset));
  return identity;
}

}  // namespace sotto::evaluate

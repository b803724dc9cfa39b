// What determines a result, as JSON; the keys of cells and of privatized texts are hashes of it.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include <nlohmann/json.hpp>

#include <sotto/result.hpp>

#include "evaluate/experiment/experiment_inputs.hpp"
#include "evaluate/experiment/experiment_spec.hpp"

namespace sotto::evaluate {

/// Thread-safe.
class CacheKeys {
 public:
  explicit CacheKeys(const ExperimentInputs& inputs) : inputs_(inputs) {}

  /// Versions of everything whose change invalidates earlier results.
  nlohmann::json versions() const;

  /// The mechanism with all its parameters, ε and the model's digest. An error with the reason if this build
  /// or machine does not have it.
  Result<nlohmann::json> mechanism(const ExperimentMechanism& spec, double epsilon,
                                   const std::string& model) const;

  /// How texts are rewritten: the mechanism, policy, budget and collocations.
  Result<nlohmann::json> rewriting(const ExperimentMechanism& spec, double epsilon, const std::string& model,
                                   const std::string& dataset) const;

  /// Of the WordNet database in a folder.
  Result<std::string> wordnet_digest(const std::string& folder) const;

 private:
  const ExperimentInputs& inputs_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Result<std::string>> wordnets_;
};

}  // namespace sotto::evaluate

// What determines a result, as JSON; the keys of cells and of privatized texts are hashes of it.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include <nlohmann/json.hpp>

#include <sotto/result.hpp>

#include "evaluate/material.hpp"
#include "evaluate/run_file.hpp"

namespace sotto {

/// Thread-safe.
class Identities {
 public:
  explicit Identities(const Material& material) : material_(material) {}

  /// Versions of everything whose change invalidates earlier results.
  nlohmann::json versions() const;

  /// The mechanism with all its parameters, ε and the model's digest. An error with the reason if this build
  /// or machine does not have it.
  Result<nlohmann::json> mechanism(const MechanismSpec& spec, double epsilon, const std::string& model) const;

  /// How texts are rewritten: the mechanism, policy, budget and collocations.
  Result<nlohmann::json> rewriting(const MechanismSpec& spec, double epsilon, const std::string& model,
                                   const std::string& dataset) const;

  /// Of the WordNet database in a folder.
  Result<std::string> wordnet_digest(const std::string& folder) const;

 private:
  const Material& material_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Result<std::string>> wordnets_;
};

}  // namespace sotto

// Mechanisms of words, kept open between questions about them.
#pragma once

#include <memory>
#include <string>

#include <sotto/mechanism.hpp>
#include <sotto/result.hpp>

#include "playground/recent.hpp"

namespace sotto::server {

/// Names everything but ε and resources; different specifications have different names.
std::string name_without_epsilon(const MechanismSpec& spec);

/// Safe to use from several threads.
class OpenMechanisms {
 public:
  /// The mechanism, which must be word by word.
  Result<std::shared_ptr<const OpenMechanism>> open(const MechanismSpec& spec);

 private:
  Recent<OpenMechanism> recent_{8};
};

}  // namespace sotto::server

// The input of a mechanism's factory.
#pragma once

#include <memory>

#include <sotto/mechanism.hpp>

#include "mechanisms/mechanism_family.hpp"

namespace sotto::mechanism {

struct MechanismRequest {
  std::shared_ptr<const Model> model;
  ParameterValues parameters;  ///< complete: has every parameter of the mechanism
  MechanismResources resources;
  bool many_epsilons = false;  ///< whether more than one will be requested; affects only speed
};

}  // namespace sotto::mechanism

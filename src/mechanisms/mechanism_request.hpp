// What a mechanism's factory gets.
#pragma once

#include <memory>

#include <sotto/mechanism.hpp>

#include "mechanisms/mechanism_family.hpp"

namespace sotto {

struct MechanismRequest {
  std::shared_ptr<const Model> model;
  ParameterValues parameters;  ///< complete: every parameter of the mechanism is there
  MechanismResources resources;
  bool many_epsilons = false;  ///< whether more than one will be asked for; changes speed only
};

}  // namespace sotto

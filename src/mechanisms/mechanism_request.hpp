// What a mechanism's factory gets.
#pragma once

#include <memory>

#include <sotto/mechanism.hpp>

namespace sotto {

struct MechanismRequest {
  std::shared_ptr<const Model> model;
  double epsilon;              ///< checked
  ParameterValues parameters;  ///< complete: every parameter of the mechanism is there
  MechanismResources resources;
};

}  // namespace sotto

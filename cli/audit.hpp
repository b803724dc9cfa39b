// sotto audit: options common to its methods.
#pragma once

#include <string>

#include "command.hpp"

namespace sotto::cli {

/// As typed.
struct AuditArguments {
  MechanismChoice choice;
  std::string method = "exact";
  ResourceOptions resources;
  bool json = false;
  bool quiet = false;
};

}  // namespace sotto::cli

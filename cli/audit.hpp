// sotto audit: the options that its methods share.
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

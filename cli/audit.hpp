// sotto audit: the options that its methods share.
#pragma once

#include <string>

#include "command.hpp"

namespace sotto::cli {

/// As typed.
struct AuditArguments {
  MechanismChoice choice;
  std::string method = "exact";
  std::string threads;
  std::string memory = "512M";
  bool json = false;
  bool quiet = false;

  Result<MechanismResources> parsed_resources() const;
};

}  // namespace sotto::cli

// sotto audit: the options that its methods share.
#pragma once

#include <string>

#include "command.hpp"

namespace sotto::cli {

struct AuditArguments {
  MechanismChoice choice;
  std::string method = "black-box";
  std::string threads = "0";
  std::string memory = "512M";
  bool json = false;
};

}  // namespace sotto::cli

// The options of sotto audit, common to its methods.
#pragma once

#include "command.hpp"

namespace sotto::cli {

struct AuditArguments {
  std::string mechanism;
  double epsilon = 0;  ///< nominal; with target certified: what the certificate may be at most
  ParameterValues parameters;
  std::string model;  ///< empty: the mechanism's default
  std::string method = "exact";
  PrivacyTarget target = PrivacyTarget::nominal;
  std::uint64_t sample = 0;  ///< 0: not given
  MechanismResources resources;
  bool json = false;
  bool quiet = false;
};

}  // namespace sotto::cli

// What the routes share that compute something about a mechanism.
#pragma once

#include "service/json_reader.hpp"
#include "service/router.hpp"

namespace sotto::server {

/// Requests name models, and files nowhere: a failure if "model" or one of the "parameters" might be a path.
Outcome<void> check_names(const JsonObject& request);

/// "mechanism", "parameters", "model" and "epsilon", whose names are checked; without the latter, it is 0.
Outcome<MechanismSpec> read_mechanism(const JsonObject& request);

}  // namespace sotto::server

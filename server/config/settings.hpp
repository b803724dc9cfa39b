// The settings with a single value. The same names, checks and messages serve the file, the environment and
// the command line.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

#include "config/server_config.hpp"

namespace sotto::server {

/// As in serve.yaml, with the name of the map before a dot: "listen", "tls.key", "limits.body".
std::vector<std::string> setting_names();

/// Sets one from text. An error names it, the value and what is allowed.
Result<void> set(ServerConfig& config, std::string_view name, std::string_view text);

/// "limits.body" is SOTTO_SERVE_LIMITS_BODY.
std::string environment_variable(std::string_view setting);

/// The value of an environment variable, or null.
using Environment = std::function<const char*(const std::string& variable)>;

/// Sets what the environment sets; several addresses to listen on are separated by commas. Errors name the
/// variable.
Result<void> apply_environment(ServerConfig& config, const Environment& environment);

/// Fails if one of these names begins like a setting's variable and is none: it is mistyped.
Result<void> check_variables(const std::vector<std::string>& variables);

}  // namespace sotto::server

// serve.yaml, and what is checked before the server starts.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <sotto/result.hpp>

#include "config/server_config.hpp"

namespace sotto::server {

/// Without a file: this machine only, and a profile called "default".
ServerConfig default_config();

/// Reads serve.yaml. Errors name the file, the line and what is allowed.
Result<ServerConfig> read_server_config(const std::filesystem::path& file);
/// Same, from text; `name` is the file's, for errors.
Result<ServerConfig> parse_server_config(const std::string& text, const std::string& name);

/// What no single setting shows: an address that others reach demands TLS, or something in front of it, and
/// keys; a profile that refuses repeats needs a ledger; and so on.
Result<void> validate(const ServerConfig& config);

}  // namespace sotto::server

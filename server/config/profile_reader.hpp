// Profiles in serve.yaml.
#pragma once

#include <string>

#include "config/server_config.hpp"
#include "config/yaml_file.hpp"

namespace sotto::server {

/// The members of docs/schemas/privatize_options.schema.json, ledger, repeat, allowed and outside.
Result<Profile> read_profile(const YamlFile& file, const std::string& name, const YAML::Node& node);

}  // namespace sotto::server

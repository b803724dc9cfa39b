// Options from a YAML file.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <sotto/result.hpp>

namespace sotto::cli {

/// Gives each option of `command` that is named in the file and was not given on the command line its value
/// from the file. Keys are the options' long names; lists give several values; a map under "set" gives
/// KEY=VALUE pairs.
Result<void> apply_config_file(CLI::App& command, const std::string& file);

}  // namespace sotto::cli

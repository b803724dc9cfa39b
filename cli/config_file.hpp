// Options from a YAML file.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <sotto/result.hpp>

namespace sotto::cli {

/// Sets each option of `command` that the file names and the command line does not. Keys are the options'
/// long names; lists give several values; a map under "set" gives KEY=VALUE pairs.
Result<void> apply_config_file(CLI::App& command, const std::string& file);

}  // namespace sotto::cli

// The program's commands and options as one tree, for whatever reads it: the command line, completion, manual
// pages.
#pragma once

#include <vector>

#include "command.hpp"

namespace sotto::cli {

/// Adds every command to `app`, with its help, and returns what they do.
std::vector<NamedAction> build_program(CLI::App& app);

}  // namespace sotto::cli

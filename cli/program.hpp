// The program's commands and options as one tree, for the command line, completion and manual pages.
#pragma once

#include <vector>

#include "command.hpp"

namespace sotto::cli {

/// Adds every command to `app`, with its help, and returns their actions.
std::vector<NamedAction> build_program(CLI::App& app);

}  // namespace sotto::cli

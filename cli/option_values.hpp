// Possible values of an option or argument, for completion.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace sotto::cli {

struct OptionValues {
  std::vector<std::string> words;
  bool files = false;  ///< a path is possible as well
};

OptionValues option_values(const CLI::App& command, const CLI::Option& option);

}  // namespace sotto::cli

// Queries on the tree of commands and options, for completion and the manual pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace sotto::cli {

/// "sotto model import"
std::string full_name(const CLI::App& command);

/// In the order of the help.
std::vector<const CLI::App*> subcommands(const CLI::App& command);

/// Options that have a name, in the order of the help.
std::vector<const CLI::Option*> named_options(const CLI::App& command);
std::vector<const CLI::Option*> positionals(const CLI::App& command);

/// "-m" and "--mechanism"
std::vector<std::string> spellings(const CLI::Option& option);

/// False for flags.
bool takes_value(const CLI::Option& option);

/// Whether it may be given several times.
bool repeats(const CLI::Option& option);

/// Null if the command has no such option; `spelling` as in spellings().
const CLI::Option* find_option(const CLI::App& command, std::string_view spelling);

}  // namespace sotto::cli

// Related options stand together: in the help, in manual pages, and in what completion offers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace sotto::cli {

/// CLI11's name for the group of options without one.
inline constexpr std::string_view kUngrouped = "Options";

/// Assigns the options of `command` and its subcommands to groups, by name; an option that has a group
/// already keeps it. A command with few options needs none.
void group_options(CLI::App& command);

/// The groups of a command's named options, in the order in which they are shown.
std::vector<std::string> option_groups(const CLI::App& command);

/// Help that shows the groups in that order.
std::shared_ptr<CLI::FormatterBase> grouped_help();

}  // namespace sotto::cli

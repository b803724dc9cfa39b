// sotto completion, and what its scripts request from the program when a user presses Tab.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"

namespace sotto::cli {

/// Adds the subcommand to `app` and returns its action.
Action add_completion(CLI::App& app);

/// The first argument of a call by a completion script. Not a command for people; help does not show it.
inline constexpr std::string_view kCompleteRequest = "__complete";

struct Candidate {
  std::string text;         ///< the whole word as it would appear on the command line
  std::string description;  ///< may be empty
};

struct Completions {
  std::vector<Candidate> candidates;
  bool files = false;  ///< the shell may complete a path as well
};

/// The possible completions of the last of `words`, which follow the program's name.
Completions complete(const CLI::App& app, std::span<const std::string> words);

/// The format that the scripts read: a line "text<TAB>description" per candidate, then ":files" or ":none".
std::string to_lines(const Completions& completions);

}  // namespace sotto::cli

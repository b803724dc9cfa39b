// sotto completion, and what its scripts ask the program for when a user presses Tab.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"

namespace sotto::cli {

/// Adds the subcommand to `app` and returns its action.
Action add_completion(CLI::App& app);

/// The first argument of a call by a completion script; it is no command for people, and help does not show
/// it.
inline constexpr std::string_view kCompleteRequest = "__complete";

struct Candidate {
  std::string text;         ///< the whole word as it would stand on the command line
  std::string description;  ///< may be empty
};

struct Completions {
  std::vector<Candidate> candidates;
  bool files = false;  ///< the shell may complete a path as well
};

/// What the last of `words` may become; those before it stand between the program's name and it.
Completions complete(const CLI::App& app, std::span<const std::string> words);

/// As the scripts read it: a line "text<TAB>description" for each candidate, then ":files" or ":none".
std::string to_lines(const Completions& completions);

}  // namespace sotto::cli

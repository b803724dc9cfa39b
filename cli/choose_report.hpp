// What sotto choose prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <sotto/choose.hpp>

namespace sotto::cli {

/// The command that runs the recommendation on the files; it can be pasted into a shell.
std::string recommended_command(const Choice& choice, const FileOptions& files);

/// Table, picture, sample lines and recommendation, in lines of at most `columns` where there is room; the
/// command is a line of its own, however long.
std::string choice_text(const Choice& choice, const std::string& command, std::size_t columns);

}  // namespace sotto::cli

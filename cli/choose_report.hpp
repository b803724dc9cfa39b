// What sotto choose prints.
#pragma once

#include <string>
#include <vector>

#include <sotto/choose.hpp>

namespace sotto::cli {

/// The command that runs the recommendation on the files; it can be pasted into a shell.
std::string recommended_command(const Choice& choice, const FileOptions& files);

/// Table, picture, sample lines and recommendation.
std::string choice_text(const Choice& choice, const std::string& command);

}  // namespace sotto::cli

// Errors of the library in the words of the command line.
#pragma once

#include <string>
#include <string_view>

#include <sotto/error_text.hpp>

namespace sotto::cli {

/// The error on one line, with parameters as options and hints as commands.
std::string error_line(const Error& error);

/// How a parameter is given: --id-field for "id_field", --set k for "parameters.k", PUBLIC-TEXT for an
/// argument that has no option.
std::string option_name(std::string_view parameter);

/// What to type: sotto lists build --model glove.
std::string command_line(const Hint& hint);

}  // namespace sotto::cli

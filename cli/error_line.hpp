// Library errors in terms of the command line.
#pragma once

#include <string>
#include <string_view>

#include <sotto/error_text.hpp>

namespace sotto::cli {

/// The error as one line, with parameters as options and hints as commands.
std::string error_line(const Error& error);

/// How a parameter is given: --id-field for "id_field", --set k for "parameters.k", PUBLIC-TEXT for a
/// positional argument.
std::string option_name(std::string_view parameter);

/// The command to type, for example: sotto lists build --model glove -o glove-lists.safetensors. What only
/// the user knows is in capitals.
std::string command_line(const Hint& hint);

}  // namespace sotto::cli

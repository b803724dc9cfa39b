#include "error_line.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "shell_words.hpp"

namespace sotto::cli {
namespace {

constexpr std::string_view kParameters = "parameters";

// Options that are not "--" followed by the parameter's name.
constexpr std::array kOptions = {
    std::pair<std::string_view, std::string_view>{kParameters, "--set"},
    std::pair<std::string_view, std::string_view>{"output", "-o"},
    std::pair<std::string_view, std::string_view>{"class_files", "--class"},
    std::pair<std::string_view, std::string_view>{"subject_field", "--subject"},
    std::pair<std::string_view, std::string_view>{"texts", "--pair"},
};

// Positional arguments.
constexpr std::array<std::string_view, 3> kPositional = {"corpus", "public_text", "vectors"};

bool is_positional(std::string_view parameter) {
  return std::find(kPositional.begin(), kPositional.end(), parameter) != kPositional.end();
}

/// The name of a mechanism's parameter, or an empty string.
std::string_view of_mechanism(std::string_view parameter) {
  const bool has_name =
      parameter.starts_with(kParameters) && parameter.substr(kParameters.size()).starts_with('.');
  return has_name ? parameter.substr(kParameters.size() + 1) : std::string_view();
}

std::string with_hyphens(std::string_view name) {
  std::string spelled(name);
  std::replace(spelled.begin(), spelled.end(), '_', '-');
  return spelled;
}

std::string placeholder(std::string_view name) {
  std::string spelled = with_hyphens(name);
  for (char& letter : spelled)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - ('a' - 'A'));
  return spelled;
}

std::string typed(const Argument& argument) {
  const std::string value =
      argument.value.empty() ? placeholder(argument.parameter) : shell_word(argument.value);
  if (is_positional(argument.parameter)) return value;
  const bool is_setting = !of_mechanism(argument.parameter).empty();
  return fmt::format("{}{}{}", option_name(argument.parameter), is_setting ? '=' : ' ', value);
}

}  // namespace

std::string error_line(const Error& error) {
  return describe(error, {option_name, command_line});
}

std::string option_name(std::string_view parameter) {
  if (is_positional(parameter)) return placeholder(parameter);
  if (const std::string_view name = of_mechanism(parameter); !name.empty())
    return fmt::format("--set {}", name);
  for (const auto& [name, option] : kOptions)
    if (name == parameter) return std::string(option);
  return "--" + with_hyphens(parameter);
}

std::string command_line(const Hint& hint) {
  std::string line = "sotto " + hint.command;
  for (const Argument& argument : hint.arguments) line += " " + typed(argument);
  return line;
}

}  // namespace sotto::cli

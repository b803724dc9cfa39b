#include <charconv>

#include <fmt/format.h>

#include <sotto/error_text.hpp>

namespace sotto {
namespace {

/// Spells a reference from between braces: the number of a hint or the name of a parameter.
std::string spelled(std::string_view reference, const Error& error, const Spelling& spelling) {
  std::size_t index = 0;
  const auto [end, problem] = std::from_chars(reference.data(), reference.data() + reference.size(), index);
  const bool is_number = problem == std::errc() && end == reference.data() + reference.size();
  if (is_number && index < error.hints.size()) return spelling.hint(error.hints[index]);
  return spelling.parameter(reference);
}

std::string spelled_message(const Error& error, const Spelling& spelling) {
  std::string text;
  const std::string_view message = error.message;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    const bool is_doubled = i + 1 < message.size() && message[i + 1] == c;
    const std::size_t close = c == '{' && !is_doubled ? message.find('}', i) : message.npos;
    if (close != message.npos) {
      text += spelled(message.substr(i + 1, close - i - 1), error, spelling);
      i = close;
      continue;
    }
    text += c;
    if (is_doubled && (c == '{' || c == '}')) ++i;
  }
  return text;
}

}  // namespace

std::string describe(const Error& error, const Spelling& spelling) {
  std::string message = spelled_message(error, spelling);
  return error.parameter.empty() ? message
                                 : fmt::format("{}: {}", spelling.parameter(error.parameter), message);
}

std::string describe(const Error& error) {
  return describe(error, {[](std::string_view parameter) { return std::string(parameter); },
                          [](const Hint& hint) { return describe(hint); }});
}

std::string describe(const Hint& hint) {
  std::string arguments;
  for (const Argument& argument : hint.arguments)
    if (!argument.value.empty())
      arguments += fmt::format("{}{}: {}", arguments.empty() ? "" : ", ", argument.parameter, argument.value);
  return arguments.empty() ? hint.command : fmt::format("{} ({})", hint.command, arguments);
}

}  // namespace sotto

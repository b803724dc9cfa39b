// Words as one types them in a shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sotto::cli {

/// In double quotes if the shell would read something else into it; messages have single ones around
/// commands.
inline std::string shell_word(std::string_view word) {
  static constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "\"";
  for (const char c : word) {
    if (std::string_view("\"$`\\").find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

inline std::string shell_line(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += shell_word(word);
  }
  return line;
}

}  // namespace sotto::cli

// Messages on standard error: one line each.
#pragma once

#include <string>
#include <string_view>

namespace sotto::cli {

/// "sotto: ...", ending in a newline. Quoted values and file names may contain line ends and other control
/// characters; they become spaces.
inline std::string message_line(std::string_view message) {
  std::string line(message);
  for (char& byte : line)
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) byte = ' ';
  return "sotto: " + line + "\n";
}

}  // namespace sotto::cli

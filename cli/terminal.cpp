#include "terminal.hpp"

#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include "validate.hpp"

namespace sotto::cli {
namespace {

constexpr std::size_t kUsualWidth = 80;
constexpr std::uint64_t kLargestWidth = 10'000;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::size_t terminal_width(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return parse_integer("COLUMNS", environment("COLUMNS"), 1, kLargestWidth).value_or(kUsualWidth);
}

bool wants_colours(int descriptor) {
  return ::isatty(descriptor) != 0 && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

}  // namespace sotto::cli

#include "validate.hpp"

#include <cmath>

#include <fmt/format.h>

#include <sotto/text_values.hpp>

namespace sotto::cli {
namespace {

/// The library's error, in the terms of the command line.
template <class T>
Result<T> of_option(std::string_view option, Result<T> value) {
  if (value) return value;
  return fail(value.error().code,
              Message::of_pattern(Message::doubled_braces(option) + ": " + value.error().message));
}

}  // namespace

Result<double> validate_epsilon(std::string_view option, double value) {
  return of_option(option, check_epsilon("", value));
}

Result<double> parse_epsilon(std::string_view option, std::string_view text) {
  return parse_number(option, text, kSmallestEpsilon, kLargestEpsilon);
}

Result<std::uint64_t> parse_integer(std::string_view option, std::string_view text, std::uint64_t low,
                                    std::uint64_t high) {
  return of_option(option, read_integer("", text, low, high));
}

Result<double> parse_number(std::string_view option, std::string_view text, double low, double high) {
  return of_option(option, read_number("", text, low, high));
}

Result<std::uint64_t> parse_size(std::string_view option, std::string_view text) {
  static constexpr std::string_view kUnits = "KMGT";
  static constexpr double kLargestSize = 1e18;
  std::string_view digits = text;
  double factor = 1;
  if (!digits.empty()) {
    const char last = static_cast<char>(digits.back() & ~0x20);
    if (const auto unit = kUnits.find(last); unit != std::string_view::npos) {
      factor = std::ldexp(1.0, 10 * (static_cast<int>(unit) + 1));
      digits.remove_suffix(1);
    }
  }
  const auto value = read_number("", digits, 0, kLargestSize);
  if (value && *value * factor >= 1 && *value * factor < kLargestSize)
    return static_cast<std::uint64_t>(*value * factor);
  return fail(Errc::invalid_argument,
              fmt::format("{}: '{}' is not allowed; give a size such as 4096, 64M or 2G", option, text));
}

Result<std::size_t> parse_choice(std::string_view option, std::string_view text,
                                 std::span<const std::string_view> allowed) {
  return of_option(option, read_choice("", text, allowed));
}

}  // namespace sotto::cli

#include "validate.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sotto::cli {
namespace {

constexpr double kSmallestEpsilon = 1e-9;
constexpr double kLargestEpsilon = 1e6;

tl::unexpected<Error> bad_value(std::string_view option, std::string_view value, std::string_view allowed) {
  return fail(Errc::invalid_argument,
              fmt::format("{}: '{}' is not allowed; give {}", option, value, allowed));
}

bool parse_finite(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace

Result<double> validate_epsilon(std::string_view option, double value) {
  if (value >= kSmallestEpsilon && value <= kLargestEpsilon) return value;  // false for NaN
  return bad_value(option, fmt::format("{}", value), "a number from 1e-9 to 1e6");
}

Result<double> parse_epsilon(std::string_view option, std::string_view text) {
  return parse_number(option, text, kSmallestEpsilon, kLargestEpsilon);
}

Result<std::uint64_t> parse_integer(std::string_view option, std::string_view text, std::uint64_t low,
                                    std::uint64_t high) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= low && value <= high) return value;
  return bad_value(option, text, fmt::format("a whole number from {} to {}", low, high));
}

Result<double> parse_number(std::string_view option, std::string_view text, double low, double high) {
  double value = 0;
  if (parse_finite(text, value) && value >= low && value <= high) return value;
  return bad_value(option, text, fmt::format("a number from {:g} to {:g}", low, high));
}

Result<std::uint64_t> parse_size(std::string_view option, std::string_view text) {
  static constexpr std::string_view kUnits = "KMGT";
  std::string_view digits = text;
  double factor = 1;
  if (!digits.empty()) {
    const char last = static_cast<char>(digits.back() & ~0x20);
    if (const auto unit = kUnits.find(last); unit != std::string_view::npos) {
      factor = std::ldexp(1.0, 10 * (static_cast<int>(unit) + 1));
      digits.remove_suffix(1);
    }
  }
  double value = 0;
  if (parse_finite(digits, value) && value > 0 && value * factor >= 1 && value * factor < 1e18)
    return static_cast<std::uint64_t>(value * factor);
  return bad_value(option, text, "a size such as 4096, 64M or 2G");
}

Result<std::size_t> parse_choice(std::string_view option, std::string_view text,
                                 const std::vector<std::string_view>& allowed) {
  for (std::size_t i = 0; i < allowed.size(); ++i)
    if (allowed[i] == text) return i;
  return bad_value(option, text, fmt::format("{}", fmt::join(allowed, " or ")));
}

}  // namespace sotto::cli

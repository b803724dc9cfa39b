#include "base/checked_value.hpp"

#include <charconv>
#include <cmath>

#include <fmt/ranges.h>

#include "base/suggestion.hpp"

namespace sotto {
using namespace base;
namespace {

/// Whether the whole text is a number.
template <class T>
bool read_whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<double> check_epsilon(std::string_view parameter, double value) {
  if (value >= kSmallestEpsilon && value <= kLargestEpsilon) return value;  // false for NaN
  return not_allowed(parameter, value, "a number from 1e-9 to 1e6");
}

Result<std::uint64_t> read_integer(std::string_view parameter, std::string_view text, std::uint64_t low,
                                   std::uint64_t high) {
  std::uint64_t value = 0;
  if (read_whole(text, value) && value >= low && value <= high) return value;
  return not_allowed(parameter, text, fmt::format("a whole number from {} to {}", low, high));
}

Result<double> read_number(std::string_view parameter, std::string_view text, double low, double high) {
  double value = 0;
  if (read_whole(text, value) && std::isfinite(value) && value >= low && value <= high) return value;
  return not_allowed(parameter, text, fmt::format("a number from {:g} to {:g}", low, high));
}

Result<std::size_t> read_choice(std::string_view parameter, std::string_view text,
                                std::span<const std::string_view> allowed) {
  for (std::size_t i = 0; i < allowed.size(); ++i)
    if (allowed[i] == text) return i;
  // A name of one or two letters is like any other of them.
  const std::vector<std::string> names(allowed.begin(), allowed.end());
  const std::string guess = text.size() > 2 ? suggestion(text, names) : "";
  return not_allowed(parameter, text, fmt::format("{}{}", fmt::join(allowed, " or "), guess));
}

}  // namespace sotto

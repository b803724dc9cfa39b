#include "mechanisms/parameter_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/suggestion.hpp"

namespace sotto::mechanism {
namespace {

std::optional<std::string> canonical_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  if (value == 0) return "0";  // -0 too
  // The shortest form of 100000 would otherwise be 1e+05, which does not read as a whole number.
  if (value == std::trunc(value) && std::abs(value) < 0x1p53) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

}  // namespace

std::string canonical_value(const ParameterInfo& parameter, std::string_view value) {
  const bool numbers =
      parameter.kind == ParameterKind::numbers ||
      (parameter.kind == ParameterKind::by_default && canonical_number(parameter.default_value));
  if (!numbers) return std::string(value);
  std::string canonical;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    const auto number = canonical_number(value.substr(begin, end - begin));
    if (!number) return std::string(value);
    canonical += (begin == 0 ? "" : ",") + *number;
    begin = end + 1;
  }
  return canonical;
}

Result<ParameterValues> complete_values(std::string_view owner, std::span<const ParameterInfo> parameters,
                                        const ParameterValues& given) {
  ParameterValues complete;
  std::vector<std::string> names;
  for (const ParameterInfo& parameter : parameters) {
    const auto found = given.find(parameter.name);
    complete[parameter.name] =
        canonical_value(parameter, found == given.end() ? parameter.default_value : found->second);
    names.push_back(parameter.name);
  }
  for (const auto& [name, value] : given)
    if (!complete.contains(name))
      return fail_parameter(
          "parameters", name,
          fmt::format("{} has no parameter '{}'{}; it has {}", owner, name, base::suggestion(name, names),
                      names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  return complete;
}

}  // namespace sotto::mechanism

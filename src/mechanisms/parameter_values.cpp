#include "mechanisms/parameter_values.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sotto {

Result<ParameterValues> complete_values(std::string_view owner, std::span<const ParameterInfo> parameters,
                                        const ParameterValues& given) {
  ParameterValues complete;
  std::vector<std::string_view> names;
  for (const ParameterInfo& parameter : parameters) {
    complete[parameter.name] = parameter.default_value;
    names.push_back(parameter.name);
  }
  for (const auto& [name, value] : given) {
    if (!complete.contains(name))
      return fail(Errc::invalid_argument,
                  fmt::format("{} has no parameter '{}'; it has {}", owner, name,
                              names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    complete[name] = value;
  }
  return complete;
}

}  // namespace sotto

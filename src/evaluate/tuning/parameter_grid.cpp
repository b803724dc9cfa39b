#include "evaluate/tuning/parameter_grid.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sotto::evaluate {
namespace {

constexpr std::size_t kMostVariants = 10'000;

bool has_parameter(const MechanismInfo& info, std::string_view name) {
  return std::any_of(info.parameters.begin(), info.parameters.end(),
                     [&](const ParameterInfo& parameter) { return parameter.name == name; });
}

/// The values for one mechanism; adds the keys it used to `used`.
ParameterGrid grid_of(const MechanismInfo& info, const ParameterGrid& grid, std::set<std::string>& used) {
  ParameterGrid own;
  for (const auto& [key, values] : grid) {
    const bool is_own = key.starts_with(info.name + ".");
    const std::string name = is_own ? key.substr(info.name.size() + 1) : key;
    if (!has_parameter(info, name)) continue;
    used.insert(key);
    if (is_own || !grid.contains(fmt::format("{}.{}", info.name, name))) own[name] = values;
  }
  return own;
}

}  // namespace

std::string MechanismVariant::name() const {
  std::string name = mechanism;
  for (const auto& [key, value] : parameters) name += fmt::format(" {}={}", key, value);
  return name;
}

Result<std::vector<MechanismVariant>> expand_grid(const std::vector<std::string>& mechanisms,
                                                  const ParameterGrid& grid) {
  std::vector<MechanismVariant> variants;
  std::set<std::string> used;
  std::vector<std::string> known;
  for (const auto& [key, values] : grid)
    if (values.empty())
      return fail_parameter("grid", key, fmt::format("'{}' has no values; give at least one", key));
  for (const std::string& name : mechanisms) {
    SOTTO_ASSIGN(const MechanismInfo* info, find_mechanism(name));
    for (const ParameterInfo& parameter : info->parameters)
      known.push_back(fmt::format("{}.{}", name, parameter.name));
    std::vector<MechanismVariant> combined = {{name, {}}};
    for (const auto& [key, values] : grid_of(*info, grid, used)) {
      if (variants.size() + combined.size() * values.size() > kMostVariants)
        return fail_parameter("grid", "", fmt::format("more than {} combinations", kMostVariants));
      std::vector<MechanismVariant> longer;
      for (const MechanismVariant& variant : combined)
        for (const std::string& value : values) {
          longer.push_back(variant);
          longer.back().parameters[key] = value;
        }
      combined = std::move(longer);
    }
    variants.insert(variants.end(), combined.begin(), combined.end());
  }
  for (const auto& [key, values] : grid)
    if (!used.contains(key))
      return fail_parameter(
          "grid", key,
          fmt::format("'{}' is not a parameter of {}; there are {}", key, fmt::join(mechanisms, ", "),
                      known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
  return variants;
}

}  // namespace sotto::evaluate

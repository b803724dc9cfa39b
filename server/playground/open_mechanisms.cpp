#include "playground/open_mechanisms.hpp"

#include <utility>

#include <fmt/format.h>

namespace sotto::server {

/// Values are quoted by their lengths, so that no value reads like the next parameter.
std::string name_without_epsilon(const MechanismSpec& spec) {
  std::string name = fmt::format("{}:{};{}:{}", spec.name.size(), spec.name, spec.model.size(), spec.model);
  for (const auto& [parameter, value] : spec.parameters)
    name += fmt::format(";{}:{}={}:{}", parameter.size(), parameter, value.size(), value);
  return name;
}

Result<std::shared_ptr<const OpenMechanism>> OpenMechanisms::open(const MechanismSpec& spec) {
  const std::string name = fmt::format("{}|{}", name_without_epsilon(spec), spec.epsilon);
  if (auto known = recent_.find(name)) return known;
  MechanismSpec small = spec;
  small.resources = {std::uint64_t{64} << 20, 1};
  SOTTO_ASSIGN(OpenMechanism opened, open_mechanism(small));
  auto made = std::make_shared<const OpenMechanism>(std::move(opened));
  recent_.keep(name, made);
  return made;
}

}  // namespace sotto::server

#include <sotto/mechanism.hpp>

#include "base/json.hpp"
#include "mechanisms/measured/attacker_json.hpp"

namespace sotto {
using namespace mechanism;
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const UsefulRange& range) {
  return {{"low", range.low},
          {"high", range.high},
          {"attacker_at_low", attacker_json(range.at_low)},
          {"attacker_at_high", attacker_json(range.at_high)}};
}

Json json_of(const MechanismInfo& info) {
  Json parameters = Json::array();
  for (const ParameterInfo& parameter : info.parameters)
    parameters.push_back({{"name", parameter.name},
                          {"default", parameter.default_value},
                          {"description", parameter.description}});
  const auto range = useful_range(info.name);
  return {{"name", info.name},
          {"summary", info.summary},
          {"metric", info.metric},
          {"guarantee", info.guarantee},
          {"speed", info.speed},
          {"use_when", info.use_when},
          {"default_model", info.default_model},
          {"useful_epsilon", range ? json_of(*range) : Json()},
          {"parameters", parameters}};
}

}  // namespace

std::string to_json(const MechanismInfo& info) {
  return base::json_text(json_of(info));
}

std::string to_json(std::span<const MechanismInfo> infos) {
  Json json = Json::array();
  for (const MechanismInfo& info : infos) json.push_back(json_of(info));
  return base::json_text(json);
}

}  // namespace sotto

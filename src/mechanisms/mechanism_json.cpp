#include <sotto/mechanism.hpp>

#include "base/json.hpp"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const MechanismInfo& info) {
  Json parameters = Json::array();
  for (const ParameterInfo& parameter : info.parameters)
    parameters.push_back({{"name", parameter.name},
                          {"default", parameter.default_value},
                          {"description", parameter.description}});
  return {{"name", info.name},
          {"summary", info.summary},
          {"metric", info.metric},
          {"guarantee", info.guarantee},
          {"speed", info.speed},
          {"use_when", info.use_when},
          {"default_model", info.default_model},
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

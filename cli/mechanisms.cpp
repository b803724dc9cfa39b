// sotto mechanisms
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace sotto::cli {
namespace {

std::string as_text() {
  std::string text;
  for (const MechanismInfo& info : mechanisms()) {
    text += fmt::format("{}\n  {}\n", info.name, info.summary);
    text += fmt::format(
        "  metric      {}\n  guarantee   {}\n  speed       {}\n  use it when {}\n  model       {}\n",
        info.metric, info.guarantee, info.speed, info.use_when, info.default_model);
    for (const ParameterInfo& parameter : info.parameters)
      text +=
          fmt::format("  --set {}={}   {}\n", parameter.name, parameter.default_value, parameter.description);
  }
  return text;
}

std::string as_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const MechanismInfo& info : mechanisms()) {
    nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
    for (const ParameterInfo& parameter : info.parameters)
      parameters.push_back({{"name", parameter.name},
                            {"default", parameter.default_value},
                            {"description", parameter.description}});
    list.push_back({{"name", info.name},
                    {"summary", info.summary},
                    {"metric", info.metric},
                    {"guarantee", info.guarantee},
                    {"speed", info.speed},
                    {"use_when", info.use_when},
                    {"default_model", info.default_model},
                    {"parameters", parameters}});
  }
  return to_text(list);
}

}  // namespace

Action add_mechanisms(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("mechanisms", "List the mechanisms, their parameters and guarantees");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->footer("Example:\n  sotto mechanisms --json");
  return [json] { return print(*json ? as_json() : as_text()); };
}

}  // namespace sotto::cli

// sotto mechanisms
#include <fmt/format.h>

#include "command.hpp"
#include "table.hpp"

namespace sotto::cli {
namespace {

constexpr const char* kNotMeasured = "not measured";

std::string as_table() {
  std::vector<std::vector<std::string>> rows;
  for (const MechanismInfo& info : mechanisms()) {
    if (!rows.empty()) rows.push_back({"", "", "", "", "", ""});
    const auto range = useful_range(info.name);
    rows.push_back({info.name, info.summary, info.guarantee,
                    range ? describe(*range) : std::string(kNotMeasured), info.speed, info.use_when});
  }
  return format_table({{"mechanism", 20},
                       {"what it does", 26},
                       {"guarantee", 28},
                       {"useful epsilon", 22},
                       {"speed", 20},
                       {"use it when", 24}},
                      rows) +
         "\nuseful epsilon: below it the output is noise, above it hardly a word changes. Epsilons of "
         "different"
         "\nguarantees do not compare; what attackers recover does.\n"
         "'sotto mechanisms NAME' shows the parameters of one, 'sotto choose FILE' compares them on a "
         "text.\n";
}

std::string as_card(const MechanismInfo& info) {
  std::string text = fmt::format("{}: {}\n\n", info.name, info.summary);
  text += fmt::format(
      "  metric      {}\n  guarantee   {}\n  speed       {}\n  use it when {}\n  model       {}\n",
      info.metric, info.guarantee, info.speed, info.use_when,
      info.default_model.empty() ? "none is shipped; give --model FOLDER" : info.default_model);
  if (const auto range = useful_range(info.name))
    text += fmt::format("  epsilon     {}\n    at {:g}: {}\n    at {:g}: {}\n", describe(*range), range->low,
                        describe(range->at_low), range->high, describe(range->at_high));
  for (const ParameterInfo& parameter : info.parameters)
    text += fmt::format("\n  --set {}={}\n      {}\n", parameter.name, parameter.default_value,
                        parameter.description);
  return text;
}

struct MechanismsArguments {
  std::string name;
  bool json = false;
};

Result<void> run(const MechanismsArguments& a) {
  if (!a.name.empty()) {
    SOTTO_ASSIGN(const MechanismInfo* info, find_mechanism(a.name));
    return print(a.json ? to_json(*info) : as_card(*info));
  }
  return print(a.json ? to_json(mechanisms()) : as_table());
}

}  // namespace

Action add_mechanisms(CLI::App& app) {
  auto arguments = std::make_shared<MechanismsArguments>();
  CLI::App* command =
      app.add_subcommand("mechanisms", "List the mechanisms, their guarantees, and the parameters of one");
  command->add_option("NAME", arguments->name, "Show this one with its parameters");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("Examples:\n  sotto mechanisms\n  sotto mechanisms tem\n  sotto mechanisms --json");
  return [arguments] { return run(*arguments); };
}

}  // namespace sotto::cli

#include "command_tree.hpp"

#include <algorithm>

#include "option_groups.hpp"

namespace sotto::cli {
namespace {

template <class Wanted>
std::vector<const CLI::Option*> options_where(const CLI::App& command, Wanted wanted) {
  std::vector<const CLI::Option*> options;
  for (const CLI::Option* option : command.get_options())
    if (wanted(*option)) options.push_back(option);
  return options;
}

}  // namespace

std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : full_name(*command.get_parent()) + " " + command.get_name();
}

std::vector<const CLI::App*> subcommands(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> named_options(const CLI::App& command) {
  auto options = options_where(command, [](const CLI::Option& option) { return !spellings(option).empty(); });
  const std::vector<std::string> groups = option_groups(command);
  const auto place = [&](const CLI::Option* option) {
    return std::find(groups.begin(), groups.end(), option->get_group());
  };
  std::stable_sort(options.begin(), options.end(),
                   [&](const CLI::Option* a, const CLI::Option* b) { return place(a) < place(b); });
  return options;
}

std::vector<const CLI::Option*> positionals(const CLI::App& command) {
  return options_where(command, [](const CLI::Option& option) { return spellings(option).empty(); });
}

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

bool repeats(const CLI::Option& option) {
  return option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll ||
         option.get_items_expected_max() > 1;
}

const CLI::Option* find_option(const CLI::App& command, std::string_view spelling) {
  for (const CLI::Option* option : named_options(command)) {
    const std::vector<std::string> names = spellings(*option);
    if (std::find(names.begin(), names.end(), spelling) != names.end()) return option;
  }
  return nullptr;
}

}  // namespace sotto::cli

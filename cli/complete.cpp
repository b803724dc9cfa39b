#include <algorithm>

#include <fmt/format.h>

#include "command_tree.hpp"
#include "completion.hpp"
#include "option_values.hpp"

namespace sotto::cli {
namespace {

/// The state after the words before the one to complete.
struct Position {
  const CLI::App* command;
  const CLI::Option* awaits_value = nullptr;  ///< the option whose value comes next
  std::vector<const CLI::Option*> given{};
  std::size_t arguments = 0;  ///< words that belong to no option
  bool options_ended = false;
};

const CLI::App* find_subcommand(const CLI::App& command, std::string_view name) {
  for (const CLI::App* sub : subcommands(command))
    if (sub->get_name() == name) return sub;
  return nullptr;
}

bool looks_like_option(const Position& position, std::string_view word) {
  return !position.options_ended && word.size() > 1 && word.starts_with('-');
}

void step_over(Position& position, std::string_view word) {
  if (position.awaits_value != nullptr) {
    position.awaits_value = nullptr;
  } else if (word == "--" && !position.options_ended) {
    position.options_ended = true;
  } else if (looks_like_option(position, word)) {
    const std::size_t equals = word.find('=');
    const CLI::Option* option = find_option(*position.command, word.substr(0, equals));
    if (option == nullptr) return;
    position.given.push_back(option);
    if (equals == std::string_view::npos && takes_value(*option)) position.awaits_value = option;
  } else if (const CLI::App* sub = find_subcommand(*position.command, word); sub != nullptr) {
    position.command = sub;
    position.given.clear();
  } else {
    ++position.arguments;
  }
}

/// In a list such as cmp,vickrey only the last name is completed.
Completions complete_value(const CLI::App& command, const CLI::Option& option, std::string_view before,
                           std::string_view typed) {
  const OptionValues values = option_values(command, option);
  const std::size_t comma = typed.rfind(',');
  const bool list = option.get_type_name().ends_with(",...") && comma != std::string_view::npos;
  const std::string_view earlier = list ? typed.substr(0, comma + 1) : std::string_view();
  const std::string_view start = typed.substr(earlier.size());
  Completions completions;
  completions.files = values.files;
  for (const std::string& value : values.words)
    if (value.starts_with(start))
      completions.candidates.push_back({fmt::format("{}{}{}", before, earlier, value), ""});
  return completions;
}

/// Long names; a short one only if it was typed in full.
Completions complete_option(const Position& position, std::string_view typed) {
  Completions completions;
  for (const CLI::Option* option : named_options(*position.command)) {
    const bool again =
        std::find(position.given.begin(), position.given.end(), option) != position.given.end();
    if (again && !repeats(*option)) continue;
    for (const std::string& name : spellings(*option))
      if (name.starts_with(typed) && (name.starts_with("--") || name == typed))
        completions.candidates.push_back({name, option->get_description()});
  }
  return completions;
}

Completions complete_argument(const Position& position, std::string_view typed) {
  Completions completions;
  if (const auto subs = subcommands(*position.command); !subs.empty()) {
    for (const CLI::App* sub : subs)
      if (sub->get_name().starts_with(typed))
        completions.candidates.push_back({sub->get_name(), sub->get_description()});
    return completions;
  }
  const auto arguments = positionals(*position.command);
  if (arguments.empty()) return completions;
  const std::size_t last = arguments.size() - 1;
  if (position.arguments > last && !repeats(*arguments[last])) return completions;
  return complete_value(*position.command, *arguments[std::min(position.arguments, last)], "", typed);
}

}  // namespace

Completions complete(const CLI::App& app, std::span<const std::string> words) {
  if (words.empty()) return {};
  Position position{&app};
  for (const std::string& word : words.first(words.size() - 1)) step_over(position, word);
  const std::string_view typed = words.back();
  if (position.awaits_value != nullptr)
    return complete_value(*position.command, *position.awaits_value, "", typed);
  if (position.options_ended || !typed.starts_with('-')) return complete_argument(position, typed);
  const std::size_t equals = typed.find('=');
  if (equals == std::string_view::npos) return complete_option(position, typed);
  const CLI::Option* option = find_option(*position.command, typed.substr(0, equals));
  if (option == nullptr || !takes_value(*option)) return {};
  return complete_value(*position.command, *option, typed.substr(0, equals + 1), typed.substr(equals + 1));
}

std::string to_lines(const Completions& completions) {
  std::string lines;
  for (const Candidate& candidate : completions.candidates)
    lines += fmt::format("{}\t{}\n", candidate.text, candidate.description);
  return lines + (completions.files ? ":files\n" : ":none\n");
}

}  // namespace sotto::cli

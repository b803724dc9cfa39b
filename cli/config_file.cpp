#include "config_file.hpp"

#include <fmt/format.h>

#include <sotto/config_file.hpp>
#include <sotto/text_values.hpp>

#include "command.hpp"

namespace sotto::cli {
namespace {

tl::unexpected<Error> refuse(const std::string& file, std::string_view problem) {
  return fail(Errc::invalid_argument, fmt::format("--config: {}: {}", file, problem));
}

Result<void> apply(CLI::App& command, const ConfigEntry& entry, const std::string& file) {
  const std::string& key = entry.key;
  CLI::Option* option =
      key == "input" ? command.get_option_no_throw("FILE") : command.get_option_no_throw("--" + key);
  if (option == nullptr || key == "config" || key == "help") {
    std::vector<std::string> known = {"input"};
    for (const CLI::Option* any : command.get_options())
      for (const std::string& name : any->get_lnames()) known.push_back(name);
    const std::string guess = closest_name(key, known);
    return refuse(file, fmt::format("'{}' is not an option{}", key,
                                    guess.empty() ? "" : fmt::format(" (did you mean {}?)", guess)));
  }
  if (option->count() > 0) return {};  // the command line takes precedence
  if (entry.is_map && key != "set")
    return refuse(file, fmt::format("'{}' on line {} has no usable value; give a value or a list of values",
                                    key, entry.line));
  for (const std::string& value : entry.values) option->add_result(value);
  option->run_callback();
  return {};
}

}  // namespace

Result<void> apply_config_file(CLI::App& command, const std::string& file) {
  auto entries = read_config_file(file);
  if (!entries) {
    entries.error().parameter = "config";
    return tl::unexpected(std::move(entries.error()));
  }
  try {
    for (const ConfigEntry& entry : *entries) SOTTO_TRY(apply(command, entry, file));
    return {};
  } catch (const CLI::ParseError& error) {
    return refuse(file, error.what());
  }
}

}  // namespace sotto::cli

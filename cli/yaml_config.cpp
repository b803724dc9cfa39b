#include "yaml_config.hpp"

#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "command.hpp"

namespace sotto::cli {
namespace {

Result<std::string> read_text(const std::string& file) {
  std::ifstream input(file);
  if (!input || std::filesystem::is_directory(file))
    return fail(Errc::io, fmt::format("--config: cannot read {}", file));
  return std::string(std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>());
}

Result<std::vector<std::string>> values_of(const YAML::Node& node, const std::string& key,
                                           const std::string& file) {
  std::vector<std::string> values;
  if (node.IsScalar()) return std::vector<std::string>{node.Scalar()};
  if (node.IsSequence()) {
    for (const YAML::Node& item : node) {
      if (!item.IsScalar()) break;
      values.push_back(item.Scalar());
    }
    if (values.size() == node.size()) return values;
  }
  if (node.IsMap() && key == "set") {
    for (const auto& item : node)
      values.push_back(item.first.as<std::string>() + "=" + item.second.as<std::string>());
    return values;
  }
  return fail(
      Errc::invalid_argument,
      fmt::format("--config: {}: '{}' on line {} has no usable value; give a value or a list of values", file,
                  key, node.Mark().line + 1));
}

Result<void> apply(CLI::App& command, const std::string& key, const YAML::Node& node,
                   const std::string& file) {
  CLI::Option* option =
      key == "input" ? command.get_option_no_throw("FILE") : command.get_option_no_throw("--" + key);
  if (option == nullptr || key == "config" || key == "help") {
    std::vector<std::string> known = {"input"};
    for (const CLI::Option* any : command.get_options())
      for (const std::string& name : any->get_lnames()) known.push_back(name);
    const std::string guess = closest(key, known);
    return fail(Errc::invalid_argument,
                fmt::format("--config: {}: '{}' is not an option{}", file, key,
                            guess.empty() ? "" : fmt::format(" (did you mean {}?)", guess)));
  }
  if (option->count() > 0) return {};  // the command line wins
  SOTTO_ASSIGN(const auto values, values_of(node, key, file));
  for (const std::string& value : values) option->add_result(value);
  option->run_callback();
  return {};
}

}  // namespace

Result<void> apply_yaml_config(CLI::App& command, const std::string& file) {
  try {
    SOTTO_ASSIGN(const std::string text, read_text(file));
    const YAML::Node root = YAML::Load(text);
    if (!root.IsMap())
      return fail(Errc::invalid_argument,
                  fmt::format("--config: {} is not a map of options to values", file));
    std::set<std::string> seen;
    for (const auto& entry : root) {
      const auto key = entry.first.as<std::string>();
      if (!seen.insert(key).second)
        return fail(Errc::invalid_argument, fmt::format("--config: {}: '{}' is given twice", file, key));
      SOTTO_TRY(apply(command, key, entry.second, file));
    }
    return {};
  } catch (const YAML::Exception& error) {
    return fail(Errc::invalid_argument,
                fmt::format("--config: {}: line {}: {}", file, error.mark.line + 1, error.msg));
  } catch (const CLI::ParseError& error) {
    return fail(Errc::invalid_argument, fmt::format("--config: {}: {}", file, error.what()));
  }
}

}  // namespace sotto::cli

#include <algorithm>

#include <fmt/format.h>

#include <sotto/config_file.hpp>

#include "base/file.hpp"
#include "base/yaml.hpp"

namespace sotto {
using namespace base;
namespace {

/// Whether a ConfigEntry can hold `node`; if so, stores its values there.
bool take_values(const YAML::Node& node, ConfigEntry& entry) {
  entry.is_map = node.IsMap();
  if (node.IsScalar()) {
    entry.values = {node.Scalar()};
  } else if (node.IsSequence()) {
    for (const YAML::Node& item : node) {
      if (!item.IsScalar()) return false;
      entry.values.push_back(item.Scalar());
    }
  } else if (node.IsMap()) {
    for (const auto& item : node) {
      if (!item.first.IsScalar() || !item.second.IsScalar()) return false;
      entry.values.push_back(item.first.Scalar() + "=" + item.second.Scalar());
    }
  } else {
    return false;
  }
  return true;
}

}  // namespace

Result<std::vector<ConfigEntry>> read_config_file(const std::filesystem::path& file) {
  const std::string name = file.string();
  const auto refuse = [](std::string message) { return fail(Errc::invalid_argument, std::move(message)); };
  const auto text = read_file(file);
  if (!text) return fail(text.error().code, fmt::format("cannot read {}", name));
  SOTTO_ASSIGN(const YAML::Node root, parse_yaml(*text, name));
  if (!root.IsMap()) return refuse(fmt::format("{} is not a map of options to values", name));
  std::vector<ConfigEntry> entries;
  for (const auto& item : root) {
    ConfigEntry entry;
    entry.line = item.second.Mark().line + 1;
    if (!item.first.IsScalar())
      return refuse(fmt::format("{}: line {}: the name of an option is not a plain word", name, entry.line));
    entry.key = item.first.Scalar();
    if (std::any_of(entries.begin(), entries.end(),
                    [&](const ConfigEntry& other) { return other.key == entry.key; }))
      return refuse(fmt::format("{}: '{}' is given twice", name, entry.key));
    if (!take_values(item.second, entry))
      return refuse(fmt::format("{}: '{}' on line {} has no usable value; give a value or a list of values",
                                name, entry.key, entry.line));
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace sotto

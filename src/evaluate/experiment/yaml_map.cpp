#include "evaluate/experiment/yaml_map.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sotto/error_text.hpp>

#include "base/checked_value.hpp"
#include "base/file.hpp"
#include "base/suggestion.hpp"
#include "base/yaml.hpp"

namespace sotto::evaluate {
namespace {

int line_of(const YAML::Node& node) {
  return node.Mark().line + 1;
}

tl::unexpected<Error> error_at(const std::string& file, int line, std::string_view message) {
  if (line <= 0) return fail(Errc::invalid_argument, fmt::format("{}: {}", file, message));
  return fail(Errc::invalid_argument, fmt::format("{}: line {}: {}", file, line, message));
}

/// The run file key that sets a parameter of the library.
std::string key_of(std::string_view parameter) {
  if (parameter == "epsilon" || parameter == "model") return fmt::format("{}s", parameter);
  constexpr std::string_view kParameters = "parameters";
  if (!parameter.starts_with(kParameters)) return std::string(parameter);
  return fmt::format("set{}", parameter.substr(kParameters.size()));
}

}  // namespace

std::string describe_for_run_file(const Error& error) {
  return describe(error, {key_of, [](const Hint& hint) { return describe(hint); }});
}

Result<YAML::Node> load_yaml(const std::filesystem::path& file) {
  SOTTO_ASSIGN(const std::string content, base::read_file(file));
  SOTTO_ASSIGN(YAML::Node node, base::parse_yaml(content, file.string()));
  if (!node.IsMap())
    return fail(Errc::invalid_argument, fmt::format("{}: is not a map of keys to values", file.string()));
  return node;
}

void merge_yaml(YAML::Node base, const YAML::Node& over) {
  for (const auto& entry : over) {
    const std::string& key = entry.first.Scalar();
    const YAML::Node& value = entry.second;
    if (value.IsNull()) {
      base.remove(key);
    } else if (value.IsMap() && base[key].IsDefined() && base[key].IsMap()) {
      merge_yaml(base[key], value);
    } else {
      base[key] = value;
    }
  }
}

Result<YamlMap> YamlMap::open(const YAML::Node& node, std::string file, std::string place,
                              const std::vector<std::string_view>& allowed) {
  SOTTO_ASSIGN(YamlMap map, open_any(node, std::move(file), std::move(place)));
  for (const auto& entry : map.node_) {
    const std::string& key = entry.first.Scalar();
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
      return error_at(
          map.file_, line_of(entry.first),
          fmt::format("'{}' is not a key of {}{}; allowed: {}", key,
                      map.place_.empty() ? "the file" : map.place_,
                      base::suggestion(key, {allowed.begin(), allowed.end()}), fmt::join(allowed, ", ")));
  }
  return map;
}

Result<YamlMap> YamlMap::open_any(const YAML::Node& node, std::string file, std::string place) {
  if (!node.IsDefined() || node.IsNull())
    return YamlMap(YAML::Node(YAML::NodeType::Map), std::move(file), std::move(place));
  if (!node.IsMap())
    return error_at(file, line_of(node),
                    fmt::format("'{}' must be a map of keys to values", place.empty() ? "the file" : place));
  std::set<std::string> seen;
  for (const auto& entry : node) {
    if (!entry.first.IsScalar())
      return error_at(file, line_of(entry.first), fmt::format("a key of '{}' is not a plain word", place));
    if (!seen.insert(entry.first.Scalar()).second)
      return error_at(
          file, line_of(entry.first),
          fmt::format("'{}' is given twice in {}", entry.first.Scalar(), place.empty() ? "the file" : place));
  }
  return YamlMap(node, std::move(file), std::move(place));
}

bool YamlMap::has(const std::string& key) const {
  return node(key).IsDefined();
}

std::string there_are(const std::vector<std::string>& names) {
  if (names.empty()) return "there is none";
  return fmt::format("there {}: {}", names.size() == 1 ? "is" : "are", fmt::join(names, ", "));
}

std::vector<std::string> YamlMap::keys() const {
  std::vector<std::string> keys;
  for (const auto& entry : node_) keys.push_back(entry.first.Scalar());
  return keys;
}

YAML::Node YamlMap::node(const std::string& key) const {
  // The const operator, because the other one inserts the key.
  const YAML::Node& constant = node_;
  return constant[key];
}

std::string YamlMap::path_of(const std::string& key) const {
  return place_.empty() ? key : place_ + "." + key;
}

tl::unexpected<Error> YamlMap::problem(const std::string& key, std::string_view message) const {
  const YAML::Node value = node(key);
  const int line = line_of(value.IsDefined() ? value : node_);
  return error_at(file_, line, fmt::format("{}: {}", path_of(key), message));
}

tl::unexpected<Error> YamlMap::unknown(const std::string& key, std::string_view what, std::string_view name,
                                       const std::vector<std::string>& known) const {
  return problem(
      key, fmt::format("'{}' is not {}{}; {}", name, what, base::suggestion(name, known), there_are(known)));
}

tl::unexpected<Error> YamlMap::problem(const std::string& key, Error error) const {
  if (error.parameter == key) error.parameter.clear();  // it is named anyway
  return problem(key, describe_for_run_file(error));
}

Result<std::string> YamlMap::text(const std::string& key, std::string fallback) const {
  const YAML::Node value = node(key);
  if (!value.IsDefined()) return fallback;
  if (!value.IsScalar()) return problem(key, "must be a single value");
  return value.Scalar();
}

Result<std::string> YamlMap::required_text(const std::string& key) const {
  if (!has(key)) return error_at(file_, line_of(node_), fmt::format("{} is missing", path_of(key)));
  return text(key, {});
}

Result<std::uint64_t> YamlMap::integer(const std::string& key, std::uint64_t low, std::uint64_t high,
                                       std::uint64_t fallback) const {
  if (!has(key)) return fallback;
  SOTTO_ASSIGN(const std::string value, text(key, {}));
  const auto parsed = read_integer(key, value, low, high);
  if (!parsed) return problem(key, parsed.error());
  return *parsed;
}

Result<double> YamlMap::number(const std::string& key, double low, double high, double fallback) const {
  if (!has(key)) return fallback;
  SOTTO_ASSIGN(const std::string value, text(key, {}));
  const auto parsed = read_number(key, value, low, high);
  if (!parsed) return problem(key, parsed.error());
  return *parsed;
}

Result<bool> YamlMap::flag(const std::string& key, bool fallback) const {
  SOTTO_ASSIGN(const std::size_t index, choice(key, {"false", "true"}, fallback ? 1 : 0));
  return index == 1;
}

Result<std::size_t> YamlMap::choice(const std::string& key, const std::vector<std::string_view>& allowed,
                                    std::size_t fallback) const {
  if (!has(key)) return fallback;
  SOTTO_ASSIGN(const std::string value, text(key, {}));
  const auto parsed = read_choice(key, value, allowed);
  if (parsed) return *parsed;
  return problem(key, fmt::format("'{}' is not allowed{}; give {}", value,
                                  base::suggestion(value, {allowed.begin(), allowed.end()}),
                                  fmt::join(allowed, " or ")));
}

Result<std::vector<std::string>> YamlMap::texts(const std::string& key) const {
  const YAML::Node value = node(key);
  std::vector<std::string> values;
  if (!value.IsDefined()) return values;
  if (value.IsScalar()) return std::vector<std::string>{value.Scalar()};
  if (!value.IsSequence()) return problem(key, "must be a value or a list of values");
  // It reads like "none" but would count as "not given", which mostly means "all".
  if (value.size() == 0) return problem(key, "is an empty list; leave the key out, or give a value");
  for (const auto& item : value) {
    if (!item.IsScalar()) return problem(key, "must be a value or a list of values");
    values.push_back(item.Scalar());
  }
  return values;
}

Result<std::vector<double>> YamlMap::numbers(const std::string& key, double low, double high) const {
  SOTTO_ASSIGN(const std::vector<std::string> values, texts(key));
  std::vector<double> numbers;
  for (const std::string& value : values) {
    const auto parsed = read_number(key, value, low, high);
    if (!parsed) return problem(key, parsed.error());
    numbers.push_back(*parsed);
  }
  return numbers;
}

Result<std::map<std::string, std::string>> YamlMap::text_map(const std::string& key) const {
  SOTTO_ASSIGN(const YamlMap entries, any_map(key));
  std::map<std::string, std::string> values;
  for (const std::string& name : entries.keys()) {
    SOTTO_ASSIGN(values[name], entries.text(name, {}));
  }
  return values;
}

Result<YamlMap> YamlMap::map(const std::string& key, const std::vector<std::string_view>& allowed) const {
  return open(node(key), file_, path_of(key), allowed);
}

Result<YamlMap> YamlMap::any_map(const std::string& key) const {
  return open_any(node(key), file_, path_of(key));
}

}  // namespace sotto::evaluate

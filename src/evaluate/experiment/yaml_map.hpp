// Reads YAML maps strictly: an unknown key, a duplicate key or a value of the wrong kind is an error that
// names the file, the line, and what is allowed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <yaml-cpp/yaml.h>

#include <sotto/result.hpp>

namespace sotto::evaluate {

/// Reads a file whose content is a map, within the limits of base/yaml.hpp.
Result<YAML::Node> load_yaml(const std::filesystem::path& file);

/// Merges `over` into `base`: maps are merged key by key, null removes the key, anything else replaces it.
void merge_yaml(YAML::Node base, const YAML::Node& over);

/// The error with parameters spelled as run file keys: set.k for a mechanism's k.
std::string describe_for_run_file(const Error& error);

/// "there are: pp, cs": what could have been named instead.
std::string there_are(const std::vector<std::string>& names);

/// A map of a file, with its location. Copies share the nodes.
class YamlMap {
 public:
  /// `place` is for messages, such as "mechanisms.CMP"; empty for the whole file. Null counts as an empty
  /// map.
  static Result<YamlMap> open(const YAML::Node& node, std::string file, std::string place,
                              const std::vector<std::string_view>& allowed);
  /// The same with keys chosen by the user.
  static Result<YamlMap> open_any(const YAML::Node& node, std::string file, std::string place);

  bool has(const std::string& key) const;
  std::vector<std::string> keys() const;  ///< in file order
  const std::string& place() const { return place_; }
  const std::string& file() const { return file_; }
  YAML::Node node(const std::string& key) const;

  /// The value, or `fallback` if absent.
  Result<std::string> text(const std::string& key, std::string fallback) const;
  Result<std::string> required_text(const std::string& key) const;
  Result<std::uint64_t> integer(const std::string& key, std::uint64_t low, std::uint64_t high,
                                std::uint64_t fallback) const;
  Result<double> number(const std::string& key, double low, double high, double fallback) const;
  Result<bool> flag(const std::string& key, bool fallback) const;
  /// The index of the value in `allowed`; `fallback` if absent.
  Result<std::size_t> choice(const std::string& key, const std::vector<std::string_view>& allowed,
                             std::size_t fallback) const;
  /// A single value counts as a list of one; an absent one as empty.
  Result<std::vector<std::string>> texts(const std::string& key) const;
  Result<std::vector<double>> numbers(const std::string& key, double low, double high) const;
  /// Scalars by name, as written.
  Result<std::map<std::string, std::string>> text_map(const std::string& key) const;
  Result<YamlMap> map(const std::string& key, const std::vector<std::string_view>& allowed) const;
  Result<YamlMap> any_map(const std::string& key) const;

  /// An error about the value of `key`: file, line, key, and what is wrong.
  tl::unexpected<Error> problem(const std::string& key, std::string_view message) const;
  tl::unexpected<Error> problem(const std::string& key, Error error) const;
  /// An error about a value that is none of the known names, with the most similar one: "'x' is not `what`".
  tl::unexpected<Error> unknown(const std::string& key, std::string_view what, std::string_view name,
                                const std::vector<std::string>& known) const;

 private:
  YamlMap(const YAML::Node& node, std::string file, std::string place)
      : node_(node), file_(std::move(file)), place_(std::move(place)) {}
  std::string path_of(const std::string& key) const;

  YAML::Node node_;
  std::string file_;
  std::string place_;
};

/// Appends read(entries, label) for every label of the map under `key`, whose labels the user chose.
template <class Spec, class Read>
Result<void> read_entries(const YamlMap& map, const std::string& key, const Read& read,
                          std::vector<Spec>& specs) {
  SOTTO_ASSIGN(const YamlMap entries, map.any_map(key));
  for (const std::string& label : entries.keys()) {
    SOTTO_ASSIGN(Spec spec, read(entries, label));
    specs.push_back(std::move(spec));
  }
  return {};
}

}  // namespace sotto::evaluate

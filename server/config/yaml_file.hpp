// YAML of the server's files, which may be wrong in every way. All of the server's YAML parsing happens here.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

#include <sotto/result.hpp>

namespace sotto::server {

/// The text of a configuration file. Fails if it is not a regular file or larger than 16 MiB.
Result<std::string> read_small_file(const std::filesystem::path& file);

/// A parsed YAML file; errors name the file and a line.
class YamlFile {
 public:
  /// Takes the value of the member called `name`.
  using Take = std::function<Result<void>(const std::string& name, const YAML::Node& value)>;

  /// Refuses aliases, deep nesting, and more than one document. `name` is the file's, for errors.
  static Result<YamlFile> parse(const std::string& text, std::string name);

  const YAML::Node& root() const { return root_; }
  const std::string& name() const { return name_; }

  /// Calls take() for each member of a map. A name that is given twice is an error; so is anything but a map.
  Result<void> each_member(const std::string& what, const YAML::Node& map, const Take& take) const;
  /// Calls take(what, item) for each item of a list; a single value counts as a list of one.
  Result<void> each_item(const std::string& what, const YAML::Node& list, const Take& take) const;
  Result<std::string> text_of(const std::string& what, const YAML::Node& value) const;
  Result<bool> flag_of(const std::string& what, const YAML::Node& value) const;

  tl::unexpected<Error> refuse(const YAML::Node& node, std::string_view problem) const;
  /// About a member that does not exist, with a guess at what was meant.
  tl::unexpected<Error> no_such(const YAML::Node& node, std::string_view what,
                                const std::vector<std::string>& allowed) const;
  /// The error of whoever took a value, with the file and the line before it.
  tl::unexpected<Error> at(const YAML::Node& node, const Error& error) const;

 private:
  YamlFile(YAML::Node root, std::string name) : root_(std::move(root)), name_(std::move(name)) {}
  YAML::Node root_;
  std::string name_;
};

}  // namespace sotto::server

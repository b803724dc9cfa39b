// Options from a file, for front ends.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// An option of a configuration file.
struct ConfigEntry {
  std::string key;
  int line = 0;                     ///< of its value, counted from 1
  std::vector<std::string> values;  ///< one, or those of a list; KEY=VALUE for each entry of a map
  bool is_map = false;
};

/// Reads a YAML file that maps names to values, lists of values or maps to values. A duplicate name, an alias
/// or a value of any other kind is an error. Thread-safe.
SOTTO_API Result<std::vector<ConfigEntry>> read_config_file(const std::filesystem::path& file);

}  // namespace sotto

// Options for several mechanisms and several values of their parameters.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <sotto/result.hpp>

namespace sotto::cli {

/// Adds --mechanism NAME,...
void add_names_option(CLI::App& command, std::vector<std::string>& names, const char* help);

/// Names given one at a time or separated by commas.
std::vector<std::string> split_names(const std::vector<std::string>& given);

/// Splits "KEY=REST" into its two parts; `form` is the correct form, for the error.
Result<std::pair<std::string, std::string>> split_pair(std::string_view option, const std::string& text,
                                                       std::string_view form);

/// Values separated by '|' or, if there is none, by commas; FIRST:LAST:STEP is expanded.
Result<std::vector<std::string>> parse_values(std::string_view option, const std::string& text);

/// --grid and --set.
struct GridOptions {
  std::vector<std::string> grid;      // key=value,value,...
  std::vector<std::string> settings;  // key=value

  void add_options(CLI::App& command);
  Result<std::map<std::string, std::vector<std::string>>> parsed() const;
};

}  // namespace sotto::cli

#include "grid_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "command.hpp"

namespace sotto::cli {
namespace {

constexpr double kLargestNumber = 1e9;
constexpr std::size_t kMostValues = 1000;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Expands FIRST:LAST:STEP into numbers, formatted so that rounding errors do not show.
Result<std::vector<std::string>> parse_range(std::string_view option, const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  double numbers[3] = {};
  bool good = parts.size() == 3;
  for (std::size_t i = 0; i < 3 && good; ++i) {
    const auto number = parse_number(option, parts[i], 0, kLargestNumber);
    good = number.has_value();
    if (good) numbers[i] = *number;
  }
  const double steps = good && numbers[2] > 0 ? (numbers[1] - numbers[0]) / numbers[2] : -1;
  if (!(steps >= 0) || steps >= static_cast<double>(kMostValues))
    return fail(Errc::invalid_argument,
                fmt::format("{}: '{}' is not allowed; give FIRST:LAST:STEP, for example 1:20:1, with at most "
                            "{} values",
                            option, text, kMostValues));
  std::vector<std::string> values;
  for (std::size_t i = 0; static_cast<double>(i) <= steps + 1e-9; ++i)
    values.push_back(fmt::format("{:.10g}", numbers[0] + static_cast<double>(i) * numbers[2]));
  return values;
}

}  // namespace

void add_names_option(CLI::App& command, std::vector<std::string>& names, const char* help) {
  add_many(command, "-m,--mechanism", names, help, "NAME,...");
}

std::vector<std::string> split_names(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const std::string& several : given)
    for (std::string& name : split(several, ',')) names.push_back(std::move(name));
  return names;
}

Result<std::pair<std::string, std::string>> split_pair(std::string_view option, const std::string& text,
                                                       std::string_view form) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return fail(Errc::invalid_argument, fmt::format("{}: '{}' is not allowed; give {}", option, text, form));
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<std::vector<std::string>> parse_values(std::string_view option, const std::string& text) {
  std::vector<std::string> values;
  for (const std::string& part : split(text, text.find('|') != std::string::npos ? '|' : ',')) {
    if (part.find(':') == std::string::npos) {
      values.push_back(part);
      continue;
    }
    SOTTO_ASSIGN(const std::vector<std::string> range, parse_range(option, part));
    values.insert(values.end(), range.begin(), range.end());
  }
  return values;
}

void GridOptions::add_options(CLI::App& command) {
  add_many(command, "--grid", grid,
           "Values to try for a parameter, such as t=0,0.5,1 or t=0:1:0.05; MECHANISM.KEY means one "
           "mechanism's; values that hold commas are separated by '|'",
           "KEY=VALUE,...");
  add_many(command, "--set", settings, "Set a parameter; may be given several times", "KEY=VALUE");
}

Result<std::map<std::string, std::vector<std::string>>> GridOptions::parsed() const {
  std::map<std::string, std::vector<std::string>> values;
  const auto add = [&](std::string_view option, const std::string& key,
                       std::vector<std::string> given) -> Result<void> {
    if (values.emplace(key, std::move(given)).second) return {};
    return fail(Errc::invalid_argument, fmt::format("{}: '{}' is given twice", option, key));
  };
  for (const std::string& entry : grid) {
    SOTTO_ASSIGN(const auto pair, split_pair("--grid", entry, "KEY=VALUE,VALUE,... or KEY=FIRST:LAST:STEP"));
    SOTTO_ASSIGN(std::vector<std::string> several, parse_values("--grid", pair.second));
    SOTTO_TRY(add("--grid", pair.first, std::move(several)));
  }
  for (const std::string& entry : settings) {
    SOTTO_ASSIGN(const auto pair, split_pair("--set", entry, "KEY=VALUE"));
    SOTTO_TRY(add("--set", pair.first, {pair.second}));
  }
  return values;
}

}  // namespace sotto::cli

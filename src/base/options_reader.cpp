#include "base/options_reader.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"
#include "base/suggestion.hpp"

namespace sotto::base {

void OptionsReader::member(std::string_view name, Take take) {
  members_.emplace(name, std::move(take));
}

void OptionsReader::text(std::string_view name, std::string& target) {
  named(name, target, [](std::string value) -> Result<std::string> { return value; });
}

void OptionsReader::path(std::string_view name, std::filesystem::path& target) {
  named(name, target, [](const std::string& value) -> Result<std::filesystem::path> { return value; });
}

void OptionsReader::path(std::string_view name, std::optional<std::filesystem::path>& target) {
  named(name, target, [](const std::string& value) -> Result<std::filesystem::path> { return value; });
}

void OptionsReader::number(std::string_view name, double& target) {
  member(name, [&target](const std::string& own, const Json& value) -> Result<void> {
    SOTTO_ASSIGN(target, number_of(own, value));
    return {};
  });
}

void OptionsReader::number(std::string_view name, std::optional<double>& target) {
  member(name, [&target](const std::string& own, const Json& value) -> Result<void> {
    SOTTO_ASSIGN(target, number_of(own, value));
    return {};
  });
}

void OptionsReader::flag(std::string_view name, bool& target) {
  member(name, [&target](const std::string& own, const Json& value) -> Result<void> {
    if (!value.is_boolean()) return wrong_type(own, "true or false");
    target = value.get<bool>();
    return {};
  });
}

void OptionsReader::texts(std::string_view name, std::vector<std::string>& target) {
  member(name, [&target](const std::string& own, const Json& value) {
    target.clear();
    return each_of(own, value, kMostValues, [&](const std::string& one, const Json& item) -> Result<void> {
      SOTTO_ASSIGN(target.emplace_back(), text_of(one, item));
      return {};
    });
  });
}

void OptionsReader::paths(std::string_view name, std::vector<std::filesystem::path>& target) {
  member(name, [&target](const std::string& own, const Json& value) {
    target.clear();
    return each_of(own, value, kMostFiles, [&](const std::string& one, const Json& item) -> Result<void> {
      SOTTO_ASSIGN(target.emplace_back(), text_of(one, item));
      return {};
    });
  });
}

void OptionsReader::numbers(std::string_view name, std::vector<double>& target) {
  member(name, [&target](const std::string& own, const Json& value) {
    target.clear();
    return each_of(own, value, kMostValues, [&](const std::string& one, const Json& item) -> Result<void> {
      SOTTO_ASSIGN(target.emplace_back(), number_of(one, item));
      return {};
    });
  });
}

void OptionsReader::values(std::string_view name, std::map<std::string, std::string>& target) {
  member(name, [&target](const std::string& own, const Json& value) -> Result<void> {
    if (!value.is_object()) return wrong_type(own, "an object");
    for (const auto& [key, entry] : value.items()) {
      SOTTO_ASSIGN(target[key], setting_of(fmt::format("{}.{}", own, key), entry));
    }
    return {};
  });
}

void OptionsReader::choice(std::string_view name, std::string& target,
                           std::span<const std::string_view> allowed) {
  named(name, target, [name = std::string(name), allowed](const std::string& value) -> Result<std::string> {
    SOTTO_ASSIGN(const std::size_t index, read_choice(name, value, allowed));
    return std::string(allowed[index]);
  });
}

Result<void> OptionsReader::read(std::string_view json) const {
  const Json object = parse_json(json);
  if (!object.is_object()) return fail(Errc::bad_format, "the options are not a JSON object");
  return read_members("", object);
}

Result<void> OptionsReader::read(const std::string& name, const Json& object) const {
  if (!object.is_object()) return wrong_type(name, "an object");
  return read_members(name + ".", object);
}

Result<void> OptionsReader::read_members(std::string_view prefix, const Json& object) const {
  for (const auto& [name, value] : object.items()) {
    const auto taker = members_.find(name);
    if (taker == members_.end()) return no_such(prefix, name);
    SOTTO_TRY(taker->second(fmt::format("{}{}", prefix, name), value));
  }
  return {};
}

Result<std::string> OptionsReader::text_of(const std::string& name, const Json& value) {
  if (!value.is_string()) return wrong_type(name, "a string");
  auto text = value.get<std::string>();
  // The system would take what precedes it for the whole name of a file.
  if (text.find('\0') != std::string::npos) return wrong_type(name, "a string without zero bytes");
  return text;
}

Result<std::string> OptionsReader::setting_of(const std::string& name, const Json& value) {
  if (value.is_string()) return text_of(name, value);
  if (value.is_structured() || value.is_null())
    return wrong_type(name, "a string, a number, or true or false");
  return value.dump();
}

Result<double> OptionsReader::number_of(const std::string& name, const Json& value) {
  if (!value.is_number()) return wrong_type(name, "a number");
  return value.get<double>();
}

Result<std::uint64_t> OptionsReader::integer_of(const std::string& name, const Json& value, std::uint64_t low,
                                                std::uint64_t high) {
  if (!value.is_number()) return wrong_type(name, "a whole number");
  if (value.is_number_unsigned())
    if (const auto number = value.get<std::uint64_t>(); number >= low && number <= high) return number;
  return not_allowed(name, value.dump(), fmt::format("a whole number from {} to {}", low, high));
}

Result<void> OptionsReader::each_of(const std::string& name, const Json& value, std::size_t most,
                                    const Take& take) {
  if (!value.is_array()) return wrong_type(name, "an array");
  if (value.size() > most)
    return fail_parameter(name, "", fmt::format("{} values; give at most {}", value.size(), most));
  for (std::size_t i = 0; i < value.size(); ++i) SOTTO_TRY(take(fmt::format("{}[{}]", name, i), value[i]));
  return {};
}

tl::unexpected<Error> OptionsReader::wrong_type(std::string_view name, std::string_view wanted) {
  return fail_parameter(name, "", fmt::format("must be {}", wanted));
}

tl::unexpected<Error> OptionsReader::no_such(std::string_view prefix, const std::string& name) const {
  std::vector<std::string> known;
  for (const auto& [member, take] : members_) known.push_back(member);
  const std::string guess = suggestion(name, known);
  return fail_parameter(
      fmt::format("{}{}", prefix, name), "",
      fmt::format("there is no such option{}",
                  guess.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : guess));
}

}  // namespace sotto::base

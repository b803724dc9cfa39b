#include "lm/config.hpp"

#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "lm/failure.hpp"

namespace sotto::lm {
namespace {

// Such files take a few kilobytes, an index of shards some hundreds.
constexpr std::uintmax_t kLargestFile = 64 << 20;

}  // namespace

Config Config::read(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (!error && size > kLargestFile)
    refuse(Errc::bad_format,
           fmt::format("{}: {} bytes; at most {} are allowed", file.string(), size, kLargestFile));
  const std::string text = unwrap(base::read_file(file));
  Config config;
  config.name_ = file.string();
  config.json_ = base::parse_json(text);
  if (!config.json_.is_object()) refuse(Errc::bad_format, fmt::format("{}: not a JSON object", config.name_));
  return config;
}

const nlohmann::json* Config::find(const char* key) const {
  const auto found = json_.find(key);
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

bool Config::has(const char* key) const {
  return find(key) != nullptr;
}

void Config::refuse_value(const char* key, const std::string& allowed) const {
  const nlohmann::json* value = find(key);
  const std::string found =
      value == nullptr
          ? "is missing"
          : fmt::format("is {}",
                        value->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80));
  refuse(Errc::bad_format, fmt::format("{}: '{}' {}; it must be {}", name_, key, found, allowed));
}

std::int64_t Config::whole(const char* key, std::int64_t lowest, std::int64_t highest,
                           std::optional<std::int64_t> fallback) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr && fallback) return *fallback;
  const std::string allowed = fmt::format("a whole number from {} to {}", lowest, highest);
  if (value == nullptr || !value->is_number_integer()) refuse_value(key, allowed);
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(highest))
    refuse_value(key, allowed);
  const auto result = value->get<std::int64_t>();
  if (result < lowest || result > highest) refuse_value(key, allowed);
  return result;
}

double Config::number(const char* key, double lowest, double highest, std::optional<double> fallback) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr && fallback) return *fallback;
  const std::string allowed = fmt::format("a number from {} to {}", lowest, highest);
  if (value == nullptr || !value->is_number()) refuse_value(key, allowed);
  const auto result = value->get<double>();
  if (!(result >= lowest && result <= highest)) refuse_value(key, allowed);
  return result;
}

std::string Config::text(const char* key, std::optional<std::string> fallback) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr && fallback) return *fallback;
  if (value == nullptr || !value->is_string()) refuse_value(key, "a string");
  return value->get<std::string>();
}

bool Config::flag(const char* key, bool fallback) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) refuse_value(key, "true or false");
  return value->get<bool>();
}

std::vector<double> Config::numbers(const char* key) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr || !value->is_array()) refuse_value(key, "a list of numbers");
  std::vector<double> result;
  for (const nlohmann::json& element : *value) {
    if (!element.is_number() || !std::isfinite(element.get<double>())) refuse_value(key, "a list of numbers");
    result.push_back(element.get<double>());
  }
  return result;
}

}  // namespace sotto::lm

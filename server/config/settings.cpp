#include "config/settings.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sotto/error_text.hpp>
#include <sotto/text_values.hpp>

#include "config/listen_address.hpp"

namespace sotto::server {
namespace {

using Text = std::string_view;

constexpr std::uint64_t kMostSeconds = 86'400;
constexpr std::uint64_t kMostCount = 100'000'000;

/// A byte count such as 64M, 2G or 4096.
Result<std::uint64_t> read_bytes(Text name, Text text) {
  static constexpr Text kUnits = "KMG";
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
  Text digits = text;
  const std::size_t unit = digits.empty() ? Text::npos : kUnits.find(digits.back());
  if (unit != Text::npos) digits.remove_suffix(1);
  const std::size_t shift = unit == Text::npos ? 0 : 10 * (unit + 1);
  const auto value = read_integer(name, digits, 1, kMostBytes >> shift);
  if (value) return *value << shift;
  return fail_parameter(
      name, text, fmt::format("'{}' is not allowed; give a size up to 1024G, such as 4096, 64M or 2G", text));
}

template <std::size_t Limits::*member>
Result<void> set_bytes(ServerConfig& config, Text name, Text text) {
  SOTTO_ASSIGN(config.limits.*member, read_bytes(name, text));
  return {};
}

template <std::size_t Limits::*member, std::uint64_t low = 1>
Result<void> set_count(ServerConfig& config, Text name, Text text) {
  SOTTO_ASSIGN(config.limits.*member, read_integer(name, text, low, kMostCount));
  return {};
}

template <std::chrono::seconds Limits::*member>
Result<void> set_seconds(ServerConfig& config, Text name, Text text) {
  SOTTO_ASSIGN(const std::uint64_t seconds, read_integer(name, text, 1, kMostSeconds));
  config.limits.*member = std::chrono::seconds(seconds);
  return {};
}

template <bool ServerConfig::*member>
Result<void> set_flag(ServerConfig& config, Text name, Text text) {
  SOTTO_ASSIGN(const std::size_t choice, read_choice(name, text, {"false", "true"}));
  config.*member = choice == 1;
  return {};
}

Result<void> check_not_empty(Text name, Text text) {
  if (!text.empty() && text.find('\0') == Text::npos) return {};
  return fail_parameter(name, text, "'' is not allowed; give the path of a file");
}

template <std::optional<std::filesystem::path> ServerConfig::*member>
Result<void> set_path(ServerConfig& config, Text name, Text text) {
  SOTTO_TRY(check_not_empty(name, text));
  config.*member = std::filesystem::path(text);
  return {};
}

template <std::filesystem::path TlsFiles::*member>
Result<void> set_tls(ServerConfig& config, Text name, Text text) {
  SOTTO_TRY(check_not_empty(name, text));
  if (!config.tls) config.tls = TlsFiles{};
  (*config.tls).*member = std::filesystem::path(text);
  return {};
}

Result<void> set_listen(ServerConfig& config, Text name, Text text) {
  std::vector<std::string> addresses;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    SOTTO_TRY(parse_listen_address(name, text.substr(0, comma)));
    addresses.emplace_back(text.substr(0, comma));
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
  }
  config.listen = std::move(addresses);
  return {};
}

Result<void> set_metrics_listen(ServerConfig& config, Text name, Text text) {
  SOTTO_TRY(parse_listen_address(name, text));
  config.metrics_listen = std::string(text);
  return {};
}

Result<void> set_threads(ServerConfig& config, Text name, Text text) {
  SOTTO_ASSIGN(const std::uint64_t threads, read_integer(name, text, 0, kMostThreads));
  config.threads = static_cast<unsigned>(threads);
  return {};
}

struct Setting {
  Text name;
  Result<void> (*set)(ServerConfig& config, Text name, Text text);
};

constexpr std::array kSettings = {
    Setting{"listen", set_listen},
    Setting{"metrics_listen", set_metrics_listen},
    Setting{"behind_proxy", set_flag<&ServerConfig::behind_proxy>},
    Setting{"tls.certificate", set_tls<&TlsFiles::certificate>},
    Setting{"tls.key", set_tls<&TlsFiles::key>},
    Setting{"keys_file", set_path<&ServerConfig::keys_file>},
    Setting{"secret_file", set_path<&ServerConfig::secret_file>},
    Setting{"playground", set_flag<&ServerConfig::playground>},
    Setting{"threads", set_threads},
    Setting{"limits.body", set_bytes<&Limits::body_bytes>},
    Setting{"limits.header", set_bytes<&Limits::header_bytes>},
    Setting{"limits.texts", set_count<&Limits::texts>},
    Setting{"limits.document", set_bytes<&Limits::document_bytes>},
    Setting{"limits.queue", set_bytes<&Limits::queued_bytes>},
    Setting{"limits.bodies", set_bytes<&Limits::bodies_bytes>},
    Setting{"limits.connections", set_count<&Limits::connections>},
    Setting{"limits.streams", set_count<&Limits::streams>},
    Setting{"limits.requests_per_key", set_count<&Limits::requests_per_key, 0>},
    Setting{"limits.concurrent_per_key", set_count<&Limits::concurrent_per_key>},
    Setting{"limits.header_time", set_seconds<&Limits::header_time>},
    Setting{"limits.body_time", set_seconds<&Limits::body_time>},
    Setting{"limits.idle_time", set_seconds<&Limits::idle_time>},
    Setting{"limits.drain_time", set_seconds<&Limits::drain_time>},
};

}  // namespace

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const Setting& setting : kSettings) names.emplace_back(setting.name);
  return names;
}

Result<void> set(ServerConfig& config, std::string_view name, std::string_view text) {
  for (const Setting& setting : kSettings)
    if (setting.name == name) return setting.set(config, name, text);
  return fail_parameter(name, text, fmt::format("there is no setting '{}'", name));
}

std::string environment_variable(std::string_view setting) {
  std::string variable = "SOTTO_SERVE_";
  for (const char c : setting)
    variable += c == '.' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c);
  return variable;
}

Result<void> apply_environment(ServerConfig& config, const Environment& environment) {
  for (const Setting& setting : kSettings) {
    const std::string variable = environment_variable(setting.name);
    const char* value = environment(variable);
    if (value == nullptr || *value == '\0') continue;
    auto result = setting.set(config, setting.name, value);
    if (result) continue;
    result.error().parameter = variable;
    return result;
  }
  return {};
}

Result<void> check_variables(const std::vector<std::string>& variables) {
  std::vector<std::string> known;
  for (const Setting& setting : kSettings) known.push_back(environment_variable(setting.name));
  const std::string prefix = environment_variable("");
  for (const std::string& variable : variables)
    if (variable.starts_with(prefix) && std::find(known.begin(), known.end(), variable) == known.end())
      return fail_parameter(variable, "",
                            fmt::format("there is no such setting; there are {}", fmt::join(known, ", ")));
  return {};
}

}  // namespace sotto::server

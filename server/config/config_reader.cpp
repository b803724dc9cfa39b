#include "config/config_reader.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/listen_address.hpp"
#include "config/profile_reader.hpp"
#include "config/settings.hpp"
#include "config/yaml_file.hpp"

namespace sotto::server {
namespace {

constexpr const char* kDefaultProfile = "default";
constexpr const char* kDefaultMechanism = "diffractor-geometric";

bool is_group(const std::string& name) {
  return name == "tls" || name == "limits";
}

std::vector<std::string> members_of(const std::string& group) {
  std::vector<std::string> members;
  for (const std::string& name : setting_names()) {
    const std::size_t dot = name.find('.');
    if (group.empty())
      members.push_back(name.substr(0, dot));
    else if (name.starts_with(group + "."))
      members.push_back(name.substr(dot + 1));
  }
  if (group.empty()) members.emplace_back("profiles");
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

class ConfigReader {
 public:
  explicit ConfigReader(const YamlFile& file) : file_(file), config_(default_config()) {}

  Result<ServerConfig> read() {
    if (file_.root().IsNull()) return std::move(config_);
    SOTTO_TRY(file_.each_member(
        "the file", file_.root(),
        [&](const std::string& name, const YAML::Node& value) { return take(name, value); }));
    return std::move(config_);
  }

 private:
  Result<void> take(const std::string& name, const YAML::Node& value) {
    if (name == "profiles") return take_profiles(value);
    if (name == "listen") return take_listen(value);
    if (!is_group(name)) return take_setting("", name, value);
    return file_.each_member(name, value, [&](const std::string& member, const YAML::Node& inner) {
      return take_setting(name, member, inner);
    });
  }

  Result<void> take_setting(const std::string& group, const std::string& member, const YAML::Node& value) {
    const std::vector<std::string> known = members_of(group);
    if (std::find(known.begin(), known.end(), member) == known.end())
      return file_.no_such(value, member, known);
    const std::string name = group.empty() ? member : group + "." + member;
    SOTTO_ASSIGN(const std::string text, file_.text_of(name, value));
    const auto result = set(config_, name, text);
    if (!result) return file_.at(value, result.error());
    return {};
  }

  Result<void> take_listen(const YAML::Node& value) {
    std::vector<std::string> addresses;
    SOTTO_TRY(file_.each_item("listen", value,
                              [&](const std::string& name, const YAML::Node& item) -> Result<void> {
                                SOTTO_ASSIGN(std::string text, file_.text_of(name, item));
                                const auto address = parse_listen_address(name, text);
                                if (!address) return file_.at(item, address.error());
                                addresses.push_back(std::move(text));
                                return {};
                              }));
    if (addresses.empty()) return file_.refuse(value, "listen is an empty list; give an address");
    config_.listen = std::move(addresses);
    return {};
  }

  Result<void> take_profiles(const YAML::Node& value) {
    config_.profiles.clear();
    SOTTO_TRY(file_.each_member("profiles", value,
                                [&](const std::string& name, const YAML::Node& node) -> Result<void> {
                                  SOTTO_ASSIGN(Profile profile, read_profile(file_, name, node));
                                  config_.profiles.push_back(std::move(profile));
                                  return {};
                                }));
    if (config_.profiles.empty()) return file_.refuse(value, "profiles is empty; give one");
    return {};
  }

  const YamlFile& file_;
  ServerConfig config_;
};

Result<void> check_address(const ServerConfig& config, const std::string& name, const std::string& text) {
  SOTTO_ASSIGN(const ListenAddress address, parse_listen_address(name, text));
  if (address.is_local()) return {};
  if (!config.tls && !config.behind_proxy)
    return fail_parameter(
        name, text,
        fmt::format("{}: others reach this address, so it needs tls (certificate and key), or "
                    "behind_proxy if something in front of it ends TLS",
                    text));
  if (!config.keys_file && name == "listen")
    return fail_parameter(name, text,
                          fmt::format("{}: others reach this address, so it needs keys: make one with 'sotto "
                                      "serve key', and give keys_file and secret_file",
                                      text));
  return {};
}

Result<void> check_profile(const Profile& profile) {
  if (profile.ledger && !profile.options.keyed())
    return fail_parameter("profiles." + profile.name, "",
                          "a profile with a ledger needs key_file, so that a repeated document is known");
  if (profile.repeat == Repeat::refuse && !profile.ledger)
    return fail_parameter("profiles." + profile.name, "",
                          "repeat: refuse needs a ledger, which remembers the documents");
  return {};
}

}  // namespace

ServerConfig default_config() {
  ServerConfig config;
  Profile profile;
  profile.name = kDefaultProfile;
  profile.options.mechanism.name = kDefaultMechanism;
  profile.options.mechanism.epsilon = 1;
  config.profiles.push_back(std::move(profile));
  return config;
}

Result<ServerConfig> parse_server_config(const std::string& text, const std::string& name) {
  SOTTO_ASSIGN(const YamlFile file, YamlFile::parse(text, name));
  return ConfigReader(file).read();
}

Result<ServerConfig> read_server_config(const std::filesystem::path& file) {
  SOTTO_ASSIGN(const std::string text, read_small_file(file));
  return parse_server_config(text, file.string());
}

Result<void> validate(const ServerConfig& config) {
  for (const std::string& address : config.listen) SOTTO_TRY(check_address(config, "listen", address));
  if (config.metrics_listen) SOTTO_TRY(check_address(config, "metrics_listen", *config.metrics_listen));
  if (config.tls && (config.tls->certificate.empty() || config.tls->key.empty()))
    return fail_parameter("tls", "", "needs both certificate and key");
  if (config.keys_file.has_value() != config.secret_file.has_value())
    return fail_parameter(config.keys_file ? "secret_file" : "keys_file", "",
                          "missing; keys_file and secret_file belong together");
  if (config.limits.bodies_bytes / 2 < config.limits.body_bytes)
    return fail_parameter("limits.bodies", std::to_string(config.limits.bodies_bytes),
                          fmt::format("{} is not allowed; give at least twice limits.body, which is {}",
                                      config.limits.bodies_bytes, config.limits.body_bytes));
  for (const Profile& profile : config.profiles) SOTTO_TRY(check_profile(profile));
  return {};
}

}  // namespace sotto::server

#include "config/api_keys.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sodium.h>

#include "config/private_file.hpp"
#include "config/yaml_file.hpp"

namespace sotto::server {
namespace {

constexpr std::size_t kLongestKeyName = 64;
constexpr std::size_t kLongestPresented = 256;
constexpr std::size_t kMostKeys = 10'000;  // all are compared for each request
constexpr std::string_view kKeyPrefix = "sotto_";

const std::vector<std::string> kKeyMembers = {"name", "hash", "profiles", "ledger", "metrics"};

bool is_key_name(std::string_view name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.'; };
  return !name.empty() && name.size() <= kLongestKeyName && std::all_of(name.begin(), name.end(), fits);
}

std::string hex_of(const ServerSecret::Hash& hash) {
  std::string hex(2 * hash.size() + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
  hex.pop_back();
  return hex;
}

bool parse_hash(std::string_view hex, ServerSecret::Hash& hash) {
  std::size_t size = 0;
  const char* end = nullptr;
  return sodium_hex2bin(hash.data(), hash.size(), hex.data(), hex.size(), nullptr, &size, &end) == 0 &&
         size == hash.size() && end == hex.data() + hex.size();
}

class KeyReader {
 public:
  explicit KeyReader(const YamlFile& file) : file_(file) {}

  Result<ApiKey> read(const YAML::Node& node) {
    SOTTO_TRY(file_.each_member("a key", node, [&](const std::string& member, const YAML::Node& value) {
      return take(member, value);
    }));
    ServerSecret::Hash hash;
    if (!is_key_name(key_.name))
      return file_.refuse(node,
                          "the name of a key has 1 to 64 letters, digits, hyphens, underscores or dots");
    if (!parse_hash(key_.hash, hash))
      return file_.refuse(node,
                          "the hash of a key has 64 hexadecimal digits; make keys with 'sotto serve key'");
    if (key_.profiles.empty())
      return file_.refuse(node, "a key needs profiles, the list of those that it may use");
    return std::move(key_);
  }

 private:
  Result<void> take(const std::string& member, const YAML::Node& value) {
    if (member == "profiles")
      return file_.each_item(member, value,
                             [&](const std::string& name, const YAML::Node& item) -> Result<void> {
                               SOTTO_ASSIGN(std::string text, file_.text_of(name, item));
                               key_.profiles.push_back(std::move(text));
                               return {};
                             });
    if (member == "name") return take_text(member, value, key_.name);
    if (member == "hash") return take_text(member, value, key_.hash);
    if (member != "ledger" && member != "metrics") return file_.no_such(value, member, kKeyMembers);
    SOTTO_ASSIGN((member == "ledger" ? key_.ledger : key_.metrics), file_.flag_of(member, value));
    return {};
  }

  Result<void> take_text(const std::string& member, const YAML::Node& value, std::string& target) {
    SOTTO_ASSIGN(target, file_.text_of(member, value));
    return {};
  }

  const YamlFile& file_;
  ApiKey key_;
};

std::string line_of(const ApiKey& key) {
  return fmt::format("- {{name: {}, hash: {}, profiles: [\"{}\"], ledger: {}, metrics: {}}}\n", key.name,
                     key.hash, fmt::join(key.profiles, "\", \""), key.ledger, key.metrics);
}

/// A keys file that does not exist has no keys.
Result<std::vector<ApiKey>> read_keys(const std::filesystem::path& file) {
  auto text = read_private_file(file);
  if (!text && text.error().code == Errc::not_found) return std::vector<ApiKey>();
  if (!text) return tl::unexpected(std::move(text.error()));
  return parse_api_keys(*text, file.string());
}

Result<void> write_keys(const std::filesystem::path& file, const std::vector<ApiKey>& keys) {
  std::string text = "# API keys of sotto serve, as keyed hashes. Change it with 'sotto serve key'.\n";
  for (const ApiKey& key : keys) text += line_of(key);
  return replace_private_file(file, text);
}

std::string random_key() {
  std::array<unsigned char, 32> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  std::string text(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_URLSAFE_NO_PADDING), '\0');
  sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(),
                    sodium_base64_VARIANT_URLSAFE_NO_PADDING);
  sodium_memzero(bytes.data(), bytes.size());
  text.pop_back();
  return std::string(kKeyPrefix) + text;
}

Result<void> check_rights(const ApiKey& key) {
  if (!is_key_name(key.name))
    return fail_parameter("name", key.name,
                          fmt::format("'{}' is not allowed; a name has 1 to 64 letters, digits, hyphens, "
                                      "underscores or dots",
                                      key.name));
  for (const std::string& profile : key.profiles)
    if (!is_key_name(profile) && profile != kEveryProfile)
      return fail_parameter("profile", profile,
                            fmt::format("'{}' is not allowed; give the name of a profile", profile));
  return {};
}

}  // namespace

Result<ServerSecret> ServerSecret::read(const std::filesystem::path& file) {
  [[maybe_unused]] static const int ready = sodium_init();
  SOTTO_ASSIGN(std::string content, read_private_file(file));
  Bytes bytes;
  const bool fits = content.size() == bytes.size();
  if (fits) std::copy(content.begin(), content.end(), bytes.begin());
  sodium_memzero(content.data(), content.size());
  if (!fits)
    return fail(Errc::bad_format, fmt::format("{}: found {} bytes; the server's secret is 32 random bytes",
                                              file.string(), content.size()));
  return ServerSecret(bytes);
}

Result<ServerSecret> ServerSecret::read_or_create(const std::filesystem::path& file) {
  if (std::error_code ignored; !std::filesystem::exists(file, ignored)) {
    std::string bytes(sizeof(Bytes), '\0');
    randombytes_buf(bytes.data(), bytes.size());
    SOTTO_TRY(create_private_file(file, bytes));
    sodium_memzero(bytes.data(), bytes.size());
  }
  return read(file);
}

ServerSecret::~ServerSecret() {
  sodium_memzero(bytes_.data(), bytes_.size());
}

ServerSecret::Hash ServerSecret::hash(std::string_view key) const {
  Hash hash;
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(key.data()), key.size(),
                     bytes_.data(), bytes_.size());
  return hash;
}

Result<std::vector<ApiKey>> parse_api_keys(const std::string& text, const std::string& name) {
  SOTTO_ASSIGN(const YamlFile file, YamlFile::parse(text, name));
  std::vector<ApiKey> keys;
  if (file.root().IsNull()) return keys;
  if (!file.root().IsSequence()) return file.refuse(file.root(), "a keys file is a list of keys");
  if (file.root().size() > kMostKeys)
    return file.refuse(file.root(),
                       fmt::format("{} keys; at most {} are allowed", file.root().size(), kMostKeys));
  for (const YAML::Node& node : file.root()) {
    SOTTO_ASSIGN(ApiKey key, KeyReader(file).read(node));
    keys.push_back(std::move(key));
  }
  return keys;
}

Result<KeyTable> KeyTable::read(const std::filesystem::path& keys_file,
                                const std::filesystem::path& secret_file,
                                const std::vector<std::string>& profiles, UnknownProfiles unknown) {
  SOTTO_ASSIGN(ServerSecret secret, ServerSecret::read(secret_file));
  SOTTO_ASSIGN(const std::string text, read_private_file(keys_file));
  SOTTO_ASSIGN(std::vector<ApiKey> keys, parse_api_keys(text, keys_file.string()));
  std::vector<ServerSecret::Hash> hashes(keys.size());
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ApiKey& key = keys[i];
    parse_hash(key.hash, hashes[i]);
    if (key.profiles == std::vector<std::string>{kEveryProfile}) key.profiles = profiles;
    std::erase_if(key.profiles, [&](const std::string& profile) {
      if (std::find(profiles.begin(), profiles.end(), profile) != profiles.end()) return false;
      notes.push_back(
          fmt::format("{}: key {} may use the profile '{}', which the configuration lacks; it has {}",
                      keys_file.string(), key.name, profile, fmt::join(profiles, ", ")));
      return true;
    });
  }
  if (unknown == UnknownProfiles::refuse && !notes.empty())
    return fail(Errc::invalid_argument, notes.front());
  return KeyTable(std::move(secret), std::move(keys), std::move(hashes), std::move(notes));
}

const ApiKey* KeyTable::find(std::string_view presented) const {
  if (presented.empty() || presented.size() > kLongestPresented) return nullptr;
  const ServerSecret::Hash hash = secret_.hash(presented);
  const ApiKey* found = nullptr;
  for (std::size_t i = 0; i < hashes_.size(); ++i)
    if (sodium_memcmp(hash.data(), hashes_[i].data(), hash.size()) == 0) found = &keys_[i];
  return found;
}

Result<std::string> add_api_key(const KeyFiles& files, ApiKey wanted, bool rotate) {
  SOTTO_TRY(check_rights(wanted));
  SOTTO_ASSIGN(const ServerSecret secret, ServerSecret::read_or_create(files.secret));
  SOTTO_ASSIGN(const FileLock lock, FileLock::take(files.secret));
  SOTTO_ASSIGN(std::vector<ApiKey> keys, read_keys(files.keys));
  const auto same_name = [&](const ApiKey& key) { return key.name == wanted.name; };
  const auto old = std::find_if(keys.begin(), keys.end(), same_name);
  if (old != keys.end() && !rotate)
    return fail_parameter(
        "name", wanted.name,
        fmt::format("there is a key called {}; rotate adds a second one for the same name", wanted.name));
  if (old == keys.end() && rotate)
    return fail_parameter("name", wanted.name, fmt::format("there is no key called {} yet", wanted.name));
  if (keys.size() >= kMostKeys)
    return fail(Errc::limit, fmt::format("{} has {} keys already", files.keys.string(), keys.size()));
  if (rotate && wanted.profiles.empty()) {
    wanted.profiles = old->profiles;
    wanted.ledger = old->ledger;
    wanted.metrics = old->metrics;
  }
  if (wanted.profiles.empty()) wanted.profiles = {kEveryProfile};
  std::string key = random_key();
  wanted.hash = hex_of(secret.hash(key));
  keys.push_back(std::move(wanted));
  SOTTO_TRY(write_keys(files.keys, keys));
  return key;
}

Result<std::size_t> remove_api_keys(const KeyFiles& files, const std::string& name, bool but_newest) {
  SOTTO_ASSIGN(const FileLock lock, FileLock::take(files.secret));
  SOTTO_ASSIGN(std::vector<ApiKey> keys, read_keys(files.keys));
  const auto same_name = [&](const ApiKey& key) { return key.name == name; };
  const auto count = static_cast<std::size_t>(std::count_if(keys.begin(), keys.end(), same_name));
  if (count == 0) return fail_parameter("name", name, fmt::format("there is no key called {}", name));
  std::size_t left = count - (but_newest ? 1 : 0);
  const std::size_t removed = left;
  std::erase_if(keys, [&](const ApiKey& key) { return same_name(key) && left > 0 && left-- > 0; });
  if (removed > 0) SOTTO_TRY(write_keys(files.keys, keys));
  return removed;
}

}  // namespace sotto::server

#include "http/authenticator.hpp"

#include <algorithm>

namespace sotto::server {

std::optional<Refusal> KeyUsage::start(const Limits& limits, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (under_way_ >= limits.concurrent_per_key)
    return Refusal{429, "limit", "too many requests at once with this key", 1};
  if (limits.requests_per_key > 0) {
    const auto rate = static_cast<double>(limits.requests_per_key);
    const double passed = std::chrono::duration<double>(now - refilled_).count();
    tokens_ = tokens_ < 0 ? rate : std::min(rate, tokens_ + passed * rate);
    refilled_ = now;
    if (tokens_ < 1) return Refusal{429, "limit", "too many requests per second with this key", 1};
    tokens_ -= 1;
  }
  ++under_way_;
  return std::nullopt;
}

void KeyUsage::end() {
  const std::lock_guard lock(mutex_);
  --under_way_;
}

Authenticator::Authenticator(const ServerConfig& config)
    : keys_file_(config.keys_file), secret_file_(config.secret_file) {
  for (const Profile& profile : config.profiles) profiles_.push_back(profile.name);
}

Result<std::unique_ptr<Authenticator>> Authenticator::make(const ServerConfig& config) {
  std::unique_ptr<Authenticator> made(new Authenticator(config));
  SOTTO_TRY(made->read(UnknownProfiles::refuse));
  return made;
}

Result<std::vector<std::string>> Authenticator::reload() {
  return read(UnknownProfiles::drop);
}

Result<std::vector<std::string>> Authenticator::read(UnknownProfiles unknown) {
  if (!keys_file_) return {};
  SOTTO_ASSIGN(KeyTable table, KeyTable::read(*keys_file_, secret_file_.value_or(""), profiles_, unknown));
  std::vector<std::string> notes = table.notes();
  auto fresh = std::make_shared<const KeyTable>(std::move(table));
  const std::lock_guard lock(mutex_);
  table_ = std::move(fresh);
  return notes;
}

std::optional<Caller> Authenticator::caller(const std::string& presented) const {
  if (!keys_file_) return Caller{"", profiles_, true, true};
  std::shared_ptr<const KeyTable> table;
  {
    const std::lock_guard lock(mutex_);
    table = table_;
  }
  const ApiKey* key = table->find(presented);
  if (key == nullptr) return std::nullopt;
  return Caller{key->name, key->profiles, key->ledger, key->metrics};
}

KeyUsage& Authenticator::usage(const std::string& key_name) {
  const std::lock_guard lock(mutex_);
  return usage_[key_name];
}

}  // namespace sotto::server

// Who asks, and how much they may ask at once.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <sotto/result.hpp>

#include "config/api_keys.hpp"
#include "config/server_config.hpp"
#include "http/refusal.hpp"

namespace sotto::server {

/// The requests of one key name: how many are under way, and how many may start now. Thread-safe.
class KeyUsage {
 public:
  using Clock = std::chrono::steady_clock;
  /// Counts a request that starts at `now`, or says why it may not.
  std::optional<Refusal> start(const Limits& limits, Clock::time_point now);
  void end();

 private:
  std::mutex mutex_;
  std::size_t under_way_ = 0;
  double tokens_ = -1;  ///< negative: none was taken yet
  Clock::time_point refilled_;
};

/// Thread-safe.
class Authenticator {
 public:
  static Result<std::unique_ptr<Authenticator>> make(const ServerConfig& config);

  bool has_keys() const { return keys_file_.has_value(); }
  /// Whoever presents this key; without keys in the configuration, anybody. Empty: the key is not known.
  std::optional<Caller> caller(const std::string& presented) const;
  /// Of all keys with this name. Lives as long as this object.
  KeyUsage& usage(const std::string& key_name);
  /// Reads the files again. If that fails, the keys stay as they are. Returns notes for the log.
  Result<std::vector<std::string>> reload();

 private:
  Result<std::vector<std::string>> read(UnknownProfiles unknown);
  explicit Authenticator(const ServerConfig& config);

  const std::optional<std::filesystem::path> keys_file_, secret_file_;
  std::vector<std::string> profiles_;
  mutable std::mutex mutex_;
  std::shared_ptr<const KeyTable> table_;
  std::map<std::string, KeyUsage, std::less<>> usage_;
};

}  // namespace sotto::server

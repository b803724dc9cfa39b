// `sotto serve`: the service over HTTP, until a signal ends it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sotto/result.hpp>

#include "config/server_config.hpp"

namespace sotto::server {

struct ServerCallbacks {
  /// Where it listens; called once, when it does.
  std::function<void(const std::vector<std::string>& addresses)> started;
  /// Takes lines for the log; may block.
  std::function<void(std::string_view lines)> log;
  /// A second signal: whatever is under way is to be abandoned. Does not return.
  std::function<void()> abandon;
};

/// Opens models and ledgers, and serves until SIGTERM or SIGINT; then it answers what it has taken. SIGHUP
/// makes it read keys and certificates again. An error if it cannot start, or if some requests were not
/// answered within limits.drain_time.
Result<void> run(const ServerConfig& config, const ServerCallbacks& callbacks);

}  // namespace sotto::server

// The server without what it serves.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

#include "config/server_config.hpp"
#include "http/handler.hpp"

namespace sotto::server {

class HttpServer {
 public:
  /// Receives lines for the log.
  using WriteLog = std::function<void(std::string_view lines)>;

  /// Listens from now on. `config` and `handler` must outlive it.
  static Result<std::unique_ptr<HttpServer>> start(const ServerConfig& config, RequestHandler& handler,
                                                   WriteLog write_log);
  /// The same as stop(), if it was not called.
  ~HttpServer();

  /// Where it listens, with real ports; the one for metrics comes last.
  std::vector<std::string> addresses() const;
  /// Reads keys and certificates again. What cannot be read stays as it is, and the log says so.
  void reload();
  /// Accepts nothing more, lets the service answer what it has taken, and ends when all answers are sent, or
  /// when limits.drain_time is over. Returns whether all were. What the service has taken is waited for in
  /// any case, because its answers come here.
  bool stop();

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sotto::server

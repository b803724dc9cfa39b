// All routes, without sockets.
#pragma once

#include <memory>
#include <string>

#include <sotto/result.hpp>

#include "config/server_config.hpp"
#include "service/exchange.hpp"

namespace sotto::server {

/// Answers requests. Nothing is returned unprivatized: whatever fails gives an error without text. Safe to
/// use from several threads.
class Service {
 public:
  /// Opens the models and ledgers of all profiles.
  static Result<std::unique_ptr<Service>> make(const ServerConfig& config);
  ~Service();

  Access access(const Request& request) const;
  /// The path of its route, for logs; empty if there is none. A request's own path could hold anything.
  std::string route(const Request& request) const;
  /// Whether handle_lines() answers it; decided by its head.
  bool in_lines(const Request& request) const;
  /// Never blocks for long: work is queued, and `respond` may be called later. A full queue answers 503.
  void handle(Request request, Respond respond);
  /// `request` has no body. Blocks until the exchange has ended.
  void handle_lines(const Request& request, LineExchange& exchange);
  /// From now on /readyz says no, and new work is refused with 503. Returns when all queued work is answered.
  void drain();

  struct Impl;

 private:
  explicit Service(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sotto::server

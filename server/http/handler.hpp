// What the transport calls. The service implements it; tests of the transport use their own.
#pragma once

#include "service/exchange.hpp"

namespace sotto::server {

/// As in service/service.hpp. Safe to use from several threads.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  virtual Access access(const Request& request) const = 0;
  /// The pattern of its path, for logs; empty if there is no such route. Any other path could hold anything.
  virtual std::string route(const Request& request) const = 0;
  virtual bool in_lines(const Request& request) const = 0;
  virtual void handle(Request request, Respond respond) = 0;
  virtual void handle_lines(const Request& request, LineExchange& exchange) = 0;
  virtual void drain() = 0;
};

}  // namespace sotto::server

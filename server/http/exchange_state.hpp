// A request under way and its answer.
#pragma once

#include "http/connection.hpp"

namespace sotto::server {

struct Connection::Exchange {
  explicit Exchange(MemoryBudget& budget) : share(budget) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() {
    if (usage != nullptr) usage->end();
  }

  boost::beast::http::request_parser<GrowingBody> parser;
  RequestHead head;
  bool well_formed = false;  ///< so it is known where the next request begins
  bool in_lines = false;     ///< whether the service exchanges lines instead of bodies
  std::optional<Response> answered_here;
  MemoryBudget::Share share;
  KeyUsage* usage = nullptr;  ///< where this request is counted
  std::string lines;          ///< of a body in lines: received, and not yet taken
  std::string traceparent;    ///< passed back
  AccessEntry entry;          ///< grows with what is known of the request
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

}  // namespace sotto::server

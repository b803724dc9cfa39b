// What all connections share.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>

#include <boost/asio/executor_work_guard.hpp>

#include "http/access_log.hpp"
#include "http/authenticator.hpp"
#include "http/byte_stream.hpp"
#include "http/handler.hpp"
#include "http/memory_budget.hpp"

namespace sotto::server {

/// How many of something there are; one can wait until there are none. Thread-safe.
class Tally {
 public:
  /// False if there are `most` already.
  bool enter(std::size_t most) {
    const std::lock_guard lock(mutex_);
    if (count_ >= most) return false;
    ++count_;
    return true;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    if (--count_ == 0) empty_.notify_all();
  }
  bool wait_empty(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    return empty_.wait_until(lock, deadline, [&] { return count_ == 0; });
  }
  std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable empty_;
  std::size_t count_ = 0;
};

struct TransportState {
  TransportState(const ServerConfig& server_config, RequestHandler& request_handler, AccessLog& access_log,
                 Authenticator& key_authenticator)
      : config(server_config),
        handler(request_handler),
        log(access_log),
        authenticator(key_authenticator),
        bodies(server_config.limits.bodies_bytes) {}

  const ServerConfig& config;
  RequestHandler& handler;
  AccessLog& log;
  Authenticator& authenticator;
  MemoryBudget bodies;
  Tally connections, streams;
  std::atomic<bool> draining{false};
};

class Connection;

/// A thread that serves connections.
struct Loop {
  std::unordered_set<Connection*> connections;  ///< used by its thread only; outlives what it lists
  asio::io_context context{1};
  asio::executor_work_guard<LoopExecutor> work{context.get_executor()};
  std::thread thread;
};

/// What a listener determines for its connections.
struct ListenerTraits {
  bool metrics = false;  ///< serves only figures and health
  bool guarded = false;  ///< without keys, on TCP: web pages could reach it
};

}  // namespace sotto::server

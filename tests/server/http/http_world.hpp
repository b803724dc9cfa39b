// A server over real sockets with a service that has no models, and clients that may misbehave.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/config_reader.hpp"
#include "http/http_server.hpp"

namespace sotto::server {

/// GET /fast; POST /echo; GET /slow, answered after release(); GET /drop and /throw, which are never
/// answered; POST /lines, line by line; GET /healthz, open to all; GET /metrics.
class FakeService final : public RequestHandler {
 public:
  Access access(const Request& request) const override;
  std::string route(const Request& request) const override;
  bool in_lines(const Request& request) const override { return request.path == "/lines"; }
  void handle(Request request, Respond respond) override;
  void handle_lines(const Request& request, LineExchange& exchange) override;
  void drain() override;

  void release();
  std::size_t waiting();
  std::size_t handled() const { return handled_; }
  bool drained() const { return drained_; }
  Request last();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Respond> slow_;
  std::atomic<std::size_t> handled_{0};
  std::atomic<bool> drained_{false};
  Request last_;
};

struct Answer {
  unsigned status = 0;
  std::string head;
  std::string body;
  bool complete = false;

  /// In lower case; empty if there is none.
  std::string header(const std::string& name) const;
};

/// A blocking client.
class Client {
 public:
  /// To "127.0.0.1:PORT", "[::1]:PORT" or "unix:PATH".
  explicit Client(const std::string& address);
  Client(Client&& other) noexcept;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  /// False if the server has closed the connection.
  bool send(std::string_view bytes);
  /// The next answer; status 0 if the connection ends before.
  Answer receive(bool of_head = false);
  Answer get(const std::string& path, const std::string& headers = "");
  Answer post(const std::string& path, std::string_view body, const std::string& headers = "");
  /// All that comes until the connection ends, or nothing came for `seconds`.
  std::string rest(double seconds = 5);
  /// Whether the server closes the connection within that time.
  bool is_closed(double seconds = 5);
  void end_output();
  int descriptor() const { return descriptor_; }

 private:
  bool fill(double seconds = 10);
  int descriptor_ = -1;
  std::string received_;
};

class HttpWorld : public ::testing::Test {
 protected:
  HttpWorld();
  /// Starts the server with config_.
  void start();
  const std::string& address(std::size_t index = 0) const { return addresses_.at(index); }
  Client client(std::size_t index = 0) const { return Client(address(index)); }
  std::string log();

  ServerConfig config_ = default_config();
  FakeService service_;

 private:
  std::mutex mutex_;
  std::string log_;
  std::vector<std::string> addresses_;

 protected:
  std::unique_ptr<HttpServer> server_;  // ends before what it uses
};

/// Waits up to ten seconds.
bool eventually(const std::function<bool()>& condition);

}  // namespace sotto::server

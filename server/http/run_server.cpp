#include "http/run_server.hpp"

#include <csignal>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "config/config_reader.hpp"
#include "http/http_server.hpp"
#include "service/service.hpp"

namespace sotto::server {
namespace {

class ServiceHandler final : public RequestHandler {
 public:
  explicit ServiceHandler(Service& service) : service_(service) {}
  Access access(const Request& request) const override { return service_.access(request); }
  std::string route(const Request& request) const override { return service_.route(request); }
  bool in_lines(const Request& request) const override { return service_.in_lines(request); }
  void handle(Request request, Respond respond) override {
    service_.handle(std::move(request), std::move(respond));
  }
  void handle_lines(const Request& request, LineExchange& exchange) override {
    service_.handle_lines(request, exchange);
  }
  void drain() override { service_.drain(); }

 private:
  Service& service_;
};

/// Handles signals on this thread until the server has ended.
class SignalLoop {
 public:
  SignalLoop(HttpServer& server, const ServerCallbacks& callbacks) : server_(server), callbacks_(callbacks) {
    wait_for_end();
    wait_for_reload();
  }
  /// Returns whether everything was answered.
  bool run() {
    context_.run();
    ending_.join();
    return in_time_;
  }

 private:
  void wait_for_end() {
    end_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      if (ending_.joinable()) return callbacks_.abandon();
      ending_ = std::thread([this] {
        in_time_ = server_.stop();
        context_.stop();
      });
      wait_for_end();
    });
  }
  void wait_for_reload() {
    reload_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      server_.reload();
      wait_for_reload();
    });
  }

  HttpServer& server_;
  const ServerCallbacks& callbacks_;
  boost::asio::io_context context_{1};
  boost::asio::signal_set end_{context_, SIGINT, SIGTERM};
  boost::asio::signal_set reload_{context_, SIGHUP};
  std::thread ending_;
  bool in_time_ = false;
};

}  // namespace

Result<void> run(const ServerConfig& config, const ServerCallbacks& callbacks) {
  SOTTO_TRY(validate(config));
  SOTTO_ASSIGN(const auto service, Service::make(config));
  ServiceHandler handler(*service);
  SOTTO_ASSIGN(const auto server, HttpServer::start(config, handler, callbacks.log));
  SignalLoop signals(*server, callbacks);
  callbacks.started(server->addresses());
  if (signals.run()) return {};
  return fail(Errc::limit,
              "ended before every request was answered; limits.drain_time is how long they have");
}

}  // namespace sotto::server

// The server with a handler that does nothing: what bench/serve.py compares `sotto serve` with.
//
//     bench_serve_empty HOST:PORT
//
// Every request is read as usual and answered with an empty object. Runs until it is terminated.
#include <csignal>
#include <cstdio>

#include <sotto/error_text.hpp>

#include "config/config_reader.hpp"
#include "http/http_server.hpp"

namespace sotto::server {
namespace {

class EmptyHandler final : public RequestHandler {
 public:
  Access access(const Request&) const override { return Access::open; }
  std::string route(const Request& request) const override { return request.path; }
  bool in_lines(const Request&) const override { return false; }
  void handle(Request, Respond respond) override { respond({200, "application/json", {}, "{}"}); }
  void handle_lines(const Request&, LineExchange& exchange) override { exchange.refuse({}); }
  void drain() override {}
};

int run(const char* address) {
  sigset_t endings;
  sigemptyset(&endings);
  sigaddset(&endings, SIGTERM);
  sigaddset(&endings, SIGINT);
  pthread_sigmask(SIG_BLOCK, &endings, nullptr);  // before there are threads, which inherit it
  ServerConfig config = default_config();
  config.listen = {address};
  config.log_requests = false;
  EmptyHandler handler;
  const auto server = HttpServer::start(config, handler, [](std::string_view) {});
  if (!server) {
    std::fprintf(stderr, "%s\n", describe(server.error()).c_str());
    return 1;
  }
  int signal = 0;
  sigwait(&endings, &signal);
  return 0;
}

}  // namespace
}  // namespace sotto::server

int main(int argc, char** argv) {
  if (argc == 2) return sotto::server::run(argv[1]);
  std::fprintf(stderr, "usage: bench_serve_empty HOST:PORT\n");
  return 2;
}

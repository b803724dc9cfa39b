#include "http/http_server.hpp"

#include <algorithm>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <sys/socket.h>

#include <sotto/error_text.hpp>

#include "http/connection.hpp"
#include "http/listener.hpp"

namespace sotto::server {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kAbortAgain{1};
constexpr std::size_t kMetricsConnections = 64;  // whatever the others take
constexpr std::string_view kFull =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\nConnection: close\r\n\r\n";

/// Without memory, whatever was to be done is lost, and the rest goes on.
void run_loop(asio::io_context& context) {
  while (true) {
    try {
      context.run();
      return;
    } catch (const std::bad_alloc&) {
    }
  }
}

}  // namespace

struct HttpServer::Impl {
  Impl(const ServerConfig& server_config, RequestHandler& handler, std::unique_ptr<Authenticator> keys,
       WriteLog write_log)
      : config(server_config),
        authenticator(std::move(keys)),
        log(std::move(write_log), server_config.log_requests),
        state(config, handler, log, *authenticator) {}

  Result<void> open_listener(const std::string& text, bool metrics);
  void start_loops();
  Loop& next_loop() { return *loops[next++ % loops.size()]; }
  void serve(Socket socket, Loop& loop, Listener& listener);
  void on_each_loop(const std::function<void(Loop&)>& work);
  void abort_connections();
  void end_loops();
  std::shared_ptr<TlsContext> current_tls() {
    const std::lock_guard lock(tls_mutex);
    return tls;
  }

  const ServerConfig& config;
  std::unique_ptr<Authenticator> authenticator;
  AccessLog log;
  TransportState state;
  Tally metrics_connections;
  std::vector<std::unique_ptr<Loop>> loops;
  std::vector<std::unique_ptr<Listener>> listeners;
  std::size_t next = 0;  // used by the first loop only, which accepts
  std::mutex tls_mutex;
  std::shared_ptr<TlsContext> tls;
  bool stopped = false;
};

Result<void> HttpServer::Impl::open_listener(const std::string& text, bool metrics) {
  SOTTO_ASSIGN(const ListenAddress address,
               parse_listen_address(metrics ? "metrics_listen" : "listen", text));
  const bool guarded = !authenticator->has_keys() && address.is_local() && !address.is_unix();
  SOTTO_ASSIGN(auto listener, Listener::open(*loops.front(), address, {metrics, guarded}));
  listeners.push_back(std::move(listener));
  return {};
}

void HttpServer::Impl::start_loops() {
  for (const auto& listener : listeners)
    asio::co_spawn(loops.front()->context,
                   listener->run([this]() -> Loop& { return next_loop(); },
                                 [this](Socket socket, Loop& loop, Listener& from) {
                                   serve(std::move(socket), loop, from);
                                 },
                                 [this](std::string_view message) { log.note(message); }),
                   asio::detached);
  for (const auto& loop : loops)
    loop->thread = std::thread([&context = loop->context] { run_loop(context); });
}

void HttpServer::Impl::serve(Socket socket, Loop& loop, Listener& listener) {
  const bool metrics = listener.traits().metrics;
  Tally& tally = metrics ? metrics_connections : state.connections;
  const bool plain = !config.tls || listener.address().is_unix();
  if (!tally.enter(metrics ? kMetricsConnections : config.limits.connections)) {
    if (plain) ::send(socket.native_handle(), kFull.data(), kFull.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return;
  }
  std::shared_ptr<void> place(&tally, [](void* taken) { static_cast<Tally*>(taken)->leave(); });
  auto stream = plain ? plain_stream(std::move(socket)) : tls_stream(std::move(socket), current_tls());
  auto connection = std::make_shared<Connection>(state, loop, std::move(stream), listener.traits());
  asio::co_spawn(loop.context, connection->run(), [place, connection](const std::exception_ptr&) mutable {
    connection.reset();
    place.reset();
  });
}

void HttpServer::Impl::on_each_loop(const std::function<void(Loop&)>& work) {
  for (const auto& loop : loops) asio::post(loop->context, [&work_loop = *loop, work] { work(work_loop); });
}

/// Cuts off whatever is left, again and again: a stream that was just about to read goes on until it does.
void HttpServer::Impl::abort_connections() {
  asio::post(loops.front()->context, [this] {
    for (const auto& listener : listeners) listener->close();
  });
  do {
    on_each_loop([](Loop& loop) {
      for (Connection* connection : loop.connections) connection->abort();
    });
  } while (!state.streams.wait_empty(steady_clock::now() + kAbortAgain));
}

void HttpServer::Impl::end_loops() {
  state.connections.wait_empty(steady_clock::now() + kAbortAgain);
  metrics_connections.wait_empty(steady_clock::now() + kAbortAgain);
  for (const auto& loop : loops) loop->context.stop();
  for (const auto& loop : loops)
    if (loop->thread.joinable()) loop->thread.join();
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  if (!impl_->stopped) stop();
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(const ServerConfig& config, RequestHandler& handler,
                                                      WriteLog write_log) {
  SOTTO_ASSIGN(auto authenticator, Authenticator::make(config));
  auto impl = std::make_unique<Impl>(config, handler, std::move(authenticator), std::move(write_log));
  if (config.tls) {
    SOTTO_ASSIGN(impl->tls, open_tls(*config.tls));
  }
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  const unsigned threads = config.threads == 0 ? processors : config.threads;
  for (unsigned i = 0; i < threads; ++i) impl->loops.push_back(std::make_unique<Loop>());
  for (const std::string& address : config.listen) SOTTO_TRY(impl->open_listener(address, false));
  if (config.metrics_listen) SOTTO_TRY(impl->open_listener(*config.metrics_listen, true));
  impl->start_loops();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::vector<std::string> HttpServer::addresses() const {
  std::vector<std::string> names;
  for (const auto& listener : impl_->listeners) names.push_back(listener->name());
  return names;
}

void HttpServer::reload() {
  const auto reloaded = impl_->authenticator->reload();
  if (!reloaded) {
    impl_->log.note("the keys stay as they were: " + describe(reloaded.error()));
  } else if (impl_->authenticator->has_keys()) {
    for (const std::string& note : *reloaded) impl_->log.note(note);
    impl_->log.note("the keys were read again");
  }
  if (!impl_->config.tls) return;
  auto fresh = open_tls(*impl_->config.tls);
  if (!fresh) return impl_->log.note("the certificate stays as it was: " + describe(fresh.error()));
  const std::lock_guard lock(impl_->tls_mutex);
  impl_->tls = std::move(*fresh);
}

bool HttpServer::stop() {
  const auto deadline = steady_clock::now() + impl_->config.limits.drain_time;
  impl_->stopped = true;
  impl_->state.draining = true;
  asio::post(impl_->loops.front()->context, [impl = impl_.get()] {
    for (const auto& listener : impl->listeners)
      if (!listener->traits().metrics) listener->close();
  });
  std::thread service([&] { impl_->state.handler.drain(); });
  impl_->on_each_loop([](Loop& loop) {
    for (Connection* connection : loop.connections) connection->close_if_idle();
  });
  const bool in_time = impl_->state.connections.wait_empty(deadline);
  impl_->abort_connections();
  service.join();
  impl_->end_loops();
  return in_time;
}

}  // namespace sotto::server

#include "http/listener.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sotto::server {
namespace {

using Endpoint = asio::generic::stream_protocol::endpoint;
using ErrorCode = boost::system::error_code;

constexpr std::chrono::milliseconds kPause{100};
constexpr std::chrono::seconds kBetweenNotes{60};
constexpr int kBacklog = 4096;

Endpoint endpoint_of(const ListenAddress& address) {
  if (address.is_unix()) return asio::local::stream_protocol::endpoint(address.path);
  return asio::ip::tcp::endpoint(asio::ip::make_address(address.host), address.port);
}

std::string spelled(const ListenAddress& address, std::uint16_t port) {
  if (address.is_unix()) return "unix:" + address.path;
  const bool v6 = address.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", address.host, v6 ? "]" : "", port);
}

/// Removes a socket to which nobody listens any more.
void remove_dead_socket(Loop& loop, const ListenAddress& address) {
  struct stat status {};
  if (::lstat(address.path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
  Socket probe(loop.context);
  ErrorCode error;
  probe.connect(endpoint_of(address), error);
  if (error == boost::system::errc::connection_refused) ::unlink(address.path.c_str());
}

bool is_shortage(const ErrorCode& error) {
  namespace errc = boost::system::errc;
  return error == errc::too_many_files_open || error == errc::too_many_files_open_in_system ||
         error == errc::no_buffer_space || error == errc::not_enough_memory;
}

}  // namespace

Listener::Listener(Loop& loop, ListenAddress address, ListenerTraits traits)
    : loop_(loop), address_(std::move(address)), traits_(traits), acceptor_(loop.context.get_executor()) {}

Result<std::unique_ptr<Listener>> Listener::open(Loop& loop, const ListenAddress& address,
                                                 ListenerTraits traits) {
  std::unique_ptr<Listener> made(new Listener(loop, address, traits));
  if (address.is_unix()) remove_dead_socket(loop, address);
  const Endpoint endpoint = endpoint_of(address);
  ErrorCode error;
  made->acceptor_.open(endpoint.protocol(), error);
  if (!error && !address.is_unix()) made->acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error && endpoint.protocol().family() == AF_INET6)
    made->acceptor_.set_option(asio::ip::v6_only(true), error);
  if (!error) made->acceptor_.bind(endpoint, error);
  made->owns_path_ = !error && address.is_unix();
  if (!error) made->acceptor_.listen(kBacklog, error);
  if (error)
    return fail_parameter(
        "listen", "", fmt::format("cannot listen on {}: {}", spelled(address, address.port), error.message()),
        Errc::io);
  return made;
}

Listener::~Listener() {
  if (owns_path_) ::unlink(address_.path.c_str());
}

std::string Listener::name() const {
  if (address_.is_unix()) return spelled(address_, 0);
  ErrorCode ignored;
  const Endpoint bound = acceptor_.local_endpoint(ignored);
  asio::ip::tcp::endpoint typed;
  typed.resize(bound.size());
  std::memcpy(typed.data(), bound.data(), bound.size());
  return spelled(address_, typed.port());
}

Task<void> Listener::run(NextLoop next_loop, Accept accept, std::function<void(std::string_view)> note) {
  auto next_note = std::chrono::steady_clock::now();
  asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>,
                             LoopExecutor>
      pause(loop_.context.get_executor());
  while (acceptor_.is_open()) {
    Loop& target = next_loop();
    auto [error, socket] = co_await acceptor_.async_accept(target.context.get_executor(), kTupleTask);
    if (!error) {
      try {
        accept(std::move(socket), target, *this);
      } catch (const std::bad_alloc&) {  // this connection is lost, and the next one may find memory
      }
      continue;
    }
    if (!is_shortage(error)) continue;  // a client that left already, or close()
    if (const auto now = std::chrono::steady_clock::now(); now >= next_note) {
      note("no connection can be accepted: " + error.message());
      next_note = now + kBetweenNotes;
    }
    pause.expires_after(kPause);
    co_await pause.async_wait(kTupleTask);
  }
}

void Listener::close() {
  ErrorCode ignored;
  acceptor_.close(ignored);
}

}  // namespace sotto::server

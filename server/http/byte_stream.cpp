#include "http/byte_stream.hpp"

#include <array>
#include <string>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include "config/private_file.hpp"

namespace sotto::server {
namespace {

namespace ssl = boost::asio::ssl;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kJoined = std::size_t{16} << 10;  // what one record of TLS holds

/// Cancels what a socket is doing when its time is over. One wait is under way at a time, and a later
/// deadline leaves it as it is: most requests end long before.
class Deadline : public std::enable_shared_from_this<Deadline> {
 public:
  explicit Deadline(Socket& socket) : socket_(&socket), timer_(socket.get_executor()) {}

  void set(Clock::duration time) {
    expired_ = false;
    at_ = Clock::now() + time;
    if (waits_ && timer_.expiry() <= at_) return;
    timer_.expires_at(at_);
    wait();
  }
  bool expired() const { return expired_; }
  /// The socket is about to go.
  void forget() {
    socket_ = nullptr;
    timer_.cancel();
  }

 private:
  void wait() {
    waits_ = true;
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error && self->socket_ != nullptr) self->look();
    });
  }
  void look() {
    waits_ = false;
    if (Clock::now() < at_) {
      timer_.expires_at(at_);
      return wait();
    }
    expired_ = true;
    boost::system::error_code ignored;
    socket_->cancel(ignored);
  }

  Socket* socket_;
  asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, LoopExecutor> timer_;
  Clock::time_point at_;
  bool waits_ = false;
  bool expired_ = false;
};

/// `Stream` is a socket, or TLS over one.
template <class Stream>
class StreamBase : public ByteStream {
 public:
  template <class... Arguments>
  explicit StreamBase(Arguments&&... arguments)
      : stream_(std::forward<Arguments>(arguments)...), deadline_(std::make_shared<Deadline>(socket())) {
    boost::system::error_code ignored;  // there is no such option on a unix socket
    socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  }
  ~StreamBase() override { deadline_->forget(); }

  Task<IoResult> read(asio::mutable_buffer buffer) override {
    const auto [error, size] = co_await stream_.async_read_some(buffer, kTupleTask);
    co_return IoResult{error, size, deadline_->expired()};
  }

  Task<IoResult> write(std::span<const asio::const_buffer> buffers) override {
    const auto [error, size] = co_await asio::async_write(stream_, buffers, kTupleTask);
    co_return IoResult{error, size, deadline_->expired()};
  }

  void expires_after(Clock::duration time) override { deadline_->set(time); }
  void cancel() override {
    boost::system::error_code ignored;
    socket().cancel(ignored);
  }
  void close() override {
    boost::system::error_code ignored;
    socket().close(ignored);
  }

 protected:
  Socket& socket() {
    if constexpr (std::is_same_v<Stream, Socket>)
      return stream_;
    else
      return stream_.next_layer();
  }

  Stream stream_;

 private:
  std::shared_ptr<Deadline> deadline_;
};

class PlainByteStream final : public StreamBase<Socket> {
 public:
  using StreamBase::StreamBase;
  Task<bool> handshake() override { co_return true; }
  Task<void> end_output() override {
    boost::system::error_code ignored;
    stream_.shutdown(asio::socket_base::shutdown_send, ignored);
    co_return;
  }
};

class TlsByteStream final : public StreamBase<ssl::stream<Socket>> {
 public:
  TlsByteStream(Socket socket, std::shared_ptr<TlsContext> context)
      : StreamBase(std::move(socket), *context), context_(std::move(context)) {}

  Task<bool> handshake() override {
    const auto [error] = co_await stream_.async_handshake(ssl::stream_base::server, kTupleTask);
    co_return !error;
  }
  /// Each buffer would be a record of its own, sent by itself.
  Task<IoResult> write(std::span<const asio::const_buffer> buffers) override {
    std::string joined;
    for (const asio::const_buffer& buffer : buffers) {
      if (joined.size() + buffer.size() > kJoined) break;
      joined.append(static_cast<const char*>(buffer.data()), buffer.size());
    }
    const std::array<asio::const_buffer, 1> one = {asio::buffer(joined)};
    const bool fits = joined.size() == asio::buffer_size(buffers);
    const std::span<const asio::const_buffer> chosen =
        fits ? std::span<const asio::const_buffer>(one) : buffers;
    co_return co_await StreamBase::write(chosen);
  }
  Task<void> end_output() override { co_await stream_.async_shutdown(kTupleTask); }

 private:
  std::shared_ptr<TlsContext> context_;
};

/// "http/1.1" is all that is spoken; a client that offers others only is refused.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                    unsigned int offered_size, void*) {
  static constexpr unsigned char kHttp11[] = "\x08http/1.1";
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, size, kHttp11, sizeof kHttp11 - 1, offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

std::unique_ptr<ByteStream> plain_stream(Socket socket) {
  return std::make_unique<PlainByteStream>(std::move(socket));
}

std::unique_ptr<ByteStream> tls_stream(Socket socket, std::shared_ptr<TlsContext> context) {
  return std::make_unique<TlsByteStream>(std::move(socket), std::move(context));
}

Result<std::shared_ptr<TlsContext>> open_tls(const TlsFiles& files) {
  SOTTO_TRY(check_private_file(files.key));
  auto context = std::make_shared<TlsContext>(TlsContext::tls_server);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_alpn_select_cb(context->native_handle(), choose_protocol, nullptr);
  boost::system::error_code error;
  context->use_certificate_chain_file(files.certificate.string(), error);
  if (error)
    return fail_parameter(
        "tls.certificate", files.certificate.string(),
        fmt::format("cannot use {} as a certificate chain: {}", files.certificate.string(), error.message()));
  context->use_private_key_file(files.key.string(), TlsContext::pem, error);
  if (error)
    return fail_parameter(
        "tls.key", files.key.string(),
        fmt::format("cannot use {} as a private key: {}", files.key.string(), error.message()));
  return context;
}

}  // namespace sotto::server

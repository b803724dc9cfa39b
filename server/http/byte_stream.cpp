#include "http/byte_stream.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <fmt/format.h>

namespace sotto::server {
namespace {

namespace beast = boost::beast;
namespace ssl = boost::asio::ssl;

using TimedStream = beast::basic_stream<asio::generic::stream_protocol, LoopExecutor>;

template <class Stream>
class StreamBase : public ByteStream {
 public:
  template <class... Arguments>
  explicit StreamBase(Arguments&&... arguments) : stream_(std::forward<Arguments>(arguments)...) {
    boost::system::error_code ignored;  // there is no such option on a unix socket
    lowest().socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  }

  Task<IoResult> read(asio::mutable_buffer buffer) override {
    const auto [error, size] = co_await stream_.async_read_some(buffer, kTupleTask);
    co_return IoResult{error, size};
  }

  Task<IoResult> write(std::span<const asio::const_buffer> buffers) override {
    const auto [error, size] = co_await asio::async_write(stream_, buffers, kTupleTask);
    co_return IoResult{error, size};
  }

  void expires_after(std::chrono::steady_clock::duration time) override { lowest().expires_after(time); }
  void cancel() override { lowest().cancel(); }
  void close() override { lowest().close(); }

 protected:
  TimedStream& lowest() { return beast::get_lowest_layer(stream_); }
  Stream stream_;
};

class PlainByteStream final : public StreamBase<TimedStream> {
 public:
  using StreamBase::StreamBase;
  Task<bool> handshake() override { co_return true; }
  Task<void> end_output() override {
    boost::system::error_code ignored;
    stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
    co_return;
  }
};

class TlsByteStream final : public StreamBase<beast::ssl_stream<TimedStream>> {
 public:
  TlsByteStream(Socket socket, std::shared_ptr<TlsContext> context)
      : StreamBase(std::move(socket), *context), context_(std::move(context)) {}

  Task<bool> handshake() override {
    const auto [error] = co_await stream_.async_handshake(ssl::stream_base::server, kTupleTask);
    co_return !error;
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

bool IoResult::timed_out() const {
  return error == beast::error::timeout;
}

std::unique_ptr<ByteStream> plain_stream(Socket socket) {
  return std::make_unique<PlainByteStream>(std::move(socket));
}

std::unique_ptr<ByteStream> tls_stream(Socket socket, std::shared_ptr<TlsContext> context) {
  return std::make_unique<TlsByteStream>(std::move(socket), std::move(context));
}

Result<std::shared_ptr<TlsContext>> open_tls(const TlsFiles& files) {
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
  if (!error && SSL_CTX_check_private_key(context->native_handle()) != 1)
    return fail_parameter("tls.key", files.key.string(),
                          fmt::format("{} is not the key of the certificate", files.key.string()));
  if (error)
    return fail_parameter(
        "tls.key", files.key.string(),
        fmt::format("cannot use {} as a private key: {}", files.key.string(), error.message()));
  return context;
}

}  // namespace sotto::server

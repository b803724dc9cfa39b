// A connection as bytes: TCP or a unix socket, with or without TLS, with deadlines.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sotto/result.hpp>

#include "config/server_config.hpp"

namespace sotto::server {

namespace asio = boost::asio;

/// Each thread has a loop of its own, so what belongs to a connection needs no lock.
using LoopExecutor = asio::io_context::executor_type;
template <class T>
using Task = asio::awaitable<T, LoopExecutor>;
inline constexpr asio::use_awaitable_t<LoopExecutor> kTask;
inline constexpr asio::as_tuple_t<asio::use_awaitable_t<LoopExecutor>> kTupleTask{kTask};

using Socket = asio::basic_stream_socket<asio::generic::stream_protocol, LoopExecutor>;
using TlsContext = asio::ssl::context;

struct IoResult {
  boost::system::error_code error;
  std::size_t size = 0;
  bool timed_out = false;
};

/// To be used by its loop's thread only; one operation at a time.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Returns whether bytes can be exchanged.
  virtual Task<bool> handshake() = 0;
  virtual Task<IoResult> read(asio::mutable_buffer buffer) = 0;
  virtual Task<IoResult> write(std::span<const asio::const_buffer> buffers) = 0;
  /// Says that nothing more will be sent.
  virtual Task<void> end_output() = 0;
  /// From now, for all that follows until it is called again. Once it is over, the operation under way ends
  /// with an error; after another call, the other side can still be told.
  virtual void expires_after(std::chrono::steady_clock::duration time) = 0;
  virtual void cancel() = 0;
  virtual void close() = 0;
};

std::unique_ptr<ByteStream> plain_stream(Socket socket);
std::unique_ptr<ByteStream> tls_stream(Socket socket, std::shared_ptr<TlsContext> context);

/// TLS 1.2 or later, with the certificate chain and key of the files.
Result<std::shared_ptr<TlsContext>> open_tls(const TlsFiles& files);

}  // namespace sotto::server

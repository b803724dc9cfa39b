#include "http/line_bridge.hpp"

#include <future>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/format.h>

#include "http/exchange_state.hpp"

namespace sotto::server {
namespace {

constexpr std::size_t kLinesRead = std::size_t{64} << 10;

tl::unexpected<Error> gone() {
  return sotto::fail(Errc::io, "the client is gone or too slow");
}

/// The whole lines at the beginning of `received`, of at most `most` bytes unless the first is longer.
std::size_t whole_lines(std::string_view received, std::size_t most) {
  const std::size_t first = received.find('\n');
  if (first == std::string_view::npos) return 0;
  if (first >= most) return first + 1;
  return received.rfind('\n', most - 1) + 1;
}

/// Calls its handler once, with the service's response or, if it was dropped, with an error.
template <class Handler>
class PendingAnswer {
 public:
  PendingAnswer(LoopExecutor executor, Handler handler) : executor_(executor), handler_(std::move(handler)) {}
  PendingAnswer(const PendingAnswer&) = delete;
  PendingAnswer& operator=(const PendingAnswer&) = delete;
  ~PendingAnswer() {
    if (!answered_) give(response_to({500, "unavailable", "the request was not answered"}));
  }
  void give(Response response) {
    if (answered_.exchange(true)) return;
    asio::post(executor_, [handler = std::move(handler_), response = std::move(response)]() mutable {
      std::move(handler)(std::move(response));
    });
  }

 private:
  LoopExecutor executor_;
  Handler handler_;
  std::atomic<bool> answered_{false};
};

}  // namespace

Result<void> LineBridge::read(std::string& lines, std::size_t most) {
  return asio::co_spawn(connection_.executor(), connection_.read_lines(&lines, most), asio::use_future).get();
}

Result<void> LineBridge::write(std::string_view lines) {
  if (state_ == StreamState::refused || state_ == StreamState::broken) return gone();
  if (lines.empty()) return {};
  const bool first = state_ == StreamState::fresh;
  state_ = StreamState::open;
  auto written =
      asio::co_spawn(connection_.executor(), connection_.write_lines(lines, first), asio::use_future).get();
  if (!written) state_ = StreamState::broken;
  return written;
}

void LineBridge::refuse(Response response) {
  if (state_ != StreamState::fresh) return;
  state_ = StreamState::refused;
  refusal_ = std::move(response);
}

void LineBridge::fail(std::string_view line) {
  static_cast<void>(write(line));
  if (state_ == StreamState::open) state_ = StreamState::broken;
}

Task<Result<void>> Connection::read_lines(std::string* lines, std::size_t most) {
  Exchange& exchange = *exchange_;
  std::string& received = exchange.lines;
  stream_->expires_after(state_.config.limits.body_time);
  exchange.parser.eager(true);
  if (!co_await invite_body()) co_return gone();
  while (received.find('\n') == std::string::npos && !exchange.parser.is_done()) {
    std::optional<Refusal> refusal;
    bool wants_more = buffer_.empty();
    if (!wants_more) refusal = parse_body_part(&wants_more);
    if (refusal) co_return sotto::fail(Errc::limit, std::string(refusal->message));
    received += std::exchange(exchange.parser.get().body(), {});
    if (received.size() > state_.config.limits.body_bytes + kLinesRead)
      co_return sotto::fail(Errc::limit, "a line is longer than a body may be");
    if (!wants_more || received.find('\n') != std::string::npos) continue;
    const IoResult got = co_await fill(kLinesRead);
    if (got.error) co_return gone();
  }
  const std::size_t whole = whole_lines(received, most);
  const std::size_t taken = whole == 0 ? received.size() : whole;
  lines->append(received, 0, taken);
  received.erase(0, taken);
  co_return Result<void>();
}

Task<Result<void>> Connection::write_lines(std::string_view lines, bool first) {
  std::string framed;
  if (first) {
    ending_ = ending_ || state_.draining;
    Response response;
    response.content_type = "application/x-ndjson";
    framed = response_head(response, "Transfer-Encoding: chunked\r\n");
  }
  fmt::format_to(std::back_inserter(framed), "{:x}\r\n", lines.size());
  framed.append(lines).append("\r\n");
  stream_->expires_after(state_.config.limits.body_time);
  const IoResult put = co_await write(framed, "");
  if (put.error) co_return gone();
  co_return Result<void>();
}

Task<void> Connection::answer_lines() {
  if (exchange_->head.http_1_0) {
    Response response = response_to({505, "invalid_argument", "a stream of lines needs HTTP/1.1"});
    co_await send(std::move(response));
    co_return;
  }
  LineBridge bridge(*this);
  const bool ran = co_await run_stream(&bridge);
  const StreamState state = bridge.state();
  ending_ = ending_ || state == StreamState::broken || !exchange_->parser.is_done();
  if (state == StreamState::open) {
    const IoResult put = co_await write("0\r\n\r\n", "");
    ending_ = ending_ || put.error;
  } else if (state != StreamState::broken) {
    Response response = bridge.take_refusal();
    if (state == StreamState::fresh)
      response = ran ? response_to({500, "unavailable", "the request was not answered"})
                     : response_to({503, "overloaded", "too many streams at once", 1});
    co_await send(std::move(response));
  }
}

/// Runs the service's part on a thread of its own; false if there are too many.
Task<bool> Connection::run_stream(LineBridge* bridge) {
  if (!state_.streams.enter(state_.config.limits.streams)) co_return false;
  auto start = [this, bridge](auto handler) {
    auto shared = std::make_shared<decltype(handler)>(std::move(handler));
    const auto done = [this, shared](bool ran) {
      asio::post(executor(), [shared, ran] { std::move (*shared)(ran); });
    };
    TransportState& state = state_;
    try {
      std::thread([&state, done, bridge, &request = exchange_->head.request] {
        try {
          state.handler.handle_lines(request, *bridge);
        } catch (const std::exception&) {
          bridge->fail("");
        }
        done(true);
        state.streams.leave();
      }).detach();
    } catch (const std::system_error&) {
      state.streams.leave();
      done(false);
    }
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<LoopExecutor>, void(bool)>(
      std::move(start), kTask);
}

Task<Response> Connection::ask_service() {
  auto start = [this](auto handler) {
    auto pending = std::make_shared<PendingAnswer<decltype(handler)>>(executor(), std::move(handler));
    try {
      state_.handler.handle(std::move(exchange_->head.request),
                            [pending](Response response) { pending->give(std::move(response)); });
    } catch (const std::exception&) {
      pending->give(response_to({500, "unavailable", "the request was not answered"}));
    }
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<LoopExecutor>, void(Response)>(
      std::move(start), kTask);
}

}  // namespace sotto::server

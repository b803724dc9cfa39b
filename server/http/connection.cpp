#include "http/connection.hpp"

#include <algorithm>
#include <array>

#include <boost/beast/http/error.hpp>
#include <fmt/format.h>

#include "http/exchange_state.hpp"
#include "http/local_guard.hpp"

namespace sotto::server {
namespace {

namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kFirstRead = 4096;
constexpr std::size_t kBodyRead = std::size_t{64} << 10;
constexpr std::chrono::seconds kLinger{2};
constexpr std::array<std::string_view, 3> kMetricsListenerPaths = {"/metrics", "/healthz", "/readyz"};

constexpr Refusal kMalformed{400, "invalid_argument", "this is not a well-formed HTTP/1.1 request"};
constexpr Refusal kHeadTooLarge{431, "too_large", "the head of the request is too large"};
constexpr Refusal kBodyTooLarge{413, "too_large", "the body is larger than this server takes"};
constexpr Refusal kTooSlow{408, "invalid_argument", "the request did not arrive in time"};
constexpr Refusal kNoMemory{503, "overloaded", "too many bodies at once", 1};

}  // namespace

Connection::Connection(TransportState& state, Loop& loop, std::unique_ptr<ByteStream> stream,
                       ListenerTraits traits)
    : state_(state), loop_(loop), stream_(std::move(stream)), traits_(traits) {}

Connection::~Connection() {
  loop_.connections.erase(this);
}

Task<void> Connection::run() {
  const auto self = shared_from_this();
  loop_.connections.insert(this);
  stream_->expires_after(state_.config.limits.header_time);
  bool goes_on = co_await stream_->handshake();
  while (goes_on) goes_on = co_await serve_one();
  co_await finish();
  exchange_.reset();
}

void Connection::close_if_idle() {
  if (idle_) stream_->cancel();
}

void Connection::abort() {
  stream_->close();
}

Task<bool> Connection::serve_one() {
  exchange_.reset();  // before waiting: an idle connection holds little
  idle_ = buffer_.empty();
  if (idle_) buffer_ = std::string();
  exchange_ = std::make_unique<Exchange>(state_.bodies);
  std::optional<Refusal> refusal;
  if (!co_await read_head(&refusal)) co_return false;
  if (!refusal) refusal = admit();
  const bool in_lines = exchange_->in_lines;
  if (!refusal && !in_lines && !co_await read_body(&refusal)) co_return false;
  if (refusal) {
    ending_ = ending_ || !exchange_->parser.is_done();
    Response response = response_to(*refusal);
    co_await send(std::move(response));
  } else if (in_lines) {
    co_await answer_lines();
  } else {
    co_await answer();
  }
  log_exchange();
  served_ = true;
  co_return !ending_;
}

Task<bool> Connection::read_head(std::optional<Refusal>* refusal) {
  const Limits& limits = state_.config.limits;
  stream_->expires_after(idle_ && served_ ? limits.idle_time : limits.header_time);
  HeadScanner scanner;
  while (true) {
    const HeadScanner::State found = scanner.scan(buffer_);
    exchange_->start = idle_ ? Clock::now() : exchange_->start;
    if (found == HeadScanner::State::malformed) *refusal = kMalformed;
    if (found == HeadScanner::State::complete) *refusal = parse_head(scanner.size());
    if (found == HeadScanner::State::incomplete && buffer_.size() >= limits.header_bytes)
      *refusal = kHeadTooLarge;
    if (found == HeadScanner::State::complete || *refusal) break;
    if (buffer_.empty() && state_.draining && !traits_.metrics) co_return false;
    const IoResult got = co_await fill(kFirstRead);
    if (got.error && (idle_ || !got.timed_out)) co_return false;
    if (got.error) *refusal = kTooSlow;
    if (got.error) break;
    if (idle_) stream_->expires_after(limits.header_time);
    idle_ = false;
  }
  idle_ = false;
  co_return true;
}

std::optional<Refusal> Connection::parse_head(std::size_t size) {
  if (size > state_.config.limits.header_bytes) return kHeadTooLarge;
  Exchange& exchange = *exchange_;
  exchange.parser.header_limit(static_cast<std::uint32_t>(std::min<std::size_t>(size, UINT32_MAX)));
  exchange.parser.body_limit(boost::none);
  exchange.parser.eager(false);
  boost::system::error_code error;
  exchange.parser.put(asio::buffer(buffer_.data(), size), error);
  if (error || !exchange.parser.is_header_done()) return kMalformed;
  buffer_.erase(0, size);
  auto refusal = examine(exchange.parser.get().base(), exchange.head);
  exchange.well_formed = !refusal;
  note_request();
  return refusal;
}

/// The service takes the request; what its answer and its line in the log need stays here.
void Connection::note_request() {
  const Request& request = exchange_->head.request;
  AccessEntry& entry = exchange_->entry;
  const bool usual = request.method == "GET" || request.method == "POST" || request.method == "OPTIONS";
  entry.method = exchange_->head.is_head ? "HEAD" : usual ? request.method : "-";
  entry.id = request.id;
  if (!exchange_->well_formed) return;
  if (std::string route = state_.handler.route(request); !route.empty()) entry.path = std::move(route);
  for (const auto& [name, value] : request.headers)
    if (name == "traceparent") exchange_->traceparent = value;
}

std::optional<Refusal> Connection::admit() {
  Exchange& exchange = *exchange_;
  Request& request = exchange.head.request;
  ending_ = ending_ || exchange.head.http_1_0 || !exchange.parser.keep_alive();
  if (traits_.guarded)
    if (auto refusal = refuse_foreign(exchange.head)) return refusal;
  if (auto refusal = check_caller()) return refusal;
  exchange.entry.key_name = request.caller.key_name;
  if (request.method == "OPTIONS")
    exchange.answered_here = Response{204, "", {{"Allow", "GET, HEAD, POST, OPTIONS"}}, ""};
  else if (state_.handler.in_lines(request))
    exchange.in_lines = true;
  const auto length = exchange.parser.content_length();
  if (!exchange.in_lines && length && *length > state_.config.limits.body_bytes) return kBodyTooLarge;
  if (!exchange.in_lines) exchange.parser.body_limit(state_.config.limits.body_bytes);
  return std::nullopt;
}

std::optional<Refusal> Connection::check_caller() {
  Exchange& exchange = *exchange_;
  Request& request = exchange.head.request;
  if (traits_.metrics) {
    const auto& paths = kMetricsListenerPaths;
    if (std::find(paths.begin(), paths.end(), request.path) == paths.end())
      return Refusal{404, "not_found", "this address serves /metrics, /healthz and /readyz"};
    request.caller.metrics = true;
    return std::nullopt;
  }
  const Access access = state_.handler.access(request);
  const auto caller = state_.authenticator.caller(exchange.head.presented_key);
  if (caller) request.caller = *caller;
  if (access == Access::open) return std::nullopt;
  if (!caller) return Refusal{401, "unauthorized", "an API key is needed: Authorization: Bearer KEY"};
  if (access == Access::metrics && !caller->metrics)
    return Refusal{403, "forbidden", "this key may not read the metrics"};
  KeyUsage& usage = state_.authenticator.usage(caller->key_name);
  if (auto refusal = usage.start(state_.config.limits, Clock::now())) return refusal;
  exchange.usage = &usage;
  return std::nullopt;
}

Task<bool> Connection::invite_body() {
  Exchange& exchange = *exchange_;
  if (!exchange.head.expects_continue || exchange.parser.is_done() || !buffer_.empty()) co_return true;
  exchange.head.expects_continue = false;
  const IoResult put = co_await write("HTTP/1.1 100 Continue\r\n\r\n", "");
  co_return !put.error;
}

Task<bool> Connection::read_body(std::optional<Refusal>* refusal) {
  Exchange& exchange = *exchange_;
  stream_->expires_after(state_.config.limits.body_time);
  exchange.parser.eager(true);
  if (!co_await invite_body()) co_return false;
  while (!exchange.parser.is_done()) {
    const IoResult got = co_await read_body_part(refusal);
    if (got.error && !got.timed_out) co_return false;
    if (got.error) *refusal = kTooSlow;
    if (*refusal) break;
  }
  exchange.head.request.body = std::move(exchange.parser.get().body());
  co_return true;
}

Task<IoResult> Connection::read_body_part(std::optional<Refusal>* refusal) {
  bool wants_more = buffer_.empty();
  if (!wants_more) *refusal = parse_body_part(&wants_more);
  if (*refusal || !wants_more) co_return IoResult{};
  co_return co_await fill(kBodyRead);
}

/// The rest of a chunk's header may be missing: then `wants_more`.
std::optional<Refusal> Connection::parse_body_part(bool* wants_more) {
  Exchange& exchange = *exchange_;
  boost::system::error_code error;
  const std::size_t used = exchange.parser.put(asio::buffer(buffer_), error);
  buffer_.erase(0, used);
  *wants_more = !exchange.parser.is_done() && (error == http::error::need_more || buffer_.empty());
  if (error == http::error::body_limit) return kBodyTooLarge;
  if (error && error != http::error::need_more) return kMalformed;
  if (error && buffer_.size() > state_.config.limits.header_bytes) return kMalformed;
  const std::size_t held =
      exchange.parser.get().body().capacity() + exchange.lines.capacity() + buffer_.capacity();
  if (!exchange.share.grow_to(held)) return kNoMemory;
  return std::nullopt;
}

Task<void> Connection::answer() {
  Response response;
  if (exchange_->answered_here)
    response = std::move(*exchange_->answered_here);
  else
    response = co_await ask_service();
  co_await send(std::move(response));
}

Task<void> Connection::send(Response response) {
  Exchange& exchange = *exchange_;
  exchange.share.add(response.body.size());
  ending_ = ending_ || state_.draining || !exchange.well_formed;
  const bool empty = response.status == 204 || response.status == 304;
  const std::string head =
      response_head(response, empty ? "" : fmt::format("Content-Length: {}\r\n", response.body.size()));
  stream_->expires_after(state_.config.limits.body_time);
  const std::string_view body = empty || exchange.head.is_head ? std::string_view() : response.body;
  const IoResult put = co_await write(head, body);
  ending_ = ending_ || put.error;
}

std::string Connection::response_head(const Response& response, std::string_view framing) {
  const Exchange& exchange = *exchange_;
  exchange_->entry.status = response.status;
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\n{}", response.status, reason_phrase(response.status), framing);
  const auto add = [&](std::string_view name, std::string_view value) {
    const bool sound = std::none_of(value.begin(), value.end(), [](unsigned char c) { return c < ' '; });
    if (sound) fmt::format_to(std::back_inserter(head), "{}: {}\r\n", name, value);
  };
  bool cacheable = false;
  if (!response.content_type.empty()) add("Content-Type", response.content_type);
  for (const auto& [name, value] : response.headers) {
    add(name, value);
    cacheable = cacheable || name == "Cache-Control" || name == "cache-control";
  }
  if (!cacheable) add("Cache-Control", "no-store");
  add("X-Content-Type-Options", "nosniff");
  if (!exchange.entry.id.empty()) add("X-Request-Id", exchange.entry.id);
  if (!exchange.traceparent.empty()) add("traceparent", exchange.traceparent);
  if (ending_) add("Connection", "close");
  return head + "\r\n";
}

Task<IoResult> Connection::write(std::string_view head, std::string_view body) {
  const std::array<asio::const_buffer, 2> buffers = {asio::buffer(head), asio::buffer(body)};
  const IoResult put = co_await stream_->write(buffers);
  exchange_->entry.bytes_out += put.size;
  co_return put;
}

Task<IoResult> Connection::fill(std::size_t most) {
  const std::size_t before = buffer_.size();
  buffer_.resize(before + most);
  const IoResult got = co_await stream_->read(asio::buffer(buffer_.data() + before, most));
  buffer_.resize(before + got.size);
  exchange_->entry.bytes_in += got.size;
  co_return got;
}

/// What the client still sends is thrown away for a moment: closing at once would take the answer with it.
Task<void> Connection::finish() {
  stream_->expires_after(kLinger);
  co_await stream_->end_output();
  std::array<char, 4096> discarded;
  const bool unread = exchange_ && (!exchange_->well_formed || !exchange_->parser.is_done());
  IoResult got;
  while (unread && !got.error) got = co_await stream_->read(asio::buffer(discarded));
  stream_->close();
}

void Connection::log_exchange() {
  Exchange& exchange = *exchange_;
  exchange.entry.duration =
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - exchange.start);
  if (!exchange.traceparent.empty()) exchange.entry.trace_id = exchange.traceparent.substr(3, 32);
  state_.log.add(exchange.entry);
}

}  // namespace sotto::server

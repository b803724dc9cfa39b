#include "http/request_head.hpp"

#include <algorithm>
#include <cctype>

#include <sodium.h>

namespace sotto::server {
namespace {

namespace http = boost::beast::http;

constexpr std::size_t kMostHeaders = 100;

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool is_host(std::string_view host) {
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == ':' || c == '[' || c == ']';
  };
  return !host.empty() && host.size() <= 255 && std::all_of(host.begin(), host.end(), fits);
}

/// Splits the target into path and query. Of the absolute form, the authority must be the Host.
std::optional<Refusal> read_target(std::string_view target, RequestHead& head) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!lower(target.substr(0, scheme.size())).starts_with(scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::size_t end = std::min(target.find_first_of("/?"), target.size());
    if (lower(target.substr(0, end)) != lower(head.host))
      return Refusal{400, "invalid_argument", "the target and Host name different hosts"};
    target.remove_prefix(end);
    if (target.empty()) target = "/";
  }
  const bool asterisk = target == "*" && head.request.method == "OPTIONS";
  if ((!target.starts_with('/') && !asterisk) || target.find('#') != std::string_view::npos)
    return Refusal{400, "invalid_argument", "the target is not a path"};
  const std::size_t question = std::min(target.find('?'), target.size());
  head.request.path = target.substr(0, question);
  head.request.query = target.substr(std::min(question + 1, target.size()));
  return std::nullopt;
}

/// The parser has refused several different lengths, and a length beside an encoding.
std::optional<Refusal> check_framing(const ParsedHead& parsed, bool http_1_0) {
  const auto encodings = parsed.count(http::field::transfer_encoding);
  if (encodings > 1 || parsed.count(http::field::content_length) > 1)
    return Refusal{400, "invalid_argument", "the length of the body is stated twice"};
  if (encodings == 1 && (http_1_0 || lower(view(parsed[http::field::transfer_encoding])) != "chunked"))
    return Refusal{400, "invalid_argument", "the only transfer encoding is chunked, of HTTP/1.1"};
  const std::string_view length = view(parsed[http::field::content_length]);
  if (!std::all_of(length.begin(), length.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return Refusal{400, "invalid_argument", "Content-Length is not a number"};
  const std::string coding = lower(view(parsed[http::field::content_encoding]));
  if (!coding.empty() && coding != "identity")
    return Refusal{415, "unsupported", "bodies are taken without a content encoding"};
  return std::nullopt;
}

std::optional<Refusal> read_key(const ParsedHead& parsed, RequestHead& head) {
  static constexpr std::string_view kBearer = "bearer ";
  const std::string_view authorization = view(parsed[http::field::authorization]);
  const std::string_view own = view(parsed["X-API-Key"]);
  if (parsed.count(http::field::authorization) > 1 || parsed.count("X-API-Key") > 1)
    return Refusal{400, "invalid_argument", "more than one key"};
  std::string_view bearer;
  if (lower(authorization.substr(0, kBearer.size())) == kBearer)
    bearer = authorization.substr(kBearer.size());
  if (!bearer.empty() && !own.empty() && bearer != own)
    return Refusal{400, "invalid_argument", "Authorization and X-API-Key hold different keys"};
  head.presented_key = bearer.empty() ? own : bearer;
  return std::nullopt;
}

void copy_headers(const ParsedHead& parsed, Request& request) {
  for (const auto& field : parsed) {
    std::string name = lower(view(field.name_string()));
    if (name == "authorization" || name == "x-api-key" || name == "cookie") continue;
    if (name == "traceparent" && !is_traceparent(view(field.value()))) continue;
    request.headers.emplace_back(std::move(name), view(field.value()));
  }
}

}  // namespace

HeadScanner::State HeadScanner::scan(std::string_view received) {
  for (; position_ < received.size(); ++position_) {
    const auto c = static_cast<unsigned char>(received[position_]);
    if (c == '\n') {
      if (position_ == line_begin_ || received[position_ - 1] != '\r') return State::malformed;
      const bool is_empty = position_ == line_begin_ + 1;
      line_begin_ = position_ + 1;
      if (!is_empty) continue;
      ++position_;
      return position_ == 2 ? State::malformed : State::complete;
    }
    const bool after_cr = position_ > line_begin_ && received[position_ - 1] == '\r';
    const bool continues = position_ == line_begin_ && (c == ' ' || c == '\t');
    const bool control = (c < ' ' && c != '\t' && c != '\r') || c == 0x7f;
    if (after_cr || continues || control) return State::malformed;
  }
  return State::incomplete;
}

std::optional<Refusal> examine(const ParsedHead& parsed, RequestHead& head) {
  if (std::distance(parsed.begin(), parsed.end()) > static_cast<std::ptrdiff_t>(kMostHeaders))
    return Refusal{431, "too_large", "more than 100 header fields"};
  head.http_1_0 = parsed.version() == 10;
  head.request.method = view(parsed.method_string());
  head.is_head = head.request.method == "HEAD";
  head.host = view(parsed[http::field::host]);
  if (parsed.count(http::field::host) != 1 || !is_host(head.host))
    return Refusal{400, "invalid_argument", "a request has exactly one Host"};
  if (auto refusal = check_framing(parsed, head.http_1_0)) return refusal;
  if (auto refusal = read_target(view(parsed.target()), head)) return refusal;
  if (auto refusal = read_key(parsed, head)) return refusal;
  if (head.is_head) head.request.method = "GET";
  head.origin = view(parsed[http::field::origin]);
  head.fetch_site = view(parsed["Sec-Fetch-Site"]);
  const std::string expected = lower(view(parsed[http::field::expect]));
  head.expects_continue = expected == "100-continue" && !head.http_1_0;
  if (!expected.empty() && expected != "100-continue")
    return Refusal{417, "invalid_argument", "the only expectation is 100-continue"};
  head.request.id = request_id(view(parsed["X-Request-Id"]));
  copy_headers(parsed, head.request);
  return std::nullopt;
}

std::string request_id(std::string_view sent) {
  const auto fits = [](char c) { return is_hex(c) || (c >= 'A' && c <= 'F') || c == '-'; };
  if (sent.size() >= 8 && sent.size() <= 64 && std::all_of(sent.begin(), sent.end(), fits))
    return std::string(sent);
  std::array<unsigned char, 16> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  std::string id(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(id.data(), id.size(), bytes.data(), bytes.size());
  id.pop_back();
  return id;
}

bool is_traceparent(std::string_view value) {
  static constexpr std::string_view kShape = "00-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx";
  if (value.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < value.size(); ++i)
    if (kShape[i] == 'x' ? !is_hex(value[i]) : value[i] != kShape[i]) return false;
  return value.substr(3, 32).find_first_not_of('0') != std::string_view::npos &&
         value.substr(36, 16).find_first_not_of('0') != std::string_view::npos;
}

}  // namespace sotto::server

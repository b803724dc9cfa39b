// The head of a request: found in what was received, and checked more strictly than HTTP demands, so that a
// proxy and this server never disagree on where a request ends.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>

#include "http/refusal.hpp"

namespace sotto::server {

/// Looks for the end of a head as it comes in, a byte only once.
class HeadScanner {
 public:
  enum class State { incomplete, complete, malformed };
  /// `received` is all that has come, and begins with what it held before. Malformed: control characters,
  /// line ends other than CR LF, continued lines.
  State scan(std::string_view received);
  /// Its size, with the empty line, once it is complete.
  std::size_t size() const { return position_; }

 private:
  std::size_t position_ = 0;
  std::size_t line_begin_ = 0;
};

struct RequestHead {
  Request request;  ///< without body, id and caller
  std::string host;
  std::string origin;      ///< empty: none was sent
  std::string fetch_site;  ///< Sec-Fetch-Site
  std::string presented_key;
  bool http_1_0 = false;
  bool expects_continue = false;
  bool is_head = false;  ///< HEAD, which the service sees as GET
};

using ParsedHead = boost::beast::http::request_header<>;

/// Takes a head apart. Returns why the request is refused, if it is.
std::optional<Refusal> examine(const ParsedHead& parsed, RequestHead& head);

/// A request's id: what the client sent, if it consists of 8 to 64 hexadecimal digits and hyphens, as UUIDs
/// do, so that nothing personal can be in it; otherwise a fresh one.
std::string request_id(std::string_view sent);

/// Whether it is a W3C trace context of version 00.
bool is_traceparent(std::string_view value);

}  // namespace sotto::server

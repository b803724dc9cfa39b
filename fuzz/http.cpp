// Heads of requests: cut anywhere, they are found at the same place, and what is accepted can be read in one
// way only.
#include <algorithm>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "fuzz.hpp"
#include "http/request_head.hpp"

namespace {

using namespace sotto::server;
using sotto::fuzz::require;
namespace http = boost::beast::http;

/// Scans in pieces, whose size the input decides.
HeadScanner::State scan_in_pieces(HeadScanner& scanner, std::string_view input) {
  const std::size_t step = input.empty() ? 1 : 1 + static_cast<unsigned char>(input.back()) % 7;
  HeadScanner::State state = HeadScanner::State::incomplete;
  for (std::size_t end = 0; state == HeadScanner::State::incomplete && end < input.size();) {
    end = std::min(end + step, input.size());
    state = scanner.scan(input.substr(0, end));
  }
  return state;
}

void check_accepted(const ParsedHead& parsed, const RequestHead& head) {
  const Request& request = head.request;
  const auto visible = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c != 0x7f; });
  };
  require(visible(request.path) && visible(request.query) && visible(request.method), "targets are visible");
  require(request.path.starts_with('/') || request.path == "*", "a path is a path");
  require(request.path.find_first_of("?#") == std::string::npos, "a path ends before the query");
  require(parsed.count(http::field::host) == 1, "there is one host");
  require(parsed.count(http::field::content_length) + parsed.count(http::field::transfer_encoding) <= 1,
          "a body has one length");
  require(request_id(request.id) == request.id, "an id is well-formed");
  for (const auto& [name, value] : request.headers) {
    require(name != "authorization" && name != "x-api-key", "the key stays behind");
    require(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos,
            "a value is on one line");
  }
}

}  // namespace

SOTTO_FUZZ_TARGET(http) {
  HeadScanner whole, pieces;
  const HeadScanner::State state = whole.scan(input);
  require(scan_in_pieces(pieces, input) == state, "pieces do not matter");
  if (state != HeadScanner::State::complete) return;
  require(whole.size() == pieces.size() && input.substr(0, whole.size()).ends_with("\r\n\r\n"),
          "a head ends with an empty line");
  http::request_parser<http::string_body> parser;
  parser.header_limit(1 << 20);
  parser.body_limit(boost::none);
  parser.eager(false);
  boost::system::error_code error;
  const std::size_t used = parser.put(boost::asio::buffer(input.data(), whole.size()), error);
  if (error) return;
  require(used == whole.size() && parser.is_header_done(), "scanner and parser agree on the end");
  RequestHead head;
  if (!examine(parser.get().base(), head)) check_accepted(parser.get().base(), head);
}

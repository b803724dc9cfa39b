#include "http/refusal.hpp"

#include <boost/beast/http/status.hpp>
#include <fmt/format.h>

namespace sotto::server {

Response response_to(const Refusal& refusal) {
  Response response;
  response.status = refusal.status;
  response.body = fmt::format(R"({{"error":{{"code":"{}","message":"{}","parameter":""}}}})", refusal.code,
                              refusal.message);
  if (refusal.status == 401) response.headers.emplace_back("WWW-Authenticate", R"(Bearer realm="sotto")");
  if (refusal.retry_after > 0)
    response.headers.emplace_back("Retry-After", std::to_string(refusal.retry_after));
  return response;
}

std::string_view reason_phrase(unsigned status) {
  namespace http = boost::beast::http;
  const auto phrase = http::obsolete_reason(http::int_to_status(status));
  return {phrase.data(), phrase.size()};
}

}  // namespace sotto::server

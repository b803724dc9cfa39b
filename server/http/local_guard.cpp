#include "http/local_guard.hpp"

#include "config/listen_address.hpp"

namespace sotto::server {
namespace {

std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
  return has_port ? host.substr(0, colon) : host;
}

}  // namespace

std::optional<Refusal> refuse_foreign(const RequestHead& head) {
  if (!is_loopback_host(without_port(head.host)))
    return Refusal{403, "forbidden", "without API keys, only requests to localhost are answered"};
  // Links from elsewhere may lead here; what scripts ask for from elsewhere has an origin.
  const bool only_reads = head.request.method == "GET";
  const bool same_origin =
      head.origin.empty() || head.origin == "http://" + head.host || head.origin == "https://" + head.host;
  const bool same_site =
      head.fetch_site.empty() || head.fetch_site == "same-origin" || head.fetch_site == "none";
  if (!same_origin || !(only_reads || same_site))
    return Refusal{403, "forbidden", "without API keys, pages of other origins are not answered"};
  return std::nullopt;
}

}  // namespace sotto::server

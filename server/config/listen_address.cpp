#include "config/listen_address.hpp"

#include <algorithm>
#include <cctype>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/un.h>

#include <sotto/text_values.hpp>

namespace sotto::server {
namespace {

constexpr std::string_view kUnix = "unix:";

tl::unexpected<Error> refuse_address(std::string_view parameter, std::string_view text) {
  return fail_parameter(
      parameter, text,
      fmt::format("'{}' is not allowed; give an address and port such as 127.0.0.1:8080 or [::1]:8080, or "
                  "unix: and a path",
                  text));
}

bool is_address(int family, const std::string& host) {
  in6_addr parsed{};
  return ::inet_pton(family, host.c_str(), &parsed) == 1;
}

bool is_loopback_v4(const std::string& host) {
  return host.starts_with("127.") && is_address(AF_INET, host);
}

Result<ListenAddress> parse_unix(std::string_view parameter, std::string_view text) {
  const std::string_view path = text.substr(kUnix.size());
  if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path))
    return fail_parameter(parameter, text,
                          fmt::format("'{}' is not allowed; the path of a socket has 1 to {} bytes", text,
                                      sizeof(sockaddr_un::sun_path) - 1));
  return ListenAddress{"", 0, std::string(path)};
}

}  // namespace

bool ListenAddress::is_local() const {
  return is_unix() || host == "::1" || is_loopback_v4(host);
}

Result<ListenAddress> parse_listen_address(std::string_view parameter, std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return refuse_address(parameter, "");
  if (text.starts_with(kUnix)) return parse_unix(parameter, text);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return refuse_address(parameter, text);
  std::string host(text.substr(0, colon));
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  if (!is_address(bracketed ? AF_INET6 : AF_INET, host)) return refuse_address(parameter, text);
  const auto port = read_integer(parameter, text.substr(colon + 1), 0, 65535);
  if (!port) return refuse_address(parameter, text);
  return ListenAddress{std::move(host), static_cast<std::uint16_t>(*port), ""};
}

bool is_loopback_host(std::string_view host) {
  std::string lower(host);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower == "localhost" || lower == "[::1]" || is_loopback_v4(lower);
}

}  // namespace sotto::server

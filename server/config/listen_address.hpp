// Where the server listens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <sotto/result.hpp>

namespace sotto::server {

struct ListenAddress {
  std::string host;        ///< an IP address without brackets; empty for a socket in the file system
  std::uint16_t port = 0;  ///< 0: a free one
  std::string path;        ///< of a unix socket

  bool is_unix() const { return !path.empty(); }
  /// Whether only this machine reaches it.
  bool is_local() const;
};

/// 127.0.0.1:8080, localhost:8080, [::1]:8080 or unix:PATH. Names other than localhost are not looked up.
Result<ListenAddress> parse_listen_address(std::string_view parameter, std::string_view text);

/// Whether `host`, as in a Host header without its port, can only mean this machine: localhost, 127.x.x.x or
/// [::1].
bool is_loopback_host(std::string_view host);

}  // namespace sotto::server

// What `sotto serve` is told: its options, serve.yaml and environment variables end up here.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sotto/ledger.hpp>
#include <sotto/privatize_options.hpp>

namespace sotto::server {

/// What happens if a document comes again under the same id.
enum class Repeat {
  refuse,  ///< it is refused whatever its text, so nobody can try out guesses; needs a ledger
  same,    ///< equal texts have equal outputs: whoever may send guesses under an id learns which is right
};

/// A mechanism that a request may choose instead of the profile's, and the largest ε it may ask for.
struct AllowedMechanism {
  std::string name;
  double most_epsilon = 0;
};

/// A profile. A request may choose among what it allows, and never loosen it.
struct Profile {
  std::string name;
  PrivatizeOptions options;
  std::optional<LedgerOptions> ledger;
  Repeat repeat = Repeat::same;
  std::vector<AllowedMechanism> allowed;  ///< empty: only its own mechanism, at its own ε
  bool outside_keep = false;              ///< Presidio: what no span covers stays; the guarantee says so
};

struct Limits {
  std::size_t body_bytes = std::size_t{8} << 20;
  std::size_t header_bytes = std::size_t{16} << 10;
  std::size_t texts = 10'000;
  std::size_t document_bytes = std::size_t{1} << 20;
  std::size_t queued_bytes = std::size_t{64} << 20;   ///< of texts that wait or are being rewritten
  std::size_t bodies_bytes = std::size_t{256} << 20;  ///< of requests and answers in memory at once
  std::size_t connections = 20'000;
  std::size_t streams = 64;          ///< requests at once that are answered line by line; each has a thread
  std::size_t requests_per_key = 0;  ///< per second; 0: no limit
  std::size_t concurrent_per_key = 1'000;
  std::chrono::seconds header_time{10};
  std::chrono::seconds body_time{60};
  std::chrono::seconds idle_time{300};
  std::chrono::seconds drain_time{30};
};

struct TlsFiles {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

struct ApiKey {
  std::string name;
  std::string hash;  ///< hex: BLAKE2b of the key under the server's secret
  std::vector<std::string> profiles;
  bool ledger = false;
  bool metrics = false;
};

struct ServerConfig {
  std::vector<std::string> listen = {"127.0.0.1:8080"};  ///< host:port, [v6]:port or unix:PATH
  std::optional<std::string> metrics_listen;
  bool behind_proxy = false;  ///< something in front ends TLS, so plain connections may come from elsewhere
  std::optional<TlsFiles> tls;
  std::optional<std::filesystem::path> keys_file;  ///< read again on SIGHUP
  std::optional<std::filesystem::path> secret_file;
  std::vector<Profile> profiles;  ///< the first is the default
  bool playground = true;         ///< only for requests without keys, or with a key
  bool log_requests = true;       ///< a line for each, besides notes about the server itself
  unsigned threads = 0;           ///< 0: one per processor
  Limits limits;
};

}  // namespace sotto::server

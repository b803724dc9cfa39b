// API keys: 32 random bytes that their owner has, of which the server keeps a keyed hash.
//
// The keys file has one line per key, which is YAML:
//   - {name: web, hash: 5f…, profiles: [default], ledger: false, metrics: false}
// Several lines may share a name: to rotate a key, add one, let its users change over, and retire the old.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

#include "config/server_config.hpp"

namespace sotto::server {

/// In place of profiles: all that the configuration has.
inline constexpr const char* kEveryProfile = "*";

/// The server's secret, without which the hashes in a keys file cannot be tried against guesses.
class ServerSecret {
 public:
  using Bytes = std::array<unsigned char, 32>;
  static Result<ServerSecret> read(const std::filesystem::path& file);
  /// Reads the file, or makes a secret and the file.
  static Result<ServerSecret> read_or_create(const std::filesystem::path& file);
  ServerSecret(const ServerSecret&) = default;
  ServerSecret& operator=(const ServerSecret&) = default;
  ~ServerSecret();

  using Hash = std::array<unsigned char, 32>;
  Hash hash(std::string_view key) const;

 private:
  explicit ServerSecret(const Bytes& bytes) : bytes_(bytes) {}
  Bytes bytes_;
};

/// What becomes of a file of keys in which one names a profile that the configuration lacks.
enum class UnknownProfiles {
  refuse,  ///< it is an error
  drop,    ///< the key may not use it: a mistake in one line shall not keep another key from being revoked
};

/// The keys that a server accepts. Immutable.
class KeyTable {
 public:
  /// Reads both files.
  static Result<KeyTable> read(const std::filesystem::path& keys, const std::filesystem::path& secret,
                               const std::vector<std::string>& profiles, UnknownProfiles unknown);
  /// One for each profile that was dropped.
  const std::vector<std::string>& notes() const { return notes_; }
  /// The key that was presented, or null. Takes the same time whichever it is, and if it is none.
  const ApiKey* find(std::string_view presented) const;
  const std::vector<ApiKey>& keys() const { return keys_; }

 private:
  KeyTable(ServerSecret secret, std::vector<ApiKey> keys, std::vector<ServerSecret::Hash> hashes,
           std::vector<std::string> notes)
      : secret_(std::move(secret)),
        keys_(std::move(keys)),
        hashes_(std::move(hashes)),
        notes_(std::move(notes)) {}
  ServerSecret secret_;
  std::vector<ApiKey> keys_;
  std::vector<ServerSecret::Hash> hashes_;
  std::vector<std::string> notes_;
};

/// Reads the lines of a keys file; `name` is the file's, for errors.
Result<std::vector<ApiKey>> parse_api_keys(const std::string& text, const std::string& name);

struct KeyFiles {
  std::filesystem::path keys;
  std::filesystem::path secret;
};

/// Makes a key with the rights of `wanted` and adds its line; both files are created if they do not exist.
/// A name that has a key is an error unless `rotate`. Returns the key, which is stored nowhere.
Result<std::string> add_api_key(const KeyFiles& files, ApiKey wanted, bool rotate);

/// Removes the keys of a name; `but_newest` leaves the one that was added last. Returns how many it removed.
Result<std::size_t> remove_api_keys(const KeyFiles& files, const std::string& name, bool but_newest);

}  // namespace sotto::server

// Keys and the bit sources derived from them. A private run takes its key from the operating system or a key
// file; a seeded run differs only in the key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include <sotto/bit_source.hpp>
#include <sotto/result.hpp>

#include "random/key.hpp"

namespace sotto::random {

/// A fresh key from the operating system. Thread-safe, and safe after fork.
Result<Key> random_key();

/// The key of a seed: anyone who knows the seed can recompute all noise, so the output is not private.
Key key_from_seed(std::uint64_t seed);

/// Reads a key file: exactly 32 raw bytes, or 64 hexadecimal digits with an optional newline. The error gives
/// the length of the file, never its content.
Result<Key> read_key_file(const std::filesystem::path& file);

/// The ChaCha20 key stream as little-endian words. A seeded run, a retry and a different machine get the same
/// words from the same key.
///
/// The nonce is always zero: a key comes from the operating system or from DocumentStreams, serves one stream
/// and is never used for encryption, so no (key, nonce) pair repeats. The block counter has 64 bits; the
/// first 256 GiB equal the key stream of RFC 8439.
class ChaChaBitSource final : public BitSource {
 public:
  explicit ChaChaBitSource(const Key& key, std::size_t expected_words = 0);
  ~ChaChaBitSource() override;

  /// Starts the stream of `key`, without allocation. `expected_words` (0: unknown) only decides how much is
  /// generated at first, because short documents need little; it never affects the words.
  void reset(const Key& key, std::size_t expected_words = 0);

 private:
  static constexpr std::size_t kBlockWords = 8;
  static constexpr std::size_t kBufferWords = 8 * kBlockWords;

  void refill() override;

  Key key_;
  std::uint64_t block_ = 0;
  std::size_t refill_words_ = kBufferWords;
  alignas(64) std::array<std::uint64_t, kBufferWords> buffer_;
};

/// The key for what a seeded run draws for one purpose. `purpose` includes the seed; no two may be equal.
Key purpose_key(std::string_view purpose);

/// Words for draws that belong to no document: ChaCha20 keyed by the operating system. A forked child takes a
/// new key before its next word, so parent and child never share noise, whoever calls fork(). Like
/// std::random_device, throws std::runtime_error if the system provides no random bytes.
class OsBitSource final : public BitSource {
 public:
  OsBitSource();

 private:
  void refill() override;

  ChaChaBitSource stream_;
  std::uint64_t fork_generation_;
  std::uint64_t word_ = 0;
};

}  // namespace sotto::random

#include "random/bit_sources.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>

#include <sotto/error_text.hpp>
#include <sotto/key_file.hpp>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/random_bytes.hpp"
#include "random/forks.hpp"

namespace sotto {
using namespace random;
namespace {

constexpr std::string_view kSeedDomain = "sotto-seed-1";
constexpr std::size_t kHexDigits = 2 * sizeof(Key);
// 64 digits and CR LF; one byte more shows that a file is too long without reading all of /dev/zero.
constexpr std::size_t kLongestKeyFile = kHexDigits + 2;

std::uint64_t to_little_endian(std::uint64_t word) {
  if constexpr (std::endian::native == std::endian::big) return __builtin_bswap64(word);
  return word;
}

bool parse_hex(std::string_view text, Key& key) {
  std::size_t size = 0;
  return sodium_hex2bin(key.data(), key.size(), text.data(), text.size(), nullptr, &size, nullptr) == 0 &&
         size == key.size();
}

bool parse_key(std::string_view content, Key& key) {
  if (content.size() == key.size()) {
    std::memcpy(key.data(), content.data(), key.size());
    return true;
  }
  if (content.ends_with('\n')) content.remove_suffix(1);
  if (content.ends_with('\r')) content.remove_suffix(1);
  return content.size() == kHexDigits && parse_hex(content, key);
}

tl::unexpected<Error> bad_key_file(const std::string& name, std::size_t size) {
  std::string found = fmt::format("{} bytes", size);
  if (size > kLongestKeyFile) found = fmt::format("more than {} bytes", kLongestKeyFile);
  if (size >= kHexDigits && size <= kLongestKeyFile) found += " that are not 64 hexadecimal digits";
  return fail(Errc::bad_format,
              fmt::format("key file {}: found {}; a key file holds exactly 32 raw bytes or 64 hexadecimal "
                          "digits; make one with: (umask 077; head -c 32 /dev/urandom > FILE)",
                          name, found));
}

Key random_key_or_throw() {
  const Result<Key> key = random_key();
  if (!key) throw std::runtime_error(describe(key.error()));
  return *key;
}

}  // namespace

Result<Key> random::random_key() {
  Key key;
  SOTTO_TRY(base::fill_random(key));
  return key;
}

Key random::key_from_seed(std::uint64_t seed) {
  std::array<unsigned char, kSeedDomain.size() + sizeof(seed)> input;
  const std::uint64_t word = to_little_endian(seed);
  std::memcpy(input.data(), kSeedDomain.data(), kSeedDomain.size());
  std::memcpy(input.data() + kSeedDomain.size(), &word, sizeof(word));
  Key key;
  crypto_generichash_blake2b(key.data(), key.size(), input.data(), input.size(), nullptr, 0);
  return key;
}

Key random::purpose_key(std::string_view purpose) {
  return base::sha256(fmt::format("sotto {}", purpose));
}

Result<Key> random::read_key_file(const std::filesystem::path& file) {
  SOTTO_ASSIGN(const base::FileDescriptor descriptor, base::open_for_reading(file));
  LockedVector<char> content(kLongestKeyFile + 1);
  std::size_t size = 0;
  while (size < content.size()) {
    SOTTO_ASSIGN(const std::size_t got, base::read_some(descriptor.get(), content.data() + size,
                                                        content.size() - size, file.string()));
    if (got == 0) break;
    size += got;
  }
  Key key;
  if (!parse_key({content.data(), size}, key)) return bad_key_file(file.string(), size);
  return key;
}

std::string key_file_warning(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) == 0) return {};
  return fmt::format(
      "key file {} is open to other users (mode {:04o}); whoever reads it can undo the noise; "
      "run: chmod 600 FILE",
      file.string(), status.st_mode & 07777);
}

ChaChaBitSource::ChaChaBitSource(const Key& key, std::size_t expected_words) {
  initialize_sodium();
  reset(key, expected_words);
}

ChaChaBitSource::~ChaChaBitSource() {
  sodium_memzero(buffer_.data(), sizeof(buffer_));
}

void ChaChaBitSource::reset(const Key& key, std::size_t expected_words) {
  key_ = key;
  block_ = 0;
  // libsodium's vector code generates 8 or 4 blocks at a time; other numbers of blocks take longer.
  refill_words_ = kBufferWords;
  if (expected_words >= 1 && expected_words <= 4 * kBlockWords)
    refill_words_ = expected_words <= kBlockWords ? kBlockWords : 4 * kBlockWords;
  next_ = end_ = buffer_.data();
}

void ChaChaBitSource::refill() {
  static constexpr std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> kNonce{};
  alignas(64) static constexpr std::array<unsigned char, sizeof(buffer_)> kZeros{};
  crypto_stream_chacha20_xor_ic(reinterpret_cast<unsigned char*>(buffer_.data()), kZeros.data(),
                                refill_words_ * sizeof(std::uint64_t), kNonce.data(), block_, key_.data());
  if constexpr (std::endian::native == std::endian::big)
    std::transform(buffer_.begin(), buffer_.end(), buffer_.begin(), to_little_endian);
  next_ = buffer_.data();
  end_ = next_ + refill_words_;
  block_ += refill_words_ / kBlockWords;
  refill_words_ = kBufferWords;
}

OsBitSource::OsBitSource() : stream_(random_key_or_throw()) {
  watch_forks();
  fork_generation_ = fork_count();
}

void OsBitSource::refill() {
  // One word at a time: a longer buffer would be used on both sides of a fork.
  const std::uint64_t generation = fork_count();
  if (generation != fork_generation_) [[unlikely]] {
    stream_.reset(random_key_or_throw());
    fork_generation_ = generation;
  }
  word_ = stream_.next();
  next_ = &word_;
  end_ = next_ + 1;
}

}  // namespace sotto

// The words that strings are mapped to, numbered from the most to the least frequent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace sotto::embed {

using WordNumber = std::uint32_t;
inline constexpr WordNumber kNoWord = ~WordNumber{0};

/// Binary logarithms of counts, in 1/256.
inline constexpr int kBit = 256;

/// Immutable, so safe to share between threads.
class PublicWords {
 public:
  static constexpr std::size_t kMostWords = std::size_t{1} << 20;

  /// At most kMostWords. The spans must outlive the table; `lengths` are those of the words, which follow one
  /// another in `words`.
  PublicWords(std::span<const std::uint8_t> lengths, std::string_view words,
              std::span<const std::int16_t> frequencies);

  WordNumber size() const { return static_cast<WordNumber>(offsets_.size() - 1); }
  std::string_view word(WordNumber number) const {
    return {words_.data() + offsets_[number], offsets_[number + 1] - offsets_[number]};
  }
  /// log₂ of the word's count in public text, in 1/256.
  int frequency(WordNumber number) const { return frequencies_[number]; }
  /// kNoWord if there is no such word.
  WordNumber find(std::string_view spelling) const {
    const std::uint64_t hash = hash_of(spelling);
    return may_be_word(hash) ? find_hashed(spelling, hash) : kNoWord;
  }
  bool has_repeated_word() const { return has_repeated_word_; }

 private:
  // Most spellings that are looked up are no words. This says so for most of them, and fits into a cache that
  // the table does not fit into.
  static constexpr std::size_t kFilterBits = std::size_t{1} << 18;
  // A slot holds a word's number, a mark that it is taken, and the upper bits of the word's hash, so that few
  // spellings are compared.
  static constexpr std::uint32_t kTaken = kMostWords;
  static constexpr int kPlaceShift = 24;
  static constexpr int kTagShift = 53;

  static std::uint64_t hash_of(std::string_view spelling);
  /// Two bits of one element of the filter.
  static std::uint64_t filter_bits(std::uint64_t hash) {
    return std::uint64_t{1} << hash % 64 | std::uint64_t{1} << hash / kFilterBits % 64;
  }
  bool may_be_word(std::uint64_t hash) const {
    const std::uint64_t bits = filter_bits(hash);
    return (filter_[hash % kFilterBits / 64] & bits) == bits;
  }
  std::size_t first_place(std::uint64_t hash) const { return hash >> kPlaceShift & (slots_.size() - 1); }
  static std::uint32_t tag_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> kTagShift) * (2 * kTaken);
  }
  WordNumber find_hashed(std::string_view spelling, std::uint64_t hash) const;
  void insert(WordNumber number);

  std::vector<std::uint64_t> filter_;
  std::vector<std::uint32_t> offsets_;
  std::string_view words_;
  std::span<const std::int16_t> frequencies_;
  std::vector<std::uint32_t> slots_;  // 0: empty
  bool has_repeated_word_ = false;
};

/// Most spellings are short: their first and last 8, 4 or 3 bytes, which may overlap, are all there is.
inline std::uint64_t PublicWords::hash_of(std::string_view spelling) {
  const char* const begin = spelling.data();
  const std::size_t size = spelling.size();
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (size > 16) {
    first = std::hash<std::string_view>()(spelling);
  } else if (size >= 8) {
    std::memcpy(&first, begin, 8);
    std::memcpy(&last, begin + size - 8, 8);
  } else if (size >= 4) {
    std::memcpy(&first, begin, 4);
    std::memcpy(&last, begin + size - 4, 4);
  } else if (size > 0) {
    first = static_cast<unsigned char>(begin[0]);
    last = static_cast<std::uint64_t>(static_cast<unsigned char>(begin[size / 2])) << 8 |
           static_cast<unsigned char>(begin[size - 1]);
  }
  using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(first ^ 0x9E3779B97F4A7C15) * ((last + size) ^ 0xD1B54A32D192ED03);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace sotto::embed

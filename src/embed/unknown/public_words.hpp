// The words that strings are mapped to, numbered from the most to the least frequent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "embed/vocabulary.hpp"

namespace sotto::embed {

using WordNumber = std::uint32_t;
inline constexpr WordNumber kNoWord = ~WordNumber{0};

/// Binary logarithms of counts, in 1/256.
inline constexpr int kBit = 256;

/// Immutable, so safe to share between threads.
class PublicWords {
 public:
  /// The spans must outlive the table; `lengths` are those of the words, which follow one another in `words`.
  PublicWords(std::span<const std::uint8_t> lengths, std::string_view words,
              std::span<const std::int16_t> frequencies);

  WordNumber size() const { return vocabulary_.bottom(); }
  std::string_view word(WordNumber number) const {
    return {words_.data() + offsets_[number], offsets_[number + 1] - offsets_[number]};
  }
  /// log₂ of the word's count in public text, in 1/256.
  int frequency(WordNumber number) const { return frequencies_[number]; }
  /// kNoWord if there is no such word.
  WordNumber find(std::string_view spelling) const {
    const std::size_t bit = filter_bit(spelling);
    if ((filter_[bit / 64] >> bit % 64 & 1) == 0) return kNoWord;
    const TokenId id = vocabulary_.find_exact(spelling);
    return id == vocabulary_.bottom() ? kNoWord : id;
  }
  bool has_repeated_word() const { return vocabulary_.repeated().has_value(); }

 private:
  // Most spellings that are looked up are no words. This says so for most of them, and fits into a cache that
  // the vocabulary's table does not fit into.
  static constexpr std::size_t kFilterBits = std::size_t{1} << 18;
  static std::size_t filter_bit(std::string_view spelling) {
    return std::hash<std::string_view>()(spelling) % kFilterBits;
  }

  std::vector<std::uint64_t> filter_;
  std::vector<std::uint64_t> offsets_;
  std::string_view words_;
  Vocabulary vocabulary_;
  std::span<const std::int16_t> frequencies_;
};

}  // namespace sotto::embed

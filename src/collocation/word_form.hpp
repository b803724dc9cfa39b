// The form in which words of a text are looked up and counted, at the speed of a scan.
#pragma once

#include <array>
#include <cstring>
#include <string_view>

#include <sotto/tokenizer.hpp>

#include "collocation/phrase_hash.hpp"

namespace sotto {

/// True for a token that load_word_block takes: nearly all words.
inline bool is_short_word(const Token& token) {
  return token.ascii && token.end - token.begin <= kWordBlock;
}

/// A word of ASCII, at most 16 bytes long, in lower case.
inline WordBlock load_word_block(std::string_view text, const Token& token) {
  const std::size_t size = token.end - token.begin;
  std::array<char, kWordBlock> bytes{};
  if (token.begin + kWordBlock <= text.size())
    std::memcpy(bytes.data(), text.data() + token.begin, kWordBlock);
  else
    std::memcpy(bytes.data(), text.data() + token.begin, size);
  WordBlock block;
  std::memcpy(&block, bytes.data(), kWordBlock);
  const auto mask = [](std::size_t count) {
    return count >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * count) - 1;
  };
  // Setting bit 5 turns A–Z into a–z and leaves what else an ASCII word has, letters, ' and -, as it is.
  constexpr std::uint64_t kCaseBits = 0x2020202020202020;
  const std::uint64_t low = mask(size);
  const std::uint64_t high = size > 8 ? mask(size - 8) : 0;
  return {(block.low | kCaseBits) & low, (block.high | kCaseBits) & high};
}

}  // namespace sotto

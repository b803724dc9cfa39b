// The form in which words of a text are looked up and counted, at scanning speed.
#pragma once

#include <array>
#include <cstring>
#include <string_view>

#include <sotto/tokenizer.hpp>

#include "collocation/phrase_hash.hpp"

namespace sotto::collocation {

/// Whether load_word_block accepts the token; nearly all words qualify.
inline bool is_short_word(const Token& token) {
  return token.ascii && token.end - token.begin <= kWordBlock;
}

/// An ASCII word of at most 16 bytes, in lower case.
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
  // Setting bit 5 turns A–Z into a–z and keeps the other characters of an ASCII word (a–z, ' and -).
  constexpr std::uint64_t kCaseBits = 0x2020202020202020;
  const std::uint64_t low = mask(size);
  const std::uint64_t high = size > 8 ? mask(size - 8) : 0;
  return {(block.low | kCaseBits) & low, (block.high | kCaseBits) & high};
}

}  // namespace sotto::collocation

// The hash tables inside a phrase table. They are stored in files, so any change here needs a new
// kPhraseVersion.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace sotto::collocation {

/// A word of up to 16 bytes, padded with zeros, or 16 bytes of a longer one.
struct WordBlock {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};
inline constexpr std::size_t kWordBlock = sizeof(WordBlock);

/// Stands for the missing third word of a pair; no word has this id.
inline constexpr std::uint32_t kNoWord = ~std::uint32_t{0};
/// The ids of two or three words.
using PhraseWords = std::array<std::uint32_t, 3>;

/// A folded 128-bit product: every bit of both factors affects every part of the result.
inline std::uint64_t hash_block(const WordBlock& block, std::uint64_t seed) {
  using Wide = unsigned __int128;
  const Wide product =
      static_cast<Wide>(block.low ^ seed ^ 0x9E3779B97F4A7C15) * (block.high ^ 0xD1B54A32D192ED03);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// The hash of a word of at most 16 bytes.
inline std::uint64_t hash_short_word(const WordBlock& block, std::size_t size) {
  return hash_block(block, size);
}

inline std::uint64_t hash_word(std::string_view word) {
  std::uint64_t hash = word.size();
  for (std::size_t begin = 0; begin < word.size(); begin += kWordBlock) {
    WordBlock block;
    std::memcpy(&block, word.data() + begin, std::min(kWordBlock, word.size() - begin));
    hash = hash_block(block, hash);
  }
  return hash;
}

inline std::uint64_t hash_phrase(const PhraseWords& words) {
  return hash_block({words[0] | std::uint64_t{words[1]} << 32, words[2]}, 0);
}

// A slot holds the upper half of the hash and an id below it. The position comes from the lower half, so the
// tag is independent of it, and an unsuccessful lookup rarely reads anything but slots.

inline constexpr std::uint64_t kEmptySlot = ~std::uint64_t{0};
/// Returned by find_slot if there is no entry.
inline constexpr std::uint32_t kNoEntry = ~std::uint32_t{0};

inline std::size_t slot_place(std::uint64_t hash, std::size_t slots) {
  return hash & (slots - 1);
}

/// The id accepted by `matches`, or kNoEntry. The size of `slots` must be a power of two. Any slot contents
/// are safe if `matches` accepts any id as its argument.
template <class Matches>
std::uint32_t find_slot(std::span<const std::uint64_t> slots, std::uint64_t hash, const Matches& matches) {
  std::size_t place = slot_place(hash, slots.size());
  for (std::size_t probes = 0; probes < slots.size(); ++probes) {
    const std::uint64_t slot = slots[place];
    if (slot == kEmptySlot) return kNoEntry;
    if (slot >> 32 == hash >> 32 && matches(static_cast<std::uint32_t>(slot)))
      return static_cast<std::uint32_t>(slot);
    place = (place + 1) & (slots.size() - 1);
  }
  return kNoEntry;
}

/// A table for `count` entries, at most half full; hash_of(id) is the hash of an entry.
template <class HashOf>
std::vector<std::uint64_t> make_slots(std::uint32_t count, const HashOf& hash_of) {
  std::vector<std::uint64_t> slots(std::bit_ceil(std::size_t{2} * count + 2), kEmptySlot);
  for (std::uint32_t id = 0; id < count; ++id) {
    const std::uint64_t hash = hash_of(id);
    std::size_t place = slot_place(hash, slots.size());
    while (slots[place] != kEmptySlot) place = (place + 1) & (slots.size() - 1);
    slots[place] = (hash >> 32) << 32 | id;
  }
  return slots;
}

}  // namespace sotto::collocation

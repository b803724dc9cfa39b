#include "embed/unknown/public_words.hpp"

#include <bit>

#include "base/check.hpp"

namespace sotto::embed {
namespace {

std::vector<std::uint32_t> offsets_of(std::span<const std::uint8_t> lengths) {
  std::vector<std::uint32_t> offsets{0};
  offsets.reserve(lengths.size() + 1);
  for (const std::uint8_t length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

}  // namespace

PublicWords::PublicWords(std::span<const std::uint8_t> lengths, std::string_view words,
                         std::span<const std::int16_t> frequencies)
    : filter_(kFilterBits / 64),
      offsets_(offsets_of(lengths)),
      words_(words),
      frequencies_(frequencies),
      slots_(std::bit_ceil(lengths.size() + lengths.size() / 2 + 1)) {
  SOTTO_CHECK(lengths.size() <= kMostWords);
  for (WordNumber number = 0; number < size(); ++number) insert(number);
}

void PublicWords::insert(WordNumber number) {
  const std::uint64_t hash = hash_of(word(number));
  if (may_be_word(hash) && find_hashed(word(number), hash) != kNoWord) {
    has_repeated_word_ = true;
    return;
  }
  filter_[hash % kFilterBits / 64] |= filter_bits(hash);
  std::size_t place = first_place(hash);
  while (slots_[place] != 0) place = (place + 1) & (slots_.size() - 1);
  slots_[place] = tag_of(hash) | kTaken | number;
}

WordNumber PublicWords::find_hashed(std::string_view spelling, std::uint64_t hash) const {
  const std::uint32_t tag = tag_of(hash) | kTaken;
  for (std::size_t place = first_place(hash); slots_[place] != 0; place = (place + 1) & (slots_.size() - 1)) {
    const std::uint32_t different = slots_[place] ^ tag;
    if (different < kTaken && word(different) == spelling) return different;
  }
  return kNoWord;
}

}  // namespace sotto::embed

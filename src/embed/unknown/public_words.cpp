#include "embed/unknown/public_words.hpp"

namespace sotto::embed {
namespace {

std::vector<std::uint64_t> offsets_of(std::span<const std::uint8_t> lengths) {
  std::vector<std::uint64_t> offsets{0};
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
      vocabulary_(offsets_, words),
      frequencies_(frequencies) {
  for (WordNumber number = 0; number < size(); ++number) {
    const std::size_t bit = filter_bit(word(number));
    filter_[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
}

}  // namespace sotto::embed

#include "embed/unknown/vector_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sotto::embed {
namespace {

constexpr float kRemoved = -std::numeric_limits<float>::infinity();

/// Of the two coordinates in a byte.
constexpr auto kSquaresOfByte = [] {
  std::array<std::uint8_t, 256> squares{};
  for (int byte = 0; byte < 256; ++byte) {
    const int low = (byte & 0xF) - kSubwordOffset;
    const int high = (byte >> 4) - kSubwordOffset;
    squares[static_cast<std::size_t>(byte)] = static_cast<std::uint8_t>(low * low + high * high);
  }
  return squares;
}();

}  // namespace

VectorBlocks::VectorBlocks(std::size_t blocks)
    : coordinates_(blocks * kSubwordBlock * kStoredVectorBytes, kSubwordOffset | kSubwordOffset << 4),
      inverse_norms_(blocks * kSubwordBlock),
      squared_norms_(blocks * kSubwordBlock, 1),
      numbers_(blocks * kSubwordBlock, kNoWord) {}

void VectorBlocks::set(std::size_t place, WordNumber number, const std::uint8_t* stored) {
  std::uint8_t* to = coordinates_.data() + place / kSubwordBlock * kSubwordBlock * kStoredVectorBytes +
                     place % kSubwordBlock * 2;
  std::int32_t squared = 0;
  for (std::size_t i = 0; i < kStoredVectorBytes; i += 2, to += 2 * kSubwordBlock) {
    to[0] = static_cast<std::uint8_t>((stored[i] & 0xF) | stored[i + 1] << 4);
    to[1] = static_cast<std::uint8_t>(stored[i] >> 4 | (stored[i + 1] & 0xF0));
    squared += kSquaresOfByte[stored[i]] + kSquaresOfByte[stored[i + 1]];
  }
  numbers_[place] = number;
  if (squared == 0) return;
  squared_norms_[place] = squared;
  inverse_norms_[place] = 1 / std::sqrt(static_cast<float>(squared));
}

CosineRanking::CosineRanking(const VectorBlocks& vectors, const SubwordQuery& query,
                             std::vector<std::uint32_t> chosen)
    : vectors_(vectors),
      chosen_(std::move(chosen)),
      products_(std::make_unique_for_overwrite<std::int16_t[]>(chosen_.size() * kSubwordBlock)),
      cosines_(std::make_unique_for_overwrite<float[]>(chosen_.size() * kSubwordBlock)),
      largest_of_block_(chosen_.size()) {
  const std::size_t size = chosen_.size() * kSubwordBlock;
  vectors_.multiply(chosen_, query, {{products_.get(), size}, {cosines_.get(), size}, largest_of_block_});
  for (std::size_t block = 0; block < chosen_.size(); ++block) remove_empty(block);
}

/// Empty places are at the end of a block.
void CosineRanking::remove_empty(std::size_t block) {
  const std::size_t begin = block * kSubwordBlock;
  std::size_t end = begin + kSubwordBlock;
  if (vectors_.numbers_[place_of(end - 1)] != kNoWord) return;
  while (end > begin && vectors_.numbers_[place_of(end - 1)] == kNoWord) cosines_[--end] = kRemoved;
  find_largest(block);
}

WordNumber CosineRanking::next() {
  constexpr float kSlack = 1e-5F;  // far more than the cosines' rounding
  constexpr std::size_t kNothing = ~std::size_t{0};
  float largest = kRemoved;
  for (const float value : largest_of_block_) largest = std::max(largest, value);
  if (largest == kRemoved) return kNoWord;
  const float enough = largest - std::abs(largest) * kSlack;
  std::size_t best = kNothing;
  for (std::size_t block = 0; block < largest_of_block_.size(); ++block) {
    if (largest_of_block_[block] < enough) continue;
    for (std::size_t i = block * kSubwordBlock; i < (block + 1) * kSubwordBlock; ++i)
      if (cosines_[i] >= enough && (best == kNothing || is_nearer(i, best))) best = i;
  }
  cosines_[best] = kRemoved;
  find_largest(best / kSubwordBlock);
  return vectors_.numbers_[place_of(best)];
}

/// Whether a's cosine is larger: p_a/√n_a > p_b/√n_b, both sides squared with their signs and multiplied out;
/// if they are equal, whether its number is smaller.
bool CosineRanking::is_nearer(std::size_t a, std::size_t b) const {
  const auto side = [this](std::size_t index, std::size_t other) {
    const std::int64_t product = products_[index];
    return product * std::abs(product) * vectors_.squared_norms_[place_of(other)];
  };
  const std::int64_t left = side(a, b);
  const std::int64_t right = side(b, a);
  return left != right ? left > right : vectors_.numbers_[place_of(a)] < vectors_.numbers_[place_of(b)];
}

void CosineRanking::find_largest(std::size_t block) {
  const float* const cosines = cosines_.get() + block * kSubwordBlock;
  largest_of_block_[block] = *std::max_element(cosines, cosines + kSubwordBlock);
}

}  // namespace sotto::embed

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
      scores_(std::make_unique_for_overwrite<SubwordScores[]>(chosen_.size())) {
  vectors_.multiply(chosen_, query, scores_.get());
  for (std::size_t block = 0; block < chosen_.size(); ++block) remove_empty(block);
}

/// Empty places are at the end of a block.
void CosineRanking::remove_empty(std::size_t block) {
  const WordNumber* const numbers = vectors_.numbers_.data() + place_of({block, 0});
  std::size_t end = kSubwordBlock;
  if (numbers[end - 1] != kNoWord) return;
  while (end > 0 && numbers[end - 1] == kNoWord) scores_[block].cosines[--end] = kRemoved;
  find_largest(block);
}

WordNumber CosineRanking::next() {
  constexpr float kSlack = 1e-5F;  // far more than the cosines' rounding
  if (last_block_) find_largest(*last_block_);
  float largest = kRemoved;
  for (std::size_t block = 0; block < chosen_.size(); ++block)
    largest = std::max(largest, scores_[block].largest);
  if (largest == kRemoved) return kNoWord;
  const float enough = largest - std::abs(largest) * kSlack;
  std::optional<Candidate> best;
  for (std::size_t block = 0; block < chosen_.size(); ++block) {
    if (scores_[block].largest < enough) continue;
    for (std::size_t word = 0; word < kSubwordBlock; ++word)
      if (scores_[block].cosines[word] >= enough && (!best || is_nearer({block, word}, *best)))
        best = {block, word};
  }
  scores_[best->block].cosines[best->word] = kRemoved;
  last_block_ = best->block;
  return vectors_.numbers_[place_of(*best)];
}

/// Whether a's cosine is larger: p_a/√n_a > p_b/√n_b, both sides squared with their signs and multiplied out;
/// if they are equal, whether its number is smaller.
bool CosineRanking::is_nearer(const Candidate& a, const Candidate& b) const {
  const auto side = [this](const Candidate& candidate, const Candidate& other) {
    const std::int64_t product = scores_[candidate.block].products[candidate.word];
    return product * std::abs(product) * vectors_.squared_norms_[place_of(other)];
  };
  const std::int64_t left = side(a, b);
  const std::int64_t right = side(b, a);
  return left != right ? left > right : vectors_.numbers_[place_of(a)] < vectors_.numbers_[place_of(b)];
}

void CosineRanking::find_largest(std::size_t block) {
  SubwordScores& scores = scores_[block];
  scores.largest = *std::max_element(scores.cosines.begin(), scores.cosines.end());
}

}  // namespace sotto::embed

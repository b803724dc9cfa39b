#include "embed/unknown/unknown_kernels.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "embed/unknown/unknown_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::embed {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

namespace {

template <unsigned kMostBits>
void find_similar_within(std::span<const std::uint32_t> signatures, std::uint32_t signature,
                         std::vector<std::uint32_t>& found) {
  const hn::CappedTag<std::uint32_t, kSignaturePadding> lanes;
  found.clear();
  const auto wanted = hn::Set(lanes, signature);
  const auto one = hn::Set(lanes, 1);
  for (std::size_t i = 0; i < signatures.size(); i += hn::Lanes(lanes)) {
    auto different = hn::Xor(hn::LoadU(lanes, signatures.data() + i), wanted);
    for (unsigned bit = 0; bit < kMostBits; ++bit) different = hn::And(different, hn::Sub(different, one));
    const auto near = hn::Eq(different, hn::Zero(lanes));
    if (hn::AllFalse(lanes, near)) continue;
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(lanes, near, bits);
    for (unsigned rest = bits[0] | static_cast<unsigned>(bits[1]) << 8; rest != 0; rest &= rest - 1)
      found.push_back(static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(__builtin_ctz(rest)));
  }
  while (!found.empty() && found.back() >= signatures.size()) found.pop_back();  // padding
}

}  // namespace

void find_similar(std::span<const std::uint32_t> signatures, std::uint32_t signature, unsigned most_bits,
                  std::vector<std::uint32_t>& found) {
  using Find = void (*)(std::span<const std::uint32_t>, std::uint32_t, std::vector<std::uint32_t>&);
  constexpr Find kFind[kMostSignatureBits + 1] = {find_similar_within<0>, find_similar_within<1>,
                                                  find_similar_within<2>, find_similar_within<3>,
                                                  find_similar_within<4>};
  kFind[most_bits](signatures, signature, found);
}

namespace {

/// Two coordinates of the query as the bytes of an integer.
std::int16_t pair_of(std::int8_t first, std::int8_t second) {
  return static_cast<std::int16_t>(static_cast<std::uint8_t>(first) | static_cast<std::uint8_t>(second) << 8);
}

#if HWY_TARGET == HWY_SCALAR

// For processors without any instruction set that Highway supports.
void multiply_block(const std::uint8_t* coordinates, const std::int16_t* query, std::int16_t start,
                    std::int16_t* products) {
  int sums[kSubwordBlock];
  for (int& sum : sums) sum = start;
  for (std::size_t i = 0; i < kSubwordDimension; i += 4, coordinates += 2 * kSubwordBlock)
    for (std::size_t w = 0; w < kSubwordBlock; ++w)
      for (std::size_t half = 0; half < 2; ++half) {
        const std::int16_t pair = query[i / 2 + half];
        sums[w] += (coordinates[2 * w] >> 4 * half & 0xF) * static_cast<std::int8_t>(pair) +
                   (coordinates[2 * w + 1] >> 4 * half & 0xF) * (pair >> 8);
      }
  for (std::size_t w = 0; w < kSubwordBlock; ++w) products[w] = static_cast<std::int16_t>(sums[w]);
}

#else

using Words = hn::CappedTag<std::int16_t, kSubwordBlock>;
using PairBytes = hn::Repartition<std::uint8_t, Words>;

/// For each lane, the sum of two products: of its bytes, unsigned, with those of `query`, signed.
HWY_INLINE hn::Vec<Words> multiply_pairs(hn::Vec<PairBytes> pairs, hn::Vec<Words> query) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
  // Highway 1.0 has no such instruction of its own.
#if HWY_TARGET <= HWY_AVX3
  return hn::Vec<Words>{_mm512_maddubs_epi16(pairs.raw, query.raw)};
#elif HWY_TARGET <= HWY_AVX2
  return hn::Vec<Words>{_mm256_maddubs_epi16(pairs.raw, query.raw)};
#else
  return hn::Vec<Words>{_mm_maddubs_epi16(pairs.raw, query.raw)};
#endif
#else
  const Words words;
  const auto both = hn::BitCast(words, pairs);
  const auto low = hn::And(both, hn::Set(words, 0xFF));
  const auto high = hn::ShiftRight<8>(both);  // at most 15, so the sign does not matter
  return hn::Add(hn::Mul(low, hn::ShiftRight<8>(hn::ShiftLeft<8>(query))),
                 hn::Mul(high, hn::ShiftRight<8>(query)));
#endif
}

/// The inner products of one block with the query.
HWY_INLINE void multiply_block(const std::uint8_t* HWY_RESTRICT coordinates,
                               const std::int16_t* HWY_RESTRICT query, std::int16_t start,
                               std::int16_t* HWY_RESTRICT products) {
  const Words words;
  const PairBytes bytes;
  constexpr std::size_t kLanes = hn::MaxLanes(words);
  constexpr std::size_t kRegisters = kSubwordBlock / kLanes;
  hn::Vec<Words> sums[kRegisters];
  for (auto& sum : sums) sum = hn::Set(words, start);
  const auto low_half = hn::Set(bytes, 0xF);
  for (std::size_t i = 0; i < kSubwordDimension; i += 4, coordinates += 2 * kSubwordBlock) {
    const auto first = hn::Set(words, query[i / 2]);
    const auto second = hn::Set(words, query[i / 2 + 1]);
    for (std::size_t r = 0; r < kRegisters; ++r) {
      const auto packed = hn::LoadU(bytes, coordinates + 2 * kLanes * r);
      const auto high = hn::BitCast(bytes, hn::ShiftRight<4>(hn::BitCast(words, packed)));
      sums[r] = hn::Add(sums[r], hn::Add(multiply_pairs(hn::And(packed, low_half), first),
                                         multiply_pairs(hn::And(high, low_half), second)));
    }
  }
  for (std::size_t r = 0; r < kRegisters; ++r) hn::StoreU(sums[r], words, products + kLanes * r);
}

#endif  // HWY_TARGET == HWY_SCALAR

/// Turns products into cosines and returns the largest.
HWY_INLINE float scale_block(const std::int16_t* products, const float* inverse_norms, float* cosines) {
  const hn::CappedTag<float, 16> floats;
  const hn::RebindToSigned<decltype(floats)> wide;
  const hn::Rebind<std::int16_t, decltype(floats)> narrow;
  auto largest = hn::Set(floats, -1e30F);
  for (std::size_t i = 0; i < kSubwordBlock; i += hn::Lanes(floats)) {
    const auto product = hn::ConvertTo(floats, hn::PromoteTo(wide, hn::LoadU(narrow, products + i)));
    const auto cosine = hn::Mul(product, hn::LoadU(floats, inverse_norms + i));
    hn::StoreU(cosine, floats, cosines + i);
    largest = hn::Max(largest, cosine);
  }
  return hn::GetLane(hn::MaxOfLanes(floats, largest));
}

}  // namespace

void multiply_blocks(const SubwordBlocks& words, std::span<const std::uint32_t> chosen,
                     std::span<const std::int8_t, kSubwordDimension> query, SubwordScores* scores) {
  int sum = 0;
  for (const std::int8_t coordinate : query) sum += coordinate;
  const auto start = static_cast<std::int16_t>(-kSubwordOffset * sum);
  std::int16_t pairs[kSubwordDimension / 2];
  for (std::size_t i = 0; i < kSubwordDimension; i += 2) pairs[i / 2] = pair_of(query[i], query[i + 1]);
  for (const std::uint32_t block : chosen) {
    const std::size_t word = block * kSubwordBlock;
    multiply_block(words.coordinates.data() + word * kSubwordDimension / 2, pairs, start,
                   scores->products.data());
    scores->largest =
        scale_block(scores->products.data(), words.inverse_norms.data() + word, scores->cosines.data());
    ++scores;
  }
}

namespace {

using Groups = hn::CappedTag<std::int16_t, 32>;

HWY_INLINE std::size_t count_above(const GroupProducts& products, std::int16_t limit) {
  const Groups lanes;
  const auto limits = hn::Set(lanes, limit);
  std::size_t above = 0;
  for (std::size_t i = 0; i < products.size(); i += hn::Lanes(lanes))
    above += hn::CountTrue(lanes, hn::Gt(hn::LoadU(lanes, products.data() + i), limits));
  return above;
}

/// The largest limit that at least `count` products are above, by bisection: its steps have no branches, so
/// it is faster than sorting.
HWY_INLINE std::int16_t limit_below_best(const GroupProducts& products, std::size_t count) {
  int limit = kTakenProduct;
  for (int step = 1 << 15; step > 0; step /= 2)
    if (count_above(products, static_cast<std::int16_t>(limit + step)) >= count) limit += step;
  return static_cast<std::int16_t>(limit);
}

}  // namespace

void take_largest_groups(GroupProducts& products, std::span<std::uint8_t> groups) {
  const Groups lanes;
  const std::int16_t limit = limit_below_best(products, groups.size());
  const auto least = static_cast<std::int16_t>(limit + 1);
  std::size_t least_wanted = groups.size() - count_above(products, least);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < products.size(); i += hn::Lanes(lanes)) {
    const auto best = hn::Gt(hn::LoadU(lanes, products.data() + i), hn::Set(lanes, limit));
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(lanes, best, bytes);
    std::uint32_t bits;
    std::memcpy(&bits, bytes, sizeof bits);
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t group = i + static_cast<std::size_t>(__builtin_ctz(bits));
      if (products[group] == least && least_wanted == 0) continue;
      if (products[group] == least) --least_wanted;
      groups[taken++] = static_cast<std::uint8_t>(group);
      products[group] = kTakenProduct;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto::embed
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::embed {

HWY_EXPORT(find_similar);
HWY_EXPORT(multiply_blocks);
HWY_EXPORT(take_largest_groups);

void find_similar_signatures(std::span<const std::uint32_t> signatures, std::uint32_t signature,
                             unsigned most_bits, std::vector<std::uint32_t>& found) {
  HWY_DYNAMIC_DISPATCH(find_similar)(signatures, signature, most_bits, found);
}

void multiply_subwords(const SubwordBlocks& words, std::span<const std::uint32_t> chosen,
                       std::span<const std::int8_t, kSubwordDimension> query, SubwordScores* scores) {
  HWY_DYNAMIC_DISPATCH(multiply_blocks)(words, chosen, query, scores);
}

void take_largest(GroupProducts& products, std::span<std::uint8_t> groups) {
  HWY_DYNAMIC_DISPATCH(take_largest_groups)(products, groups);
}

}  // namespace sotto::embed
#endif  // HWY_ONCE

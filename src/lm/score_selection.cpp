#include "lm/score_selection.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lm/score_selection.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef SOTTO_LM_SCORE_SELECTION
#define SOTTO_LM_SCORE_SELECTION
namespace sotto::lm {

/// Divisible by the number of scores in any register.
inline constexpr std::size_t kScoreLanes = 16;

/// The functions compiled for one instruction set. Counts are multiples of kScoreLanes.
struct SelectionKernel {
  LargestScore (*largest)(const ScoreRow& row);
  std::size_t (*select)(const ScoreRow& row, float threshold, std::uint32_t first, std::uint32_t* places,
                        float* scores);
};

}  // namespace sotto::lm
#endif

HWY_BEFORE_NAMESPACE();
namespace sotto::lm {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, kScoreLanes>;
using Numbers = hn::RebindToUnsigned<Floats>;

HWY_INLINE hn::Vec<Floats> clamped(hn::Vec<Floats> x, hn::Vec<Floats> most) {
  return hn::Min(hn::Max(x, hn::Neg(most)), most);
}

LargestScore largest(const ScoreRow& row) {
  const Floats floats;
  const auto factor = hn::Set(floats, row.factor);
  const auto bound = hn::Set(floats, row.most);
  auto most = hn::Neg(bound);
  auto broken = hn::Zero(floats);
  for (std::size_t i = 0; i < row.count; i += hn::Lanes(floats)) {
    const auto score = hn::Mul(hn::LoadU(floats, row.scores + i), factor);
    broken = hn::Or(broken, hn::VecFromMask(floats, hn::Not(hn::Eq(score, score))));
    most = hn::Max(most, clamped(score, bound));
  }
  const Numbers numbers;
  return {hn::GetLane(hn::MaxOfLanes(floats, most)),
          hn::AllTrue(numbers, hn::Eq(hn::BitCast(numbers, broken), hn::Zero(numbers)))};
}

std::size_t select(const ScoreRow& row, float threshold, std::uint32_t first,
                   std::uint32_t* HWY_RESTRICT places, float* HWY_RESTRICT scores) {
  const Floats floats;
  const auto factor = hn::Set(floats, row.factor);
  const auto most = hn::Set(floats, row.most);
  const auto least = hn::Set(floats, threshold);
  std::size_t count = 0;
  for (std::size_t i = 0; i < row.count; i += hn::Lanes(floats)) {
    const auto score = clamped(hn::Mul(hn::LoadU(floats, row.scores + i), factor), most);
    const auto above = hn::Ge(score, least);
    if (hn::AllFalse(floats, above)) continue;
    const std::uint32_t place = first + static_cast<std::uint32_t>(i);
#if HWY_TARGET <= HWY_AVX3
    const Numbers numbers;
    const auto each = hn::Add(hn::Iota(numbers, 0), hn::Set(numbers, place));
    hn::StoreU(hn::Compress(score, above), floats, scores + count);
    hn::StoreU(hn::Compress(each, hn::RebindMask(numbers, above)), numbers, places + count);
    count += hn::CountTrue(floats, above);
#else
    // Highway compresses by a table, which the compiler copies for every use.
    float each[kScoreLanes];
    hn::StoreU(score, floats, each);
    for (std::uint32_t lane = 0; lane < hn::Lanes(floats); ++lane) {
      scores[count] = each[lane];
      places[count] = place + lane;
      count += each[lane] >= threshold ? 1 : 0;
    }
#endif
  }
  return count;
}

}  // namespace

SelectionKernel selection_kernel() {
  return {&largest, &select};
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto::lm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::lm {
namespace {

HWY_EXPORT(selection_kernel);

// Calls body with the row's whole blocks and where they begin, and with the rest in a copy that repeats the
// row's last number.
template <class Body>
void for_both_parts(const ScoreRow& row, const Body& body) {
  ScoreRow whole = row;
  whole.count = row.count / kScoreLanes * kScoreLanes;
  body(whole, 0);
  const std::size_t left = row.count - whole.count;
  if (left == 0) return;
  float copy[kScoreLanes];
  std::copy_n(row.scores + whole.count, left, copy);
  std::fill(copy + left, copy + kScoreLanes, copy[left - 1]);
  body({copy, kScoreLanes, row.factor, row.most}, whole.count);
}

}  // namespace

LargestScore largest_score(const ScoreRow& row) {
  const SelectionKernel kernel = HWY_DYNAMIC_DISPATCH(selection_kernel)();
  LargestScore found{-row.most, true};
  for_both_parts(row, [&](const ScoreRow& part, std::size_t) {
    const LargestScore largest = kernel.largest(part);
    found = {std::max(found.score, largest.score), found.all_numbers && largest.all_numbers};
  });
  return found;
}

void select_scores(const ScoreRow& row, float threshold, SelectedScores& out) {
  const SelectionKernel kernel = HWY_DYNAMIC_DISPATCH(selection_kernel)();
  const std::size_t room = row.count + 2 * kScoreLanes;
  if (out.scores.size() < room) {
    out.scores.resize(room);
    out.places.resize(room);
  }
  out.count = 0;
  for_both_parts(row, [&](const ScoreRow& part, std::size_t first) {
    out.count += kernel.select(part, threshold, static_cast<std::uint32_t>(first),
                               out.places.data() + out.count, out.scores.data() + out.count);
  });
  // The last number was repeated.
  while (out.count > 0 && out.places[out.count - 1] >= row.count) --out.count;
}

}  // namespace sotto::lm
#endif

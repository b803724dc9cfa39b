#include "random/weighted.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "base/check.hpp"

namespace sotto::random {
namespace {

using Wide = unsigned __int128;

Result<std::uint64_t> checked_total(std::span<const std::uint64_t> weights) {
  constexpr std::size_t kMostWeights = std::numeric_limits<std::uint32_t>::max();
  if (weights.empty())
    return fail(Errc::invalid_argument, "weights: none were given; at least one is needed");
  if (weights.size() > kMostWeights)
    return fail(Errc::limit,
                fmt::format("weights: {} were given; at most {} are allowed", weights.size(), kMostWeights));
  std::uint64_t total = 0;
  for (const std::uint64_t weight : weights)
    if (__builtin_add_overflow(total, weight, &total))
      return fail(Errc::limit, "weights: their sum is 2^64 or more; it must be less");
  if (total == 0) return fail(Errc::invalid_argument, "weights: all are zero; at least one must be positive");
  return total;
}

}  // namespace

Result<AliasTable> AliasTable::make(std::span<const std::uint64_t> weights) {
  AliasTable table;
  SOTTO_ASSIGN(table.total_, checked_total(weights));
  table.columns_.resize(weights.size());
  table.fill(weights);
  return table;
}

void AliasTable::fill(std::span<const std::uint64_t> weights) {
  // In units of 1/(n·total), each item has n·weight to place and each column takes `total`.
  std::vector<Wide> left(weights.size());
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint32_t i = 0; i < left.size(); ++i) {
    left[i] = static_cast<Wide>(weights[i]) * weights.size();
    (left[i] < total_ ? small : large).push_back(i);
  }
  while (!small.empty()) {
    const std::uint32_t i = small.back();
    const std::uint32_t donor = large.back();  // exists: what is left averages exactly `total` per column
    small.pop_back();
    columns_[i] = {static_cast<std::uint64_t>(left[i]), donor};
    left[donor] -= total_ - columns_[i].threshold;
    if (left[donor] < total_) {
      large.pop_back();
      small.push_back(donor);
    }
  }
  for (const std::uint32_t i : large) {
    SOTTO_CHECK(left[i] == total_);
    columns_[i] = {total_, i};
  }
}

std::vector<std::uint64_t> AliasTable::weights() const {
  std::vector<Wide> shares(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    shares[i] += columns_[i].threshold;
    shares[columns_[i].alias] += total_ - columns_[i].threshold;
  }
  std::vector<std::uint64_t> result(columns_.size());
  std::transform(shares.begin(), shares.end(), result.begin(), [this](Wide share) {
    SOTTO_CHECK(share % columns_.size() == 0);
    return static_cast<std::uint64_t>(share / columns_.size());
  });
  return result;
}

Result<CumulativeTable> CumulativeTable::make(std::span<const std::uint64_t> weights) {
  SOTTO_TRY(checked_total(weights));
  CumulativeTable table;
  table.cumulative_.reserve(weights.size());
  std::uint64_t sum = 0;
  for (const std::uint64_t weight : weights) table.cumulative_.push_back(sum += weight);
  table.compute_guide();
  return table;
}

void CumulativeTable::compute_guide() {
  // Between one and two cells per item, or one per position if there are fewer positions.
  const auto bits = static_cast<int>(std::bit_width(total() - 1));
  guide_shift_ = static_cast<unsigned>(std::max(0, bits - static_cast<int>(std::bit_width(size()))));
  const std::uint64_t cells = ((total() - 1) >> guide_shift_) + 1;
  guide_.reserve(cells + 1);
  std::uint32_t i = 0;
  for (std::uint64_t cell = 0; cell < cells; ++cell) {
    while (cumulative_[i] <= cell << guide_shift_) ++i;
    guide_.push_back(i);
  }
  while (cumulative_[i] < total()) ++i;
  guide_.push_back(i);
}

}  // namespace sotto::random

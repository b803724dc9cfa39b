#include "mechanisms/selection/row_cache.hpp"

#include <bit>
#include <utility>

namespace sotto::mechanism {
namespace {

constexpr int kGuideBits = 10;
constexpr std::uint64_t kRowOverhead = 128;  // a row's own members and allocator overhead

}  // namespace

DenseRow::DenseRow(std::span<const std::uint64_t> cumulative)
    : cumulative_(cumulative.begin(), cumulative.end()),
      shift_(std::max(0, static_cast<int>(std::bit_width(total() - 1)) - kGuideBits)) {
  const std::uint64_t cells = ((total() - 1) >> shift_) + 1;
  guide_.reserve(cells + 1);
  std::uint32_t outcome = 0;
  for (std::uint64_t cell = 0; cell < cells; ++cell) {
    while (cumulative_[outcome] <= cell << shift_) ++outcome;
    guide_.push_back(outcome);
  }
  guide_.push_back(static_cast<std::uint32_t>(cumulative_.size() - 1));
}

std::uint64_t DenseRow::bytes(std::size_t outcomes) {
  return kRowOverhead + 8 * outcomes + 4 * ((1ULL << kGuideBits) + 1);
}

SparseRow::SparseRow(std::vector<std::uint32_t> near, std::span<const std::uint64_t> cumulative,
                     std::uint64_t far_weight)
    : near_(std::move(near)), far_weight_(far_weight), total_(cumulative.back()) {
  starts_.reserve(near_.size());
  for (const std::uint32_t outcome : near_) starts_.push_back(outcome == 0 ? 0 : cumulative[outcome - 1]);
  last_end_ = near_.empty() ? 0 : cumulative[near_.back()];
}

std::uint32_t SparseRow::find(std::uint64_t position) const {
  const std::uint32_t after = find_in(starts_, position);
  if (after == 0) return static_cast<std::uint32_t>(position / far_weight_);
  const std::uint32_t outcome = near_[after - 1];
  const bool last = after == near_.size();
  const std::uint64_t end = last ? last_end_ : starts_[after] - (near_[after] - outcome - 1) * far_weight_;
  if (position < end) return outcome;
  return outcome + 1 + static_cast<std::uint32_t>((position - end) / far_weight_);
}

std::uint64_t SparseRow::bytes(std::size_t near_outcomes) {
  return kRowOverhead + 12 * near_outcomes;
}

BlockRow::BlockRow(std::span<const std::uint64_t> cumulative, std::vector<double> state)
    : state_(std::move(state)) {
  ends_.reserve((cumulative.size() + kOutcomes - 1) / kOutcomes);
  for (std::size_t end = kOutcomes; end < cumulative.size(); end += kOutcomes)
    ends_.push_back(cumulative[end - 1]);
  ends_.push_back(cumulative.back());
}

std::uint64_t BlockRow::bytes(std::size_t outcomes, std::size_t state_size) {
  return kRowOverhead + 8 * ((outcomes + kOutcomes - 1) / kOutcomes) + 8 * state_size;
}

RowCache::~RowCache() {
  for (std::atomic<const CachedRow*>& row : rows_) delete row.load(std::memory_order_relaxed);
  memory_.give_back(table_bytes_, block_bytes_);
}

bool RowCache::reserve_table(std::uint64_t bytes) {
  if (!memory_.take_table(bytes)) return false;
  table_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

bool RowCache::reserve_block(std::uint64_t bytes) {
  if (!memory_.take_block(bytes)) return false;
  block_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

void RowCache::add(std::size_t input, std::unique_ptr<const CachedRow> row) {
  const CachedRow* expected = nullptr;
  if (rows_[input].compare_exchange_strong(expected, row.get(), std::memory_order_acq_rel))
    static_cast<void>(row.release());  // the cache owns it now
}

bool RowMemory::take(std::atomic<std::uint64_t>& left, std::uint64_t bytes) {
  std::uint64_t now = left.load(std::memory_order_relaxed);
  while (now >= bytes)
    if (left.compare_exchange_weak(now, now - bytes, std::memory_order_relaxed)) return true;
  return false;
}

}  // namespace sotto::mechanism

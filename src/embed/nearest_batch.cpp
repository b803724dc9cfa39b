#include "embed/nearest_batch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace sotto::embed {
namespace {

// Queries per batch: their 8-bit and exact forms stay in the second-level cache.
constexpr std::size_t kBatchQueries = 4 * kByteQueries;
// Entries for the nearest rows of a batch.
constexpr std::size_t kBatchEntries = std::size_t{1} << 20;
// Rows that all queries go through before the next ones: they stay in the second-level cache too.
constexpr std::size_t kBlockRows = 8 * kPanelRows;
static_assert(kBlockRows % kByteRows == 0 && kPanelRows % kByteRows == 0);

// For every float in the inequality of QueryBounds. With M the sum of its terms' magnitudes, the conversions
// of the coefficients and of the product, the roundings of the sum and the division by the scale have an
// error of less than 14·2⁻²⁴·M; raising each term by this fraction of its magnitude raises the sum by more.
constexpr double kSlack = 0x1p-19;

std::size_t capacity_for(std::size_t k) {
  const std::size_t queries = std::clamp<std::size_t>(kBatchEntries / k, 1, kBatchQueries);
  return (queries + kByteQueries - 1) / kByteQueries * kByteQueries;
}

double largest_magnitude(std::span<const std::int32_t> values) {
  double largest = 0;
  for (const std::int32_t x : values) largest = std::max(largest, std::abs(static_cast<double>(x)));
  return largest;
}

// Rounds values / scale to integers, stores them, and returns their norm and |values − scale · integers|.
struct Rounded {
  double length;
  double error;
};
template <class Store>
Rounded round_values(std::span<const std::int32_t> values, float scale, Store store) {
  double squares = 0;
  double errors = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double rounded = std::nearbyint(values[i] / double{scale});
    store(i, static_cast<std::int32_t>(rounded));
    const double error = values[i] - double{scale} * rounded;
    squares += rounded * rounded;
    errors += error * error;
  }
  return {std::sqrt(squares), std::sqrt(errors)};
}

}  // namespace

LeastKeys::LeastKeys(std::size_t queries, std::size_t k)
    : k_(k),
      bounds_(queries, std::numeric_limits<std::int64_t>::max()),
      sizes_(queries, 0),
      entries_(queries * k) {}

void LeastKeys::insert(std::size_t query, std::int64_t key, std::uint32_t row) {
  Entry* begin = entries_.data() + query * k_;
  std::size_t& size = sizes_[query];
  if (size == k_) {
    if (!(Entry{key, row} < *begin)) return;
    std::pop_heap(begin, begin + k_);
  } else {
    ++size;
  }
  begin[size - 1] = {key, row};
  std::push_heap(begin, begin + size);
  if (size == k_) bounds_[query] = begin->key + 1;  // an equal key may still win the tie
}

void LeastKeys::finish(std::size_t query, SquaredDistance query_norm, Neighbour* out) {
  Entry* begin = entries_.data() + query * k_;
  std::sort_heap(begin, begin + sizes_[query]);
  for (std::size_t i = 0; i < sizes_[query]; ++i) out[i] = {begin[i].key + query_norm, begin[i].row};
  sizes_[query] = 0;
  bounds_[query] = std::numeric_limits<std::int64_t>::max();
}

NearestBatch::NearestBatch(const PackedRows& rows, std::size_t k)
    : rows_(rows),
      kernels_(nearest_kernels()),
      use_bytes_(rows.bytes != nullptr && kernels_.multiply_bytes != nullptr),
      k_(k),
      capacity_(capacity_for(k)),
      least_(capacity_, k),
      queries_(allocate_zeros<std::int32_t>(capacity_ * rows.stride)),
      bounds_(allocate_zeros<float>(4 * capacity_)) {
  if (use_bytes_)
    bytes_ = allocate_zeros<std::uint8_t>(capacity_ * 4 * rows.quads);
  else
    words_ = allocate_zeros<std::int16_t>(capacity_ * rows.stride);
}

void NearestBatch::find(std::span<const std::int32_t> queries, Neighbour* out) {
  load(queries);
  for (std::size_t begin = 0; begin < rows_.size; begin += kBlockRows) {
    const std::size_t end = std::min(begin + kBlockRows, rows_.size);
    use_bytes_ ? scan_bytes(begin, end) : scan_words(begin, end);
  }
  for (std::size_t q = 0; q < count_; ++q) {
    SquaredDistance norm = 0;
    for (const std::int32_t x : queries.subspan(q * rows_.dimension, rows_.dimension))
      norm += std::int64_t{x} * x;
    least_.finish(q, norm, out + q * k_);
  }
}

void NearestBatch::load(std::span<const std::int32_t> queries) {
  count_ = queries.size() / rows_.dimension;
  for (std::size_t q = 0; q < count_; ++q) {
    const auto values = queries.subspan(q * rows_.dimension, rows_.dimension);
    std::copy(values.begin(), values.end(), queries_.get() + q * rows_.stride);
    use_bytes_ ? load_bytes(q, values) : load_words(q, values);
    lower_constant(q);
  }
  for (std::size_t q = count_; q < capacity_; ++q) {
    for (std::size_t term = 0; term < 3; ++term) bounds_[term * capacity_ + q] = 1;
    bounds_[3 * capacity_ + q] = -std::numeric_limits<float>::infinity();
  }
}

void NearestBatch::load_bytes(std::size_t query, std::span<const std::int32_t> values) {
  const double largest = largest_magnitude(values);
  const float scale = largest <= 127 ? 1.0F : static_cast<float>(largest / 127);
  std::uint8_t* out =
      bytes_.get() + query / kByteQueries * kByteQueries * 4 * rows_.quads + query % kByteQueries * 4;
  const Rounded rounded = round_values(values, scale, [&](std::size_t i, std::int32_t value) {
    out[i / 4 * 4 * kByteQueries + i % 4] = static_cast<std::uint8_t>(value + 128);
  });
  set_bounds(query, scale, rounded.length, rounded.error);
}

// As 16-bit integers of norm at most kLargestNorm, so that inner products with rows fit into 32 bits;
// rounding adds at most ½·√dimension to a norm.
void NearestBatch::load_words(std::size_t query, std::span<const std::int32_t> values) {
  double squares = 0;
  for (const std::int32_t x : values) squares += static_cast<double>(x) * x;
  const double longest =
      static_cast<double>(kLargestNorm) - 1 - std::sqrt(static_cast<double>(rows_.dimension));
  const double largest = largest_magnitude(values);
  const auto scale = static_cast<float>(std::max({1.0, std::sqrt(squares) / longest, largest / 32767}));
  std::int16_t* out = words_.get() + query * rows_.stride;
  const Rounded rounded = round_values(
      values, scale, [&](std::size_t i, std::int32_t value) { out[i] = static_cast<std::int16_t>(value); });
  set_bounds(query, scale, rounded.length, rounded.error);
}

// With q ≈ scale·a and w ≈ s·b, q·w = scale·s·a·b + scale·a·(w − s·b) + (q − scale·a)·w. So by Cauchy–Schwarz
// the key |w|² − 2·q·w can be below a bound T only if s·a·b + |a|·|w − s·b| + |q − scale·a|/scale·|w| +
// T/(2·scale) − |w|²/(2·scale) > 0. Also |s·a·b| ≤ |a|·(|w| + |w − s·b|), which bounds its rounding error.
void NearestBatch::set_bounds(std::size_t query, double scale, double length, double error) {
  float* out = bounds_.get() + query;
  out[0] = static_cast<float>(error / scale * (1 + kSlack) + length * kSlack);
  out[capacity_] = static_cast<float>(length * (1 + 2 * kSlack));
  out[2 * capacity_] = static_cast<float>((1 - kSlack) / (2 * scale));
}

void NearestBatch::lower_constant(std::size_t query) {
  const double constant = static_cast<double>(least_.bound(query)) * bounds_[2 * capacity_ + query];
  bounds_[3 * capacity_ + query] = static_cast<float>(constant + 4 * kSlack * std::abs(constant));
}

QueryBounds NearestBatch::bounds(std::size_t query) const {
  const float* at = bounds_.get() + query;
  return {at, at + capacity_, at + 2 * capacity_, at + 3 * capacity_};
}

void NearestBatch::scan_bytes(std::size_t begin, std::size_t end) {
  std::uint64_t passed[kByteRows];
  for (std::size_t first = 0; first < count_; first += kByteQueries) {
    for (std::size_t place = begin; place < end; place += kByteRows) {
      const BytePanel panel{rows_.byte_row(place),
                            rows_.biases.data() + place,
                            bytes_.get() + first * 4 * rows_.quads,
                            rows_.quads,
                            std::min(kByteQueries, count_ - first),
                            rows_.tiles[place / kByteRows],
                            bounds(first)};
      if (!kernels_.multiply_bytes(panel, passed)) continue;
      for (std::size_t r = 0; r < std::min(kByteRows, end - place); ++r) {
        for (std::uint64_t left = passed[r]; left != 0; left &= left - 1)
          examine(first + static_cast<std::size_t>(std::countr_zero(left)), rows_.byte_order[place + r]);
      }
    }
  }
}

void NearestBatch::scan_words(std::size_t begin, std::size_t end) {
  alignas(64) std::int32_t products[kPanelQueries * kPanelRows];
  for (std::size_t row = begin; row < end; row += kPanelRows) {
    const RowBounds row_bounds = rows_.bounds(row);
    for (std::size_t first = 0; first < count_; first += kPanelQueries) {
      const std::size_t queries = std::min(kPanelQueries, count_ - first);
      kernels_.multiply(rows_.row(row), words_.get() + first * rows_.stride, queries, rows_.stride, products);
      for (std::size_t q = 0; q < queries; ++q) {
        std::uint64_t left = kernels_.compare(products + q * kPanelRows, row_bounds, bounds(first + q));
        for (; left != 0; left &= left - 1)
          examine(first + q, row + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }
}

void NearestBatch::examine(std::size_t query, std::size_t row) {
  const std::int64_t product =
      kernels_.multiply_wide(rows_.row(row), queries_.get() + query * rows_.stride, rows_.stride);
  const std::int64_t key = rows_.squared_norms[row] - 2 * product;
  if (key >= least_.bound(query)) return;
  least_.insert(query, key, static_cast<std::uint32_t>(row));
  lower_constant(query);
}

}  // namespace sotto::embed

#include "embed/nearest.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "embed/nearest_batch.hpp"

namespace sotto::embed {
namespace {

// Queries that a thread of search() takes at a time, and that share a pass over the rows in
// squared_distances().
constexpr std::size_t kBlockQueries = 128;

std::int64_t squared_norm(std::span<const std::int16_t> values) {
  std::int64_t sum = 0;
  for (const std::int16_t x : values) sum += std::int64_t{x} * x;
  return sum;
}

// 16-bit queries, padded for the kernels, and their inner products with any row.
class NarrowQueries {
 public:
  NarrowQueries(const PackedRows& rows, std::span<const std::int16_t> queries)
      : rows_(rows),
        kernels_(nearest_kernels()),
        count_(queries.size() / rows.dimension),
        values_(allocate_zeros<std::int16_t>(count_ * rows.stride)) {
    for (std::size_t q = 0; q < count_; ++q) {
      const auto values = queries.subspan(q * rows.dimension, rows.dimension);
      std::copy(values.begin(), values.end(), values_.get() + q * rows.stride);
      norms_.push_back(squared_norm(values));
    }
  }

  std::size_t count() const { return count_; }
  std::int64_t norm(std::size_t query) const { return norms_[query]; }

  /// Calls consume(query, keys) for at most kPanelQueries queries starting at `first`, with the keys |row|² −
  /// 2·query·row of kPanelRows rows starting at `row`.
  template <class Consume>
  void keys(std::size_t first, std::size_t row, Consume consume) const {
    alignas(64) std::int32_t products[kPanelQueries * kPanelRows];
    std::int64_t out[kPanelRows];
    const std::size_t queries = std::min(kPanelQueries, count_ - first);
    const std::int16_t* values = values_.get() + first * rows_.stride;
    kernels_.multiply(rows_.row(row), values, queries, rows_.stride, products);
    for (std::size_t q = first; q < first + queries; ++q) {
      const std::int32_t* in = products + (q - first) * kPanelRows;
      for (std::size_t r = 0; r < kPanelRows; ++r)
        out[r] = rows_.squared_norms[row + r] - 2 * std::int64_t{in[r]};
      if (norms_[q] > kLargestNorm * kLargestNorm) wide_keys(q, row, out);
      consume(q, static_cast<const std::int64_t*>(out));
    }
  }

 private:
  // For a query whose inner products may not fit into 32 bits.
  void wide_keys(std::size_t query, std::size_t row, std::int64_t* out) const {
    auto wide = allocate_zeros<std::int32_t>(rows_.stride);
    std::copy_n(values_.get() + query * rows_.stride, rows_.stride, wide.get());
    for (std::size_t r = 0; r < kPanelRows; ++r)
      out[r] = rows_.squared_norms[row + r] -
               2 * kernels_.multiply_wide(rows_.row(row + r), wide.get(), rows_.stride);
  }

  const PackedRows& rows_;
  const NearestKernels& kernels_;
  std::size_t count_;
  hwy::AlignedFreeUniquePtr<std::int16_t[]> values_;
  std::vector<std::int64_t> norms_;
};

}  // namespace

Result<NearestSearch> NearestSearch::create(std::span<const std::int16_t> rows, std::size_t dimension) {
  NearestSearch search;
  const std::size_t size = dimension == 0 ? 0 : rows.size() / dimension;
  SOTTO_TRY(search.rows_.pack(size, dimension, nearest_kernels().multiply_bytes != nullptr,
                              [&](std::size_t row, std::span<std::int16_t> out) {
                                const auto in = rows.subspan(row * dimension, dimension);
                                std::copy(in.begin(), in.end(), out.begin());
                              }));
  return search;
}

Result<NearestSearch> NearestSearch::create(const Model& model) {
  if (model.dimension() == 0)
    return fail(Errc::invalid_argument,
                fmt::format("model {} is a list set; a model with vectors is needed", model.name()));
  if (model.bits() == 16) return create(model.vectors16(), model.dimension());
  NearestSearch search;
  const auto vectors = model.vectors8();
  const std::size_t dimension = model.dimension();
  SOTTO_TRY(search.rows_.pack(model.size(), dimension, nearest_kernels().multiply_bytes != nullptr,
                              [&](std::size_t row, std::span<std::int16_t> out) {
                                const auto in = vectors.subspan(row * dimension, dimension);
                                std::copy(in.begin(), in.end(), out.begin());
                              }));
  return search;
}

void NearestSearch::copy_row(std::size_t row, std::span<std::int16_t> out) const {
  std::copy_n(rows_.row(row), rows_.dimension, out.begin());
}

void NearestSearch::nearest(std::span<const std::int32_t> queries, std::size_t k,
                            std::span<Neighbour> out) const {
  const std::size_t found = std::min(k, size());
  const std::size_t count = queries.size() / dimension();
  if (found == 0 || count == 0) return;
  NearestBatch batch(rows_, found);
  for (std::size_t begin = 0; begin < count; begin += batch.capacity()) {
    const std::size_t end = std::min(begin + batch.capacity(), count);
    batch.find(queries.subspan(begin * dimension(), (end - begin) * dimension()), out.data() + begin * found);
  }
}

void NearestSearch::search(std::span<const std::int16_t> queries, std::size_t k, unsigned threads,
                           std::span<Neighbour> out) const {
  const std::size_t found = std::min(k, size());
  const std::size_t count = queries.size() / dimension();
  base::parallel_for(count, kBlockQueries, base::thread_count(threads),
                     [&](std::size_t begin, std::size_t end) {
                       const auto part = queries.subspan(begin * dimension(), (end - begin) * dimension());
                       const std::vector<std::int32_t> wide(part.begin(), part.end());
                       nearest(wide, k, out.subspan(begin * found, (end - begin) * found));
                     });
}

void NearestSearch::squared_distances(std::span<const std::int16_t> queries,
                                      std::span<std::int64_t> out) const {
  const std::size_t count = queries.size() / dimension();
  for (std::size_t begin = 0; begin < count; begin += kBlockQueries) {
    const std::size_t end = std::min(begin + kBlockQueries, count);
    const NarrowQueries block(rows_, queries.subspan(begin * dimension(), (end - begin) * dimension()));
    for (std::size_t row = 0; row < size(); row += kPanelRows) {
      const std::size_t rows = std::min(kPanelRows, size() - row);
      for (std::size_t first = 0; first < block.count(); first += kPanelQueries)
        block.keys(first, row, [&](std::size_t query, const std::int64_t* keys) {
          std::int64_t* to = out.data() + (begin + query) * size() + row;
          for (std::size_t r = 0; r < rows; ++r) to[r] = keys[r] + block.norm(query);
        });
    }
  }
}

Neighbour NearestSearch::nearest_except(std::span<const std::int16_t> query,
                                        std::span<const std::uint8_t> excluded) const {
  const NarrowQueries block(rows_, query);
  std::int64_t best_key = std::numeric_limits<std::int64_t>::max();
  std::size_t best_row = 0;
  for (std::size_t row = 0; row < size(); row += kPanelRows) {
    const std::size_t rows = std::min(kPanelRows, size() - row);
    block.keys(0, row, [&](std::size_t, const std::int64_t* keys) {
      for (std::size_t r = 0; r < rows; ++r) {
        if (keys[r] >= best_key || excluded[row + r] != 0) continue;
        best_key = keys[r];
        best_row = row + r;
      }
    });
  }
  return {SquaredDistance{best_key} + block.norm(0), static_cast<std::uint32_t>(best_row)};
}

}  // namespace sotto::embed

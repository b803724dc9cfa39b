#include "embed/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "embed/nearest_kernel.hpp"

namespace sotto {
namespace {

// Queries that share one pass over the rows: enough that the pass is bound by arithmetic, not by memory.
constexpr std::size_t kBlockQueries = 8 * kTileQueries;

constexpr std::int64_t kEverything = std::numeric_limits<std::int64_t>::max();

// A coordinate is 128·high + low with |low| ≤ 64 and |high| ≤ 256, and 256·√kLargestDimension·kLargestNorm
// < 2³¹: so both halves of any query have 32-bit inner products with every row.
constexpr int kLowBits = 7;

std::int32_t pack_pair(std::int32_t first, std::int32_t second) {
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(second) << 16) |
                                   (static_cast<std::uint32_t>(first) & 0xFFFF));
}

std::int64_t squared_norm(std::span<const std::int16_t> row) {
  std::int64_t sum = 0;
  for (const std::int16_t x : row) sum += std::int64_t{x} * x;
  return sum;
}

// The smallest integer whose square is at least `square`.
std::int64_t ceiling_root(std::int64_t square) {
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(square)));
  while (root * root < square) ++root;
  while (root > 0 && (root - 1) * (root - 1) >= square) --root;
  return root;
}

// Collects the k least (key, row) of a sequence in which rows ascend. A key is |row|² − 2·query·row, the
// squared distance less |query|².
class LeastKeys {
 public:
  void reset(std::size_t k) {
    k_ = k;
    bound_ = kEverything;
    kept_.clear();
    kept_.reserve(2 * k);
  }

  /// Only keys below this can still enter: rows ascend, so an equal key loses its tie.
  std::int64_t bound() const { return bound_; }

  void offer(std::int64_t key, std::uint32_t row) {
    if (key >= bound_) return;
    kept_.push_back({key, row});
    if (kept_.size() >= 2 * k_) shrink();
  }

  void finish(std::int64_t query_norm, Neighbour* out) {
    shrink();
    std::sort(kept_.begin(), kept_.end());
    for (const Neighbour& entry : kept_) *out++ = {entry.squared_distance + query_norm, entry.row};
  }

 private:
  void shrink() {
    if (kept_.size() < k_) return;
    const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(kept_.begin(), last, kept_.end());
    bound_ = last->squared_distance;
    kept_.resize(k_);
  }

  std::size_t k_ = 0;
  std::int64_t bound_ = kEverything;
  std::vector<Neighbour> kept_;
};

// A narrow query can be compared in 32 bits. Its inner products fit, being at most length·longest; and so
// does ⌊|row|²/2⌋ − half_bound (see HalfBound), because no key is below −min(length², 2·length·longest).
bool is_narrow(std::int64_t length, std::int64_t longest) {
  constexpr std::int64_t kLimit = std::numeric_limits<std::int32_t>::max();
  const std::int64_t lowest_half_key = std::min(length * length / 2, length * longest) + 1;
  return length * longest <= kLimit && longest * longest / 2 + lowest_half_key <= kLimit;
}

// The kernel compares product > ⌊|row|²/2⌋ − half_bound. |row|² − 2·product < bound implies that for
// half_bound = ⌈bound/2⌉, so nothing is missed; what passes is checked exactly. A bound that does not fit in
// 32 bits excludes next to nothing: then `everything` is set and the kernel's answer not used.
struct HalfBound {
  explicit HalfBound(std::int64_t bound) {
    const std::int64_t half = (bound >> 1) + (bound & 1);
    everything = half > std::numeric_limits<std::int32_t>::max();
    value = everything ? 0 : static_cast<std::int32_t>(half);
  }
  std::int32_t value;
  bool everything;
};

// Queries of one block in the kernel's form: one packed row each, or a high and a low one for a wide query.
class QueryBlock {
 public:
  QueryBlock(std::span<const std::int16_t> queries, std::size_t dimension, std::int64_t largest_norm)
      : dimension_(dimension), pairs_((dimension + 1) / 2), count_(queries.size() / dimension) {
    for (std::size_t i = 0; i < count_; ++i) {
      norms_.push_back(squared_norm(queries.subspan(i * dimension, dimension)));
      const std::int64_t length = ceiling_root(norms_.back());
      wide_ = wide_ || !is_narrow(length, largest_norm);
    }
    packed_.assign((packed_count() + kTileQueries - 1) / kTileQueries * kTileQueries * pairs_, 0);
    for (std::size_t i = 0; i < count_; ++i) pack(i, queries.subspan(i * dimension, dimension));
  }

  bool wide() const { return wide_; }
  std::size_t count() const { return count_; }
  std::size_t packed_count() const { return wide_ ? 2 * count_ : count_; }
  /// The packed rows from `first` on, a multiple of kTileQueries.
  const std::int32_t* packed(std::size_t first) const { return packed_.data() + first * pairs_; }
  std::int64_t norm(std::size_t query) const { return norms_[query]; }
  /// The inner product of a row with the query whose (first) packed row is in `slot`.
  std::int64_t product(const TileProducts& products, std::size_t slot, std::size_t row) const {
    const std::int64_t first = products.products[slot][row];
    return wide_ ? (first << kLowBits) + products.products[slot + 1][row] : first;
  }

 private:
  static std::int32_t high(std::int32_t x) { return (x + (1 << (kLowBits - 1))) >> kLowBits; }

  void pack(std::size_t query, std::span<const std::int16_t> values) {
    if (!wide_) return pack_row(query, values, [](std::int32_t x) { return x; });
    pack_row(2 * query, values, [](std::int32_t x) { return high(x); });
    pack_row(2 * query + 1, values, [](std::int32_t x) { return x - (high(x) << kLowBits); });
  }

  template <class Part>
  void pack_row(std::size_t index, std::span<const std::int16_t> values, Part part) {
    std::int32_t* out = packed_.data() + index / kTileQueries * kTileQueries * pairs_ + index % kTileQueries;
    for (std::size_t i = 0; i < dimension_; i += 2, out += kTileQueries)
      *out = pack_pair(part(values[i]), i + 1 < dimension_ ? part(values[i + 1]) : 0);
  }

  std::size_t dimension_;
  std::size_t pairs_;
  std::size_t count_;
  bool wide_ = false;
  std::vector<std::int64_t> norms_;
  std::vector<std::int32_t> packed_;
};

// Offers the rows of a panel whose bit is set in `candidates`; `norms` are those of the rows that exist.
void offer_rows(const QueryBlock& block, const TileProducts& products, std::size_t slot,
                std::uint32_t candidates, std::span<const std::int32_t> norms, std::size_t first_row,
                LeastKeys& least) {
  for (; candidates != 0; candidates &= candidates - 1) {
    const auto row = static_cast<std::size_t>(__builtin_ctz(candidates));
    if (row >= norms.size()) return;
    least.offer(norms[row] - 2 * block.product(products, slot, row),
                static_cast<std::uint32_t>(first_row + row));
  }
}

}  // namespace

Result<void> NearestSearch::pack(
    std::size_t size, std::size_t dimension,
    const std::function<void(std::size_t row, std::span<std::int16_t> out)>& read_row) {
  if (dimension == 0 || dimension > kLargestDimension)
    return fail(Errc::bad_format,
                fmt::format("vectors of dimension {}; 1 to {} is supported", dimension, kLargestDimension));
  size_ = size;
  dimension_ = dimension;
  const std::size_t panel_count = (size + kPanelRows - 1) / kPanelRows;
  const std::size_t panel_size = 2 * pairs() * kPanelRows;
  panels_ = hwy::AllocateAligned<std::int16_t>(std::max<std::size_t>(1, panel_count * panel_size));
  if (panels_ == nullptr) return fail(Errc::limit, "not enough memory for nearest-word search");
  std::fill_n(panels_.get(), panel_count * panel_size, std::int16_t{0});
  norms_.assign(panel_count * kPanelRows, 0);
  half_norms_.assign(panel_count * kPanelRows, 0);
  std::vector<std::int16_t> row(dimension);
  for (std::size_t i = 0; i < size; ++i) {
    read_row(i, row);
    const std::int64_t norm = squared_norm(row);
    if (norm > kLargestNorm * kLargestNorm)
      return fail(Errc::bad_format, fmt::format("vector {} has squared norm {}; at most {} is supported", i,
                                                norm, kLargestNorm * kLargestNorm));
    norms_[i] = static_cast<std::int32_t>(norm);
    half_norms_[i] = norms_[i] / 2;
    largest_norm_ = std::max(largest_norm_, norm);
    std::int16_t* out = panels_.get() + i / kPanelRows * panel_size + 2 * (i % kPanelRows);
    for (std::size_t c = 0; c < dimension; ++c) out[c / 2 * 2 * kPanelRows + c % 2] = row[c];
  }
  largest_norm_ = ceiling_root(largest_norm_);
  return {};
}

Result<NearestSearch> NearestSearch::create(std::span<const std::int16_t> rows, std::size_t dimension) {
  NearestSearch search;
  const std::size_t size = dimension == 0 ? 0 : rows.size() / dimension;
  SOTTO_TRY(search.pack(size, dimension, [&](std::size_t row, std::span<std::int16_t> out) {
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(row * dimension), dimension, out.begin());
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
  SOTTO_TRY(search.pack(model.size(), dimension, [&](std::size_t row, std::span<std::int16_t> out) {
    std::copy_n(vectors.begin() + static_cast<std::ptrdiff_t>(row * dimension), dimension, out.begin());
  }));
  return search;
}

const std::int16_t* NearestSearch::panel(std::size_t index) const {
  return panels_.get() + index * 2 * pairs() * kPanelRows;
}

void NearestSearch::copy_row(std::size_t row, std::span<std::int16_t> out) const {
  const std::int16_t* in = panel(row / kPanelRows) + 2 * (row % kPanelRows);
  for (std::size_t c = 0; c < dimension_; ++c) out[c] = in[c / 2 * 2 * kPanelRows + c % 2];
}

void NearestSearch::search(std::span<const std::int16_t> queries, std::size_t k, unsigned threads,
                           std::span<Neighbour> out) const {
  const std::size_t found = std::min(k, size_);
  const std::size_t count = queries.size() / dimension_;
  if (found == 0) return;
  parallel_for(count, kBlockQueries, thread_count(threads), [&](std::size_t begin, std::size_t end) {
    search_block(queries.subspan(begin * dimension_, (end - begin) * dimension_), found,
                 out.data() + begin * found);
  });
}

void NearestSearch::search_block(std::span<const std::int16_t> queries, std::size_t k, Neighbour* out) const {
  const MultiplyTile multiply_tile = multiply_tile_kernel();
  const QueryBlock block(queries, dimension_, largest_norm_);
  const std::size_t stride = block.packed_count() / block.count();
  std::vector<LeastKeys> least(block.count());
  for (LeastKeys& keys : least) keys.reset(k);
  TileProducts products;
  std::int32_t half_bounds[kTileQueries] = {};
  std::uint32_t always[kTileQueries] = {};
  // Panel by panel, all queries: the panel stays in the first-level cache, the queries in the second.
  for (std::size_t first_row = 0; first_row < size_; first_row += kPanelRows) {
    const auto norms = std::span(norms_).subspan(first_row, std::min(kPanelRows, size_ - first_row));
    for (std::size_t first = 0; first < block.packed_count(); first += kTileQueries) {
      const std::size_t count = std::min(kTileQueries, block.packed_count() - first);
      for (std::size_t q = 0; q < count; q += stride) {
        const HalfBound bound(least[(first + q) / stride].bound());
        half_bounds[q] = bound.value;
        always[q] = bound.everything || block.wide() ? ~std::uint32_t{0} : 0;
      }
      multiply_tile({panel(first_row / kPanelRows), half_norms_.data() + first_row, pairs(),
                     block.packed(first), half_bounds, count},
                    products);
      for (std::size_t q = 0; q < count; q += stride)
        offer_rows(block, products, q, products.passed[q] | always[q], norms, first_row,
                   least[(first + q) / stride]);
    }
  }
  for (std::size_t q = 0; q < block.count(); ++q) least[q].finish(block.norm(q), out + q * k);
}

Neighbour NearestSearch::nearest_except(std::span<const std::int16_t> query,
                                        std::span<const std::uint8_t> excluded) const {
  const MultiplyTile multiply_tile = multiply_tile_kernel();
  const QueryBlock block(query, dimension_, largest_norm_);
  TileProducts products;
  Neighbour best{kEverything, 0};
  for (std::size_t first_row = 0; first_row < size_; first_row += kPanelRows) {
    const HalfBound bound(best.squared_distance);
    const std::int32_t half_bounds[2] = {bound.value, 0};
    multiply_tile({panel(first_row / kPanelRows), half_norms_.data() + first_row, pairs(), block.packed(0),
                   half_bounds, block.packed_count()},
                  products);
    const std::size_t rows = std::min(kPanelRows, size_ - first_row);
    const bool all = bound.everything || block.wide();
    for (std::uint32_t left = all ? ~std::uint32_t{0} : products.passed[0]; left != 0; left &= left - 1) {
      const auto r = static_cast<std::size_t>(__builtin_ctz(left));
      if (r >= rows) break;
      if (excluded[first_row + r] != 0) continue;
      const std::int64_t product = block.product(products, 0, r);
      const std::int64_t key = norms_[first_row + r] - 2 * product;
      if (key < best.squared_distance) best = {key, static_cast<std::uint32_t>(first_row + r)};
    }
  }
  best.squared_distance += block.norm(0);
  return best;
}

}  // namespace sotto

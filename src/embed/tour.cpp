#include "embed/tour.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/check.hpp"
#include "base/parallel.hpp"

namespace sotto::embed {
namespace {

// Rows between two reports, and per unit of a thread's work.
constexpr std::size_t kRowsAtOnce = 192;
// Smaller sets are faster to search than to prepare.
constexpr std::size_t kSmallestStage = 512;
constexpr std::uint32_t kNone = ~std::uint32_t{0};

// Rows of `search` as row-major integers.
std::vector<std::int16_t> copy_rows(const NearestSearch& search, std::size_t begin, std::size_t end) {
  std::vector<std::int16_t> rows((end - begin) * search.dimension());
  for (std::size_t row = begin; row < end; ++row)
    search.copy_row(row, std::span(rows).subspan((row - begin) * search.dimension(), search.dimension()));
  return rows;
}

// One walk. As it proceeds, most of a row's neighbours are used up, so whenever half of the rows have been
// visited the walk starts a new stage: only the unvisited rows, packed again, with their own neighbours.
class Walk {
 public:
  Walk(const NearestSearch& search, const NeighbourTable& neighbours, unsigned threads)
      : all_(search), search_(&search), neighbours_(&neighbours), threads_(threads) {
    members_.resize(search.size());
    for (std::size_t i = 0; i < members_.size(); ++i) members_[i] = static_cast<std::uint32_t>(i);
    visited_.assign(search.size(), 0);
    unvisited_ = search.size();
    query_.resize(search.dimension());
  }

  std::size_t unvisited() const { return unvisited_; }

  /// Visits a row of the current stage and returns its number in the whole set.
  std::uint32_t visit(std::uint32_t member) {
    SOTTO_CHECK(visited_[member] == 0);
    visited_[member] = 1;
    --unvisited_;
    place_ = member;
    row_ = members_[member];
    if (unvisited_ >= kSmallestStage && unvisited_ <= members_.size() / 2) start_stage();
    return row_;
  }

  /// The unvisited row of the current stage that is nearest to the last one visited.
  std::uint32_t nearest_unvisited() const {
    if (place_ != kNone) {
      const std::uint32_t* list = neighbours_->rows.data() + place_ * neighbours_->width;
      for (std::size_t i = 0; i < neighbours_->width; ++i)
        if (visited_[list[i]] == 0) return list[i];
    }
    all_.copy_row(row_, query_);
    return search_->nearest_except(query_, visited_).row;
  }

 private:
  void start_stage();

  const NearestSearch& all_;
  const NearestSearch* search_;       ///< of the current stage
  const NeighbourTable* neighbours_;  ///< of the current stage
  std::optional<NearestSearch> own_search_;
  NeighbourTable own_neighbours_;
  unsigned threads_;
  std::vector<std::uint32_t> members_;  ///< of the current stage, ascending, so ties go to the lower row
  std::vector<std::uint8_t> visited_;   ///< by place in members_
  std::size_t unvisited_ = 0;
  std::uint32_t place_ = kNone;  ///< place of the last row visited; kNone if it is not a member
  std::uint32_t row_ = 0;        ///< the last row visited
  mutable std::vector<std::int16_t> query_;
};

void Walk::start_stage() {
  std::vector<std::uint32_t> left;
  left.reserve(unvisited_);
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (visited_[i] == 0) left.push_back(members_[i]);
  members_ = std::move(left);
  std::vector<std::int16_t> rows(members_.size() * all_.dimension());
  for (std::size_t i = 0; i < members_.size(); ++i)
    all_.copy_row(members_[i], std::span(rows).subspan(i * all_.dimension(), all_.dimension()));
  const std::size_t width = neighbours_->width;
  auto packed = NearestSearch::create(rows, all_.dimension());
  SOTTO_CHECK(packed);
  own_search_.emplace(std::move(*packed));
  search_ = &*own_search_;
  own_neighbours_ = nearest_neighbours(*search_, width, threads_, [](std::uint64_t) { return true; });
  neighbours_ = &own_neighbours_;
  visited_.assign(members_.size(), 0);
  place_ = kNone;
}

}  // namespace

NeighbourTable nearest_neighbours(const NearestSearch& search, std::size_t k, unsigned threads,
                                  const WorkDone& work_done) {
  NeighbourTable table;
  if (search.size() == 0) return table;
  table.width = std::min(k, search.size() - 1);
  table.rows.resize(search.size() * table.width);
  std::atomic<bool> stop{false};
  base::parallel_for(search.size(), kRowsAtOnce, base::thread_count(threads),
                     [&](std::size_t begin, std::size_t end) {
                       if (stop) return;
                       const std::size_t found = table.width + 1;
                       std::vector<Neighbour> nearest((end - begin) * found);
                       search.search(copy_rows(search, begin, end), found, 1, nearest);
                       for (std::size_t row = begin; row < end; ++row) {
                         // Without the row itself; among many equal rows it may be missing, and then the last
                         // one is dropped.
                         std::uint32_t* out = table.rows.data() + row * table.width;
                         const Neighbour* in = nearest.data() + (row - begin) * found;
                         for (std::size_t i = 0, kept = 0; i < found && kept < table.width; ++i)
                           if (in[i].row != row) out[kept++] = in[i].row;
                       }
                       if (!work_done(end - begin)) stop = true;
                     });
  if (stop) return {};
  return table;
}

std::vector<std::uint32_t> greedy_tour(const NearestSearch& search, const NeighbourTable& neighbours,
                                       std::uint32_t start, unsigned threads, const WorkDone& work_done) {
  std::vector<std::uint32_t> tour;
  tour.reserve(search.size());
  Walk walk(search, neighbours, threads);
  tour.push_back(walk.visit(start));
  while (walk.unvisited() > 0) {
    tour.push_back(walk.visit(walk.nearest_unvisited()));
    if (tour.size() % kRowsAtOnce == 0 && !work_done(kRowsAtOnce)) return {};
  }
  if (!work_done(tour.size() % kRowsAtOnce)) return {};
  return tour;
}

}  // namespace sotto::embed

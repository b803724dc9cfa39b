// The greedy tour through a vocabulary that yields a one-dimensional word list (1-Diffractor, Algorithm 1).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "embed/nearest.hpp"

namespace sotto::embed {

/// The nearest neighbours of every row, excluding itself; shared by all tours through the same rows.
struct NeighbourTable {
  std::size_t width = 0;            ///< neighbours per row, min(k, rows − 1)
  std::vector<std::uint32_t> rows;  ///< row-major, nearest first, ties to the lower row
};

/// Called with the units of work just completed, from several threads; returning false requests a stop.
using WorkDone = std::function<bool(std::uint64_t units)>;

/// The `k` nearest neighbours of every row, or an empty table if `work_done` requested a stop; one unit of
/// work per row.
NeighbourTable nearest_neighbours(const NearestSearch& search, std::size_t k, unsigned threads,
                                  const WorkDone& work_done);

/// Starts at `start` and moves to the nearest unvisited row (ties: the lower row) until none remain. Exact:
/// if a row's neighbours in the table are all visited, all unvisited rows are searched. The result does not
/// depend on the table's width or on `threads`. Empty if `work_done` requested a stop; one unit of work per
/// row.
std::vector<std::uint32_t> greedy_tour(const NearestSearch& search, const NeighbourTable& neighbours,
                                       std::uint32_t start, unsigned threads, const WorkDone& work_done);

}  // namespace sotto::embed

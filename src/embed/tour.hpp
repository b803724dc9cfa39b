// The greedy tour through a vocabulary that makes a one-dimensional word list (1-Diffractor, Algorithm 1).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "embed/nearest.hpp"

namespace sotto {

/// The nearest neighbours of every row, itself left out; shared by all tours through the same rows.
struct NeighbourTable {
  std::size_t width = 0;            ///< neighbours of each row, min(k, rows − 1)
  std::vector<std::uint32_t> rows;  ///< row-major, nearest first, ties to the lower row
};

/// Told how many more units of work are done; returning false asks to stop. Called from several threads.
using WorkDone = std::function<bool(std::uint64_t units)>;

/// `k` nearest neighbours of every row, or an empty table when `work_done` asked to stop; one unit of work a
/// row.
NeighbourTable nearest_neighbours(const NearestSearch& search, std::size_t k, unsigned threads,
                                  const WorkDone& work_done);

/// Starts at `start` and goes on to the nearest row not yet visited (ties: the lower row) until none remain.
/// Exact: where the table has no unvisited neighbour left, all unvisited rows are searched. The result does
/// not depend on the table's width or on `threads`. Empty when `work_done` asked to stop; one unit of work a
/// row.
std::vector<std::uint32_t> greedy_tour(const NearestSearch& search, const NeighbourTable& neighbours,
                                       std::uint32_t start, unsigned threads, const WorkDone& work_done);

}  // namespace sotto

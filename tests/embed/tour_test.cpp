#include "embed/tour.hpp"

#include <algorithm>
#include <atomic>
#include <random>

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace sotto {
namespace {

using namespace sotto::embed;

bool go_on(std::uint64_t) {
  return true;
}

struct Case {
  std::size_t size;
  std::size_t dimension;
  int largest;
  std::size_t copies;  ///< how often every row occurs, at random positions
};

std::vector<std::int16_t> make_rows(const Case& c, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> value(-c.largest, c.largest);
  std::vector<std::vector<std::int16_t>> rows;
  while (rows.size() < c.size) {
    std::vector<std::int16_t> row(c.dimension);
    for (auto& x : row) x = static_cast<std::int16_t>(value(generator));
    for (std::size_t i = 0; i < c.copies && rows.size() < c.size; ++i) rows.push_back(row);
  }
  std::shuffle(rows.begin(), rows.end(), generator);
  std::vector<std::int16_t> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return flat;
}

// Algorithm 1, literally.
std::vector<std::uint32_t> brute_force_tour(const std::vector<std::int16_t>& rows, std::size_t dimension,
                                            std::uint32_t start) {
  const std::size_t size = rows.size() / dimension;
  std::vector<bool> visited(size, false);
  std::vector<std::uint32_t> tour = {start};
  visited[start] = true;
  while (tour.size() < size) {
    std::int64_t best = -1;
    std::uint32_t nearest = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
      if (visited[i]) continue;
      std::int64_t sum = 0;
      for (std::size_t c = 0; c < dimension; ++c) {
        const int difference = rows[tour.back() * dimension + c] - rows[i * dimension + c];
        sum += std::int64_t{difference} * difference;
      }
      if (best < 0 || sum < best) {
        best = sum;
        nearest = i;
      }
    }
    visited[nearest] = true;
    tour.push_back(nearest);
  }
  return tour;
}

std::vector<std::uint32_t> tour_of(const std::vector<std::int16_t>& rows, std::size_t dimension,
                                   std::size_t k, std::uint32_t start, unsigned threads) {
  const auto search = NearestSearch::create(rows, dimension);
  EXPECT_TRUE(search);
  const NeighbourTable neighbours = nearest_neighbours(*search, k, threads, go_on);
  return greedy_tour(*search, neighbours, start, threads, go_on);
}

TEST(GreedyTour, EqualsBruteForce) {
  const Case cases[] = {{1, 3, 50, 1},   {2, 3, 50, 1},      {40, 5, 100, 1},     {300, 8, 1000, 1},
                        {300, 3, 1, 1},  {300, 6, 500, 40},  {700, 2, 3, 1},      {2500, 10, 2000, 1},
                        {2500, 4, 4, 1}, {2500, 12, 127, 3}, {1500, 6, 100, 1500}};
  unsigned seed = 100;
  for (const Case& c : cases) {
    const auto rows = make_rows(c, ++seed);
    for (const std::uint32_t start : {0U, static_cast<std::uint32_t>(c.size - 1)}) {
      const auto expected = brute_force_tour(rows, c.dimension, start);
      for (const std::size_t k : {1, 16}) {
        EXPECT_EQ(tour_of(rows, c.dimension, k, start, 1), expected)
            << c.size << " rows of dimension " << c.dimension << ", " << k << " neighbours";
      }
    }
  }
}

TEST(GreedyTour, DoesNotDependOnThreadsOrProcessor) {
  const auto rows = make_rows({2000, 20, 3000, 1}, 5);
  const auto expected = tour_of(rows, 20, 16, 1234, 1);
  for (const unsigned threads : {2U, 3U, 8U}) EXPECT_EQ(tour_of(rows, 20, 16, 1234, threads), expected);
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    EXPECT_EQ(tour_of(rows, 20, 16, 1234, 2), expected) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(NearestNeighbours, LeavesTheRowItselfOutAmongEqualOnes) {
  // 50 equal rows, 5 neighbours: for most rows, the row itself is not among the 6 nearest.
  const std::vector<std::int16_t> rows(50 * 3, 7);
  const auto search = NearestSearch::create(rows, 3);
  ASSERT_TRUE(search);
  const NeighbourTable table = nearest_neighbours(*search, 5, 2, go_on);
  ASSERT_EQ(table.width, 5U);
  for (std::uint32_t row = 0; row < 50; ++row) {
    std::vector<std::uint32_t> expected;
    for (std::uint32_t other = 0; expected.size() < 5; ++other)
      if (other != row) expected.push_back(other);
    const auto begin = table.rows.begin() + row * 5;
    EXPECT_EQ(std::vector<std::uint32_t>(begin, begin + 5), expected) << row;
  }
}

TEST(GreedyTour, StopsWhenAsked) {
  const auto rows = make_rows({3000, 8, 1000, 1}, 9);
  const auto search = NearestSearch::create(rows, 8);
  ASSERT_TRUE(search);
  EXPECT_TRUE(nearest_neighbours(*search, 4, 2, [](std::uint64_t) { return false; }).rows.empty());
  const NeighbourTable neighbours = nearest_neighbours(*search, 4, 2, go_on);
  std::atomic<int> calls = 0;
  EXPECT_TRUE(greedy_tour(*search, neighbours, 0, 1, [&](std::uint64_t) { return ++calls < 2; }).empty());
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace sotto

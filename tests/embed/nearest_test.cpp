#include "embed/nearest.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto {
namespace {

using testing::expect_error;

struct Rows {
  std::size_t dimension;
  std::vector<std::int16_t> values;
  std::size_t size() const { return values.size() / dimension; }
  std::span<const std::int16_t> row(std::size_t i) const {
    return std::span(values).subspan(i * dimension, dimension);
  }
};

Rows random_rows(std::size_t size, std::size_t dimension, int largest, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> value(-largest, largest);
  Rows rows{dimension, {}};
  for (std::size_t i = 0; i < size * dimension; ++i)
    rows.values.push_back(static_cast<std::int16_t>(value(generator)));
  return rows;
}

// The definition, in 64 bits.
std::vector<Neighbour> brute_force(const Rows& rows, std::span<const std::int16_t> query, std::size_t k) {
  std::vector<Neighbour> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::int64_t sum = 0;
    for (std::size_t c = 0; c < rows.dimension; ++c) {
      const std::int64_t difference = std::int64_t{rows.row(i)[c]} - query[c];
      sum += difference * difference;
    }
    all.push_back({sum, static_cast<std::uint32_t>(i)});
  }
  std::sort(all.begin(), all.end());
  all.resize(std::min(k, all.size()));
  return all;
}

void expect_exact(const Rows& rows, const Rows& queries, std::size_t k, unsigned threads) {
  const auto search = NearestSearch::create(rows.values, rows.dimension);
  ASSERT_TRUE(search) << search.error().message;
  const std::size_t found = std::min(k, rows.size());
  std::vector<Neighbour> out(queries.size() * found);
  search->search(queries.values, k, threads, out);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto expected = brute_force(rows, queries.row(i), k);
    for (std::size_t j = 0; j < found; ++j)
      ASSERT_TRUE(out[i * found + j] == expected[j])
          << "query " << i << ", place " << j << ": row " << out[i * found + j].row << " at "
          << out[i * found + j].squared_distance << " instead of row " << expected[j].row << " at "
          << expected[j].squared_distance;
  }
}

TEST(NearestSearch, EqualsTheDefinitionForAllShapes) {
  unsigned seed = 1;
  for (const std::size_t size : {1, 2, 31, 32, 33, 200}) {
    for (const std::size_t dimension : {1, 2, 3, 16, 51}) {
      for (const std::size_t k : {1, 5, 300}) {
        const Rows rows = random_rows(size, dimension, 4000, ++seed);
        expect_exact(rows, random_rows(17, dimension, 4000, ++seed), k, 2);
      }
    }
  }
}

TEST(NearestSearch, TiesGoToTheLowerRow) {
  // Coordinates of −1, 0, 1 in 3 dimensions: 27 different rows among 300, so ties abound.
  const Rows rows = random_rows(300, 3, 1, 7);
  for (const std::size_t k : {1, 4, 20, 150}) expect_exact(rows, random_rows(40, 3, 1, 8), k, 1);
}

TEST(NearestSearch, IsExactAtTheLargestNorms) {
  // Norms just within the bound, opposite signs: squared distances up to 4·46340², beyond 32 bits.
  Rows rows{2, {}};
  for (const int sign : {1, -1})
    for (const int y : {0, 1, 32766, -32766})
      for (const int x : {32767, 32766})
        rows.values.insert(rows.values.end(),
                           {static_cast<std::int16_t>(sign * x), static_cast<std::int16_t>(y)});
  expect_exact(rows, rows, 3, 1);
  expect_exact(rows, rows, 16, 1);
}

TEST(NearestSearch, LongQueriesAreExact) {
  const Rows rows = random_rows(150, 40, 7000, 3);
  Rows queries = random_rows(30, 40, 32767, 4);
  queries.values[0] = -32768;
  expect_exact(rows, queries, 6, 2);
  // Rows so short that long queries stay within 32 bits, and the border between the two ways.
  expect_exact(random_rows(150, 40, 100, 5), queries, 6, 1);
  for (const int largest : {7000, 10000, 13000}) expect_exact(rows, random_rows(30, 40, largest, 6), 6, 1);
}

TEST(NearestSearch, AllProcessorTargetsAgree) {
  const Rows rows = random_rows(333, 37, 6000, 11);
  const Rows queries = random_rows(55, 37, 7000, 12);
  int targets = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(hwy::TargetName(target));
    expect_exact(rows, queries, 9, 1);
    ++targets;
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GE(targets, 1);
}

TEST(NearestSearch, NearestExceptLeavesOut) {
  const Rows rows = random_rows(130, 9, 2, 21);
  const auto search = NearestSearch::create(rows.values, rows.dimension);
  ASSERT_TRUE(search);
  std::vector<std::uint8_t> excluded(rows.size(), 0);
  const Rows query = random_rows(1, 9, 2, 22);
  const auto order = brute_force(rows, query.values, rows.size());
  for (const Neighbour& expected : order) {
    ASSERT_TRUE(search->nearest_except(query.values, excluded) == expected);
    excluded[expected.row] = 1;
  }
}

TEST(NearestSearch, CopiesRowsBack) {
  const Rows rows = random_rows(70, 13, 3000, 31);
  const auto search = NearestSearch::create(rows.values, rows.dimension);
  ASSERT_TRUE(search);
  std::vector<std::int16_t> row(13);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    search->copy_row(i, row);
    ASSERT_TRUE(std::equal(row.begin(), row.end(), rows.row(i).begin()));
  }
}

TEST(NearestSearch, RefusesWhatItCannotBeExactFor) {
  const std::vector<std::int16_t> rows = {3, 4, 5, 32767, 32767, 300};
  expect_error(NearestSearch::create(rows, 3), Errc::bad_format, {"vector 1", "2147442578", "2147395600"});
  expect_error(NearestSearch::create(rows, 0), Errc::bad_format, {"dimension 0"});
  const std::vector<std::int16_t> longest(kLargestDimension + 1, 0);
  expect_error(NearestSearch::create(longest, longest.size()), Errc::bad_format, {"32769"});
}

TEST(NearestSearch, ReadsModelsOfBothWidths) {
  const testing::TemporaryFolder folder;
  testing::VectorModel parts = testing::tiny_model_parts();
  for (const int bits : {16, 8}) {
    if (bits == 8)
      for (int& value : parts.vectors) value /= 10;
    parts.bits = bits;
    const auto model = testing::write_vector_model(folder.path() / "m.safetensors", parts);
    const auto search = NearestSearch::create(*model);
    ASSERT_TRUE(search);
    for (TokenId a = 0; a < model->size(); ++a) {
      std::vector<std::int16_t> query(parts.vectors.begin() + 4 * a, parts.vectors.begin() + 4 * a + 4);
      std::vector<Neighbour> out(12);
      search->search(query, 12, 1, out);
      for (const Neighbour& neighbour : out)
        EXPECT_EQ(neighbour.squared_distance, model->squared_distance(a, neighbour.row));
    }
  }
}

}  // namespace
}  // namespace sotto

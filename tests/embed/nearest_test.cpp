#include "embed/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
// The search has kernels for this target too.
#define HWY_WANT_AVX3_DL
#include <hwy/targets.h>

#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto {
namespace {

using namespace sotto::embed;
using testing::expect_error;

template <class T>
struct Table {
  std::size_t dimension;
  std::vector<T> values;
  std::size_t size() const { return values.size() / dimension; }
  std::span<const T> row(std::size_t i) const { return std::span(values).subspan(i * dimension, dimension); }
};
using Rows = Table<std::int16_t>;
using Queries = Table<std::int32_t>;

template <class T>
Table<T> random_table(std::size_t size, std::size_t dimension, std::int64_t largest, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<std::int64_t> value(-largest, largest);
  Table<T> table{dimension, {}};
  for (std::size_t i = 0; i < size * dimension; ++i) table.values.push_back(static_cast<T>(value(generator)));
  return table;
}

Rows random_rows(std::size_t size, std::size_t dimension, int largest, unsigned seed) {
  return random_table<std::int16_t>(size, dimension, largest, seed);
}

// The definition, in 128 bits.
template <class T>
std::vector<Neighbour> brute_force(const Rows& rows, std::span<const T> query, std::size_t k) {
  std::vector<Neighbour> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SquaredDistance sum = 0;
    for (std::size_t c = 0; c < rows.dimension; ++c) {
      const std::int64_t difference = std::int64_t{rows.row(i)[c]} - query[c];
      sum += SquaredDistance{difference} * difference;
    }
    all.push_back({sum, static_cast<std::uint32_t>(i)});
  }
  k = std::min(k, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all.end());
  all.resize(k);
  return all;
}

void expect_equal(std::span<const Neighbour> found, std::span<const Neighbour> expected, std::size_t query) {
  for (std::size_t j = 0; j < expected.size(); ++j)
    ASSERT_TRUE(found[j] == expected[j])
        << "query " << query << ", place " << j << ": row " << found[j].row << " at "
        << static_cast<double>(found[j].squared_distance) << " instead of row " << expected[j].row << " at "
        << static_cast<double>(expected[j].squared_distance);
}

NearestSearch make_search(const Rows& rows) {
  auto search = NearestSearch::create(rows.values, rows.dimension);
  EXPECT_TRUE(search) << search.error().message;
  return std::move(*search);
}

void expect_exact(const Rows& rows, const Rows& queries, std::size_t k, unsigned threads) {
  const NearestSearch search = make_search(rows);
  const std::size_t found = std::min(k, rows.size());
  std::vector<Neighbour> out(queries.size() * found);
  search.search(queries.values, k, threads, out);
  for (std::size_t i = 0; i < queries.size(); ++i)
    expect_equal(std::span(out).subspan(i * found, found), brute_force(rows, queries.row(i), k), i);
}

// Checks nearest() for several k, query by query and in one batch.
void expect_nearest_exact(const Rows& rows, const Queries& queries, std::initializer_list<std::size_t> ks) {
  const NearestSearch search = make_search(rows);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto expected = brute_force(rows, queries.row(i), rows.size());
    for (const std::size_t k : ks) {
      const std::size_t found = std::min(k, rows.size());
      std::vector<Neighbour> out(found);
      search.nearest(queries.row(i), k, out);
      expect_equal(out, std::span(expected).first(found), i);
    }
  }
  for (const std::size_t k : ks) {
    const std::size_t found = std::min(k, rows.size());
    std::vector<Neighbour> out(queries.size() * found);
    search.nearest(queries.values, k, out);
    for (std::size_t i = 0; i < queries.size(); ++i)
      expect_equal(std::span(out).subspan(i * found, found), brute_force(rows, queries.row(i), k), i);
  }
}

// Runs the body once for each instruction set that both this processor and the program support.
template <class Body>
void for_all_targets(Body body) {
  int targets = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(hwy::TargetName(target));
    body();
    ++targets;
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GE(targets, 1);
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

TEST(NearestSearch, NearestEqualsTheDefinitionForNearAndFarQueries) {
  unsigned seed = 100;
  for (const std::size_t dimension : {1, 2, 3, 50, 112, 300, 301}) {
    const int largest = static_cast<int>(46000 / std::sqrt(static_cast<double>(dimension)));
    const Rows rows = random_rows(97, dimension, std::min(largest, 32767), ++seed);
    for (const std::int64_t reach :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{100}, std::int64_t{3000}, std::int64_t{100'000},
          std::int64_t{1} << 30, std::int64_t{std::numeric_limits<std::int32_t>::max()}})
      expect_nearest_exact(rows, random_table<std::int32_t>(11, dimension, reach, ++seed),
                           {1, 2, 7, 97, 200});
  }
}

TEST(NearestSearch, EveryProcessorFindsTheSame) {
  const Rows words = random_rows(700, 112, 4000, 41);
  const Rows bytes = random_rows(700, 37, 127, 42);
  for_all_targets([&] {
    for (const std::int64_t reach : {100, 4000, 90'000, 1 << 30}) {
      expect_nearest_exact(words, random_table<std::int32_t>(9, 112, reach, 43), {1, 2, 50});
      expect_nearest_exact(bytes, random_table<std::int32_t>(9, 37, reach, 44), {1, 2, 50});
    }
    expect_exact(words, random_rows(55, 112, 7000, 45), 9, 1);
  });
}

TEST(NearestSearch, LowestCoordinatesAreExact) {
  const Rows rows = random_rows(60, 5, 20000, 51);
  const Queries queries{5, std::vector<std::int32_t>(5, std::numeric_limits<std::int32_t>::min())};
  for_all_targets([&] { expect_nearest_exact(rows, queries, {1, 60}); });
}

TEST(NearestSearch, TiesGoToTheLowerRow) {
  // Coordinates −1, 0, 1 in 3 dimensions: at most 27 distinct rows among 300, so ties abound.
  const Rows rows = random_rows(300, 3, 1, 7);
  for (const std::size_t k : {1, 4, 20, 150}) expect_exact(rows, random_rows(40, 3, 1, 8), k, 1);
  for_all_targets([&] {
    for (const std::int64_t reach : {1, 1000, 1 << 30})
      expect_nearest_exact(rows, random_table<std::int32_t>(10, 3, reach, 9), {1, 2, 20, 150});
  });
}

TEST(NearestSearch, EqualAndZeroRowsAreExact) {
  Rows rows = random_rows(1, 50, 5000, 61);
  const std::vector<std::int16_t> one = rows.values;
  for (int i = 1; i < 128; ++i) rows.values.insert(rows.values.end(), one.begin(), one.end());
  expect_nearest_exact(rows, random_table<std::int32_t>(5, 50, 50'000, 62), {1, 2, 128});
  rows.values.assign(rows.values.size(), 0);
  expect_nearest_exact(rows, random_table<std::int32_t>(5, 50, 50'000, 63), {1, 2, 128});
  expect_nearest_exact(rows, Queries{50, std::vector<std::int32_t>(50, 0)}, {1, 2, 128});
}

// Rows at most one unit per coordinate from a common centre: their 8-bit forms are nearly all equal, so that
// only the exact comparison tells them apart.
Rows near_ties(std::size_t size, std::size_t dimension, unsigned seed) {
  const Rows centre = random_rows(1, dimension, 2500, seed);
  const Rows steps = random_rows(size, dimension, 1, seed + 1);
  Rows rows = steps;
  for (std::size_t i = 0; i < rows.values.size(); ++i)
    rows.values[i] = static_cast<std::int16_t>(rows.values[i] + centre.values[i % dimension]);
  return rows;
}

TEST(NearestSearch, NearTiesAreToldApart) {
  const Rows rows = near_ties(600, 300, 71);
  Queries near{300, {rows.values.begin(), rows.values.begin() + 300 * 4}};
  for (std::int32_t& x : near.values) x += 1;
  for_all_targets([&] {
    expect_nearest_exact(rows, near, {1, 2, 50});
    expect_nearest_exact(rows, random_table<std::int32_t>(6, 300, 200'000, 72), {1, 2, 50});
  });
}

// The worst case for the bound on the rounding error: half a step of the 8-bit form in every coordinate, with
// signs such that the errors add up. By the rounded numbers alone the first row would win; the second does.
void expect_second_row(const std::vector<std::int16_t>& first, const std::vector<std::int16_t>& second,
                       const std::vector<std::int32_t>& query) {
  Rows rows{query.size(), first};
  rows.values.insert(rows.values.end(), 200 * query.size(), 0);
  rows.values.insert(rows.values.end(), second.begin(), second.end());
  const Queries queries{query.size(), query};
  ASSERT_EQ(brute_force(rows, queries.row(0), 1)[0].row, 201U);
  for_all_targets([&] { expect_nearest_exact(rows, queries, {1, 2, 13}); });
}

TEST(NearestSearch, RoundingErrorsOfTheQueryThatAddUpDoNoHarm) {
  std::vector<std::int32_t> query(60, 499);
  query[0] = 127'000;  // a step is 1000, so the rest rounds to 0
  std::vector<std::int16_t> first(60, 0);
  first[0] = 1;
  std::vector<std::int16_t> second(60, 5);
  second[0] = 0;
  expect_second_row(first, second, query);
}

TEST(NearestSearch, RoundingErrorsOfARowThatAddUpDoNoHarm) {
  const std::vector<std::int32_t> query(60, 127'000);  // whole steps of 1000
  std::vector<std::int16_t> first(60, 0);
  std::fill_n(first.begin() + 1, 10, std::int16_t{100});
  first[0] = 12'700;  // a step is 100
  std::vector<std::int16_t> second(60, 49);
  second[0] = 12'700;
  expect_second_row(first, second, query);
}

TEST(NearestSearch, DoesNotDependOnHowQueriesAreSplit) {
  const Rows rows = random_rows(500, 30, 6000, 91);
  const Queries queries = random_table<std::int32_t>(700, 30, 60'000, 92);
  const NearestSearch search = make_search(rows);
  std::vector<Neighbour> whole(2 * queries.size());
  search.nearest(queries.values, 2, whole);
  for (const std::size_t part : {1, 15, 16, 17, 33, 63, 64, 65, 256, 257, 699}) {
    std::vector<Neighbour> out(2 * queries.size());
    for (std::size_t begin = 0; begin < queries.size(); begin += part) {
      const std::size_t count = std::min(part, queries.size() - begin);
      search.nearest(std::span(queries.values).subspan(30 * begin, 30 * count), 2,
                     std::span(out).subspan(2 * begin, 2 * count));
    }
    ASSERT_TRUE(out == whole) << "parts of " << part;
  }
  for (std::size_t i = 0; i < queries.size(); ++i)
    expect_equal(std::span(whole).subspan(2 * i, 2), brute_force(rows, queries.row(i), 2), i);
}

TEST(NearestSearch, NothingAskedNothingWritten) {
  const NearestSearch search = make_search(random_rows(5, 3, 9, 1));
  search.nearest({}, 3, {});
  search.nearest(std::vector<std::int32_t>{1, 2, 3}, 0, {});
  search.squared_distances({}, {});
}

TEST(NearestSearch, SquaredDistancesEqualTheDefinition) {
  unsigned seed = 200;
  for_all_targets([&] {
    for (const std::size_t dimension : {1, 3, 50, 301}) {
      const Rows rows = random_rows(131, dimension, 2500, ++seed);
      Rows queries = random_rows(13, dimension, 2500, ++seed);
      queries.values[0] = std::numeric_limits<std::int16_t>::min();  // beyond 32 bits for some
      for (std::size_t c = 0; c < dimension; ++c) queries.values[dimension + c] = 32767;
      std::vector<std::int64_t> out(queries.size() * rows.size());
      make_search(rows).squared_distances(queries.values, out);
      for (std::size_t i = 0; i < queries.size(); ++i)
        for (const Neighbour& expected : brute_force(rows, queries.row(i), rows.size()))
          ASSERT_TRUE(out[i * rows.size() + expected.row] == expected.squared_distance)
              << "dimension " << dimension << ", query " << i << ", row " << expected.row;
    }
  });
}

TEST(NearestSearch, IsExactAtTheLargestNorms) {
  // Norms just within the bound, opposite signs: squared distances up to 4·46340², beyond 32 bits.
  Rows rows{2, {}};
  for (const int sign : {1, -1})
    for (const int y : {0, 1, 32766, -32766})
      for (const int x : {32767, 32766})
        rows.values.insert(rows.values.end(),
                           {static_cast<std::int16_t>(sign * x), static_cast<std::int16_t>(y)});
  for_all_targets([&] {
    expect_exact(rows, rows, 3, 1);
    expect_exact(rows, rows, 16, 1);
    std::vector<std::int64_t> out(rows.size() * rows.size());
    make_search(rows).squared_distances(rows.values, out);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const Neighbour& expected : brute_force(rows, rows.row(i), rows.size()))
        ASSERT_TRUE(out[i * rows.size() + expected.row] == expected.squared_distance);
  });
}

TEST(NearestSearch, LongQueriesAreExact) {
  const Rows rows = random_rows(150, 40, 7000, 3);
  Rows queries = random_rows(30, 40, 32767, 4);
  queries.values[0] = -32768;
  expect_exact(rows, queries, 6, 2);
  // Rows so short that long queries stay within 32 bits, and the border between the two code paths.
  expect_exact(random_rows(150, 40, 100, 5), queries, 6, 1);
  for (const int largest : {7000, 10000, 13000}) expect_exact(rows, random_rows(30, 40, largest, 6), 6, 1);
}

TEST(NearestSearch, NearestExceptLeavesOut) {
  const Rows rows = random_rows(130, 9, 2, 21);
  const NearestSearch search = make_search(rows);
  Rows query = random_rows(1, 9, 2, 22);
  for (const std::int16_t first : {std::int16_t{0}, std::int16_t{-32768}}) {
    query.values[0] = first;
    std::vector<std::uint8_t> excluded(rows.size(), 0);
    for (const Neighbour& expected : brute_force(rows, query.row(0), rows.size())) {
      ASSERT_TRUE(search.nearest_except(query.values, excluded) == expected);
      excluded[expected.row] = 1;
    }
  }
}

TEST(NearestSearch, CopiesRowsBack) {
  const Rows rows = random_rows(70, 13, 3000, 31);
  const NearestSearch search = make_search(rows);
  std::vector<std::int16_t> row(13);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    search.copy_row(i, row);
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
        EXPECT_TRUE(neighbour.squared_distance == model->squared_distance(a, neighbour.row));
    }
  }
}

}  // namespace
}  // namespace sotto

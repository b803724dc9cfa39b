#include "train/refine.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::train;

constexpr std::size_t kRows = 400;
constexpr std::size_t kDimension = 6;
using Direction = std::vector<double>;

/// Noise of width 1 around an offset, with more of it along `direction`.
FloatRows cloud(const Direction& direction, double along) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  FloatRows rows(kRows, kDimension);
  for (std::size_t row = 0; row < kRows; ++row) {
    const double strength = along * normal(random);
    for (std::size_t i = 0; i < kDimension; ++i)
      rows[row][i] = static_cast<float>(3.0 + normal(random) + strength * direction[i]);
  }
  return rows;
}

/// The covariance matrix, entry by entry.
std::vector<Direction> covariance(const FloatRows& rows) {
  Direction mean(kDimension, 0);
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t i = 0; i < kDimension; ++i) mean[i] += rows[row][i] / double{kRows};
  std::vector<Direction> matrix(kDimension, Direction(kDimension, 0));
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t i = 0; i < kDimension; ++i)
      for (std::size_t j = 0; j < kDimension; ++j)
        matrix[i][j] += (rows[row][i] - mean[i]) * (rows[row][j] - mean[j]);
  return matrix;
}

double variance_along(const std::vector<Direction>& matrix, const Direction& direction) {
  double sum = 0;
  for (std::size_t i = 0; i < kDimension; ++i)
    for (std::size_t j = 0; j < kDimension; ++j) sum += direction[i] * matrix[i][j] * direction[j];
  return sum;
}

/// The eigenvector of the largest eigenvalue by Jacobi rotations.
Direction largest_eigenvector(std::vector<Direction> a) {
  std::vector<Direction> v(kDimension, Direction(kDimension, 0));
  for (std::size_t i = 0; i < kDimension; ++i) v[i][i] = 1;
  for (int sweep = 0; sweep < 50; ++sweep)
    for (std::size_t p = 0; p < kDimension; ++p)
      for (std::size_t q = p + 1; q < kDimension; ++q) {
        const double angle = 0.5 * std::atan2(2 * a[p][q], a[q][q] - a[p][p]);
        const double c = std::cos(angle), s = std::sin(angle);
        for (std::size_t k = 0; k < kDimension; ++k) {
          const double left = a[k][p], right = a[k][q];
          a[k][p] = c * left - s * right;
          a[k][q] = s * left + c * right;
          const double old_p = v[k][p], old_q = v[k][q];
          v[k][p] = c * old_p - s * old_q;
          v[k][q] = s * old_p + c * old_q;
        }
        for (std::size_t k = 0; k < kDimension; ++k) {
          const double up = a[p][k], down = a[q][k];
          a[p][k] = c * up - s * down;
          a[q][k] = s * up + c * down;
        }
      }
  std::size_t best = 0;
  for (std::size_t i = 1; i < kDimension; ++i)
    if (a[i][i] > a[best][best]) best = i;
  Direction eigenvector;
  for (std::size_t i = 0; i < kDimension; ++i) eigenvector.push_back(v[i][best]);
  return eigenvector;
}

TEST(Refine, RemovesMeanAndFirstComponent) {
  FloatRows rows = cloud({0.6, -0.8, 0, 0, 0, 0}, 4);
  const Direction component = largest_eigenvector(covariance(rows));
  const double before = variance_along(covariance(rows), component);
  Direction mean(kDimension, 0);
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t i = 0; i < kDimension; ++i) mean[i] += rows[row][i] / double{kRows};
  FloatRows refined = rows;
  refine(refined);
  EXPECT_LT(variance_along(covariance(refined), component), 1e-9 * before);
  // Nothing but the length changed otherwise.
  for (std::size_t row = 0; row < kRows; ++row) {
    Direction expected;
    double product = 0, squared = 0;
    for (std::size_t i = 0; i < kDimension; ++i) product += (rows[row][i] - mean[i]) * component[i];
    for (std::size_t i = 0; i < kDimension; ++i) {
      expected.push_back(rows[row][i] - mean[i] - product * component[i]);
      squared += expected[i] * expected[i];
    }
    for (std::size_t i = 0; i < kDimension; ++i)
      EXPECT_NEAR(refined[row][i], expected[i] / std::sqrt(squared), 1e-4);
  }
}

TEST(Refine, ZerosStayZeros) {
  FloatRows rows(3, 2);
  refine(rows);
  for (std::size_t row = 0; row < 3; ++row)
    for (const float x : rows[row]) EXPECT_EQ(x, 0);
}

TEST(Refine, UnitLength) {
  std::vector<float> vector = {3, 0, -4};
  scale_to_unit(vector);
  EXPECT_FLOAT_EQ(vector[0], 0.6F);
  EXPECT_FLOAT_EQ(vector[2], -0.8F);
}

}  // namespace
}  // namespace sotto

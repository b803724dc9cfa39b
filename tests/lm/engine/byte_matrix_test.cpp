// Byte products against the same sums in plain integers, for every shape of the last panel, tile and quad.
#include "lm/engine/byte_matrix.hpp"

#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/every_target.hpp"

namespace sotto::lm {
namespace {

struct MatrixShape {
  std::size_t rows;
  std::size_t columns;
  std::size_t vectors;
};

std::vector<float> normal_numbers(std::size_t count, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(count);
  for (float& number : numbers) number = normal(engine);
  return numbers;
}

// The same rounding and the same sum, one number at a time.
double reference(const std::int8_t* row, float scale, const float* vector, std::size_t columns) {
  float magnitude = 0;
  for (std::size_t c = 0; c < columns; ++c) magnitude = std::max(magnitude, std::abs(vector[c]));
  const float inverse = magnitude > 0 ? 127 / magnitude : 0;
  std::int64_t sum = 0;
  for (std::size_t c = 0; c < columns; ++c) sum += row[c] * std::lrint(vector[c] * inverse);
  return static_cast<double>(sum) * scale * (magnitude / 127);
}

ByteVectors rounded(const std::vector<float>& vectors, std::size_t count) {
  ByteVectors result;
  const std::size_t columns = vectors.size() / count;
  result.reset(count, columns);
  for (std::size_t i = 0; i < count; ++i) result.set(i, vectors.data() + i * columns);
  return result;
}

std::vector<float> product(const MatrixShape& shape, bool with_bias, ByteMatrix::Into into) {
  const std::vector<float> weights = normal_numbers(shape.rows * shape.columns, 1);
  const std::vector<float> vectors = normal_numbers(shape.vectors * shape.columns, 2);
  const std::vector<float> bias = normal_numbers(shape.rows, 3);
  std::vector<std::int8_t> bytes(weights.size());
  std::vector<float> scales(shape.rows);
  for (std::size_t r = 0; r < shape.rows; ++r)
    scales[r] =
        to_bytes(weights.data() + r * shape.columns, shape.columns, 1, bytes.data() + r * shape.columns);
  const ByteMatrix matrix(bytes.data(), scales.data(), shape.rows, shape.columns);
  std::vector<float> out(shape.vectors * shape.rows, into == ByteMatrix::Into::add ? 1.0F : NAN);
  const std::size_t part = shape.rows / 128 * 64;
  const ByteVectors bytes_of_vectors = rounded(vectors, shape.vectors);
  for (const ByteMatrix::Rows rows : {ByteMatrix::Rows{0, part}, ByteMatrix::Rows{part, shape.rows - part}})
    matrix.multiply(bytes_of_vectors, with_bias ? bias.data() : nullptr, out.data(), shape.rows, rows, into);
  for (std::size_t v = 0; v < shape.vectors; ++v) {
    for (std::size_t r = 0; r < shape.rows; ++r) {
      const double expected = reference(bytes.data() + r * shape.columns, scales[r],
                                        vectors.data() + v * shape.columns, shape.columns) +
                              (with_bias ? bias[r] : 0) + (into == ByteMatrix::Into::add ? 1 : 0);
      EXPECT_NEAR(out[v * shape.rows + r], expected, 1e-5 * (1 + std::abs(expected)))
          << shape.rows << " by " << shape.columns << ", vector " << v << ", row " << r;
    }
  }
  return out;
}

constexpr MatrixShape kShapes[] = {{1, 1, 1},       {3, 5, 2},    {64, 64, 6}, {65, 33, 7},
                                   {130, 770, 101}, {16, 17, 97}, {63, 4, 11}, {200, 96, 5}};

TEST(ByteMatrix, EqualsPlainSums) {
  for (const MatrixShape& shape : kShapes)
    for (const bool with_bias : {false, true})
      for (const ByteMatrix::Into into : {ByteMatrix::Into::replace, ByteMatrix::Into::add})
        product(shape, with_bias, into);
}

TEST(ByteMatrix, IsTheSameOnEveryTarget) {
  std::vector<std::string> names;
  for (const MatrixShape& shape : kShapes) {
    const std::vector<float> expected = product(shape, true, ByteMatrix::Into::add);
    testing::on_every_target([&](const char* target) {
      names.emplace_back(byte_kernel_name());
      const std::vector<float> out = product(shape, true, ByteMatrix::Into::add);
      EXPECT_EQ(std::memcmp(out.data(), expected.data(), out.size() * sizeof out[0]), 0) << target;
    });
  }
  // The kernels did change.
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size() / std::size(kShapes));
}

TEST(ByteMatrix, ZerosAndExtremes) {
  const std::vector<std::int8_t> bytes = {127, 127, 127, 127, -127, -127, -127, -127};
  const std::vector<float> scales = {1, 1};
  const ByteMatrix matrix(bytes.data(), scales.data(), 2, 4);
  std::vector<float> out(4);
  const std::vector<float> vectors = {0, 0, 0, 0, -127, -127, -127, -127};
  matrix.multiply(rounded(vectors, 2), nullptr, out.data(), 2);
  EXPECT_EQ(out, (std::vector<float>{0, 0, -4.F * 127 * 127, 4.F * 127 * 127}));
}

TEST(ByteMatrix, WhatIsNoNumberIsNotHidden) {
  const std::vector<std::int8_t> bytes = {1, 2, 3};
  const std::vector<float> scales = {1};
  for (const float bad : {NAN, -NAN, INFINITY, -INFINITY})
    for (std::size_t place = 0; place < 3; ++place) {
      std::vector<float> vector = {1, 2, 3};
      vector[place] = bad;
      float out = 0;
      testing::on_every_target([&](const char* target) {
        const ByteMatrix packed(bytes.data(), scales.data(), 1, 3);
        packed.multiply(rounded(vector, 1), nullptr, &out, 1);
        EXPECT_TRUE(std::isnan(out)) << target << " " << bad;
      });
    }
}

}  // namespace
}  // namespace sotto::lm

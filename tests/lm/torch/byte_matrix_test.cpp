// Byte products against the same sums in plain integers, for every shape of the last panel, tile and quad.
#include "lm/torch/byte_matrix.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

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

void check_shape(const MatrixShape& shape, bool with_bias) {
  const std::vector<float> weights = normal_numbers(shape.rows * shape.columns, 1);
  const std::vector<float> vectors = normal_numbers(shape.vectors * shape.columns, 2);
  const std::vector<float> bias = normal_numbers(shape.rows, 3);
  std::vector<std::int8_t> bytes(weights.size());
  std::vector<float> scales(shape.rows);
  for (std::size_t r = 0; r < shape.rows; ++r)
    scales[r] =
        to_bytes(weights.data() + r * shape.columns, shape.columns, 1, bytes.data() + r * shape.columns);
  const ByteMatrix matrix(bytes.data(), scales.data(), shape.rows, shape.columns);
  std::vector<float> out(shape.vectors * shape.rows, NAN);
  matrix.multiply(vectors.data(), shape.vectors, with_bias ? bias.data() : nullptr, out.data(),
                  {0, shape.rows / 128 * 64});
  matrix.multiply(vectors.data(), shape.vectors, with_bias ? bias.data() : nullptr, out.data(),
                  {shape.rows / 128 * 64, shape.rows - shape.rows / 128 * 64});
  for (std::size_t v = 0; v < shape.vectors; ++v) {
    for (std::size_t r = 0; r < shape.rows; ++r) {
      const double expected = reference(bytes.data() + r * shape.columns, scales[r],
                                        vectors.data() + v * shape.columns, shape.columns) +
                              (with_bias ? bias[r] : 0);
      ASSERT_NEAR(out[v * shape.rows + r], expected, 1e-5 * (1 + std::abs(expected)))
          << shape.rows << " by " << shape.columns << ", vector " << v << ", row " << r;
    }
  }
}

TEST(ByteMatrix, EqualsPlainSums) {
  for (const MatrixShape& shape :
       {MatrixShape{1, 1, 1}, MatrixShape{3, 5, 2}, MatrixShape{64, 64, 6}, MatrixShape{65, 33, 7},
        MatrixShape{130, 770, 101}, MatrixShape{16, 17, 97}, MatrixShape{63, 4, 11}, MatrixShape{200, 96, 5}})
    for (const bool with_bias : {false, true}) check_shape(shape, with_bias);
}

TEST(ByteMatrix, EqualsPlainSumsOnEveryInstructionSet) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    check_shape({130, 70, 13}, true);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(ByteMatrix, ZerosAndExtremes) {
  const std::vector<std::int8_t> bytes = {127, 127, 127, 127, -127, -127, -127, -127};
  const std::vector<float> scales = {1, 1};
  const ByteMatrix matrix(bytes.data(), scales.data(), 2, 4);
  std::vector<float> out(4);
  const std::vector<float> vectors = {0, 0, 0, 0, -127, -127, -127, -127};
  matrix.multiply(vectors.data(), 2, nullptr, out.data(), {0, 2});
  EXPECT_EQ(out, (std::vector<float>{0, 0, -4.F * 127 * 127, 4.F * 127 * 127}));
}

}  // namespace
}  // namespace sotto::lm

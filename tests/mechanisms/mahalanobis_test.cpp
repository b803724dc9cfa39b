#include <gtest/gtest.h>

#include "mechanisms/noise/noise_shape.hpp"
#include "noise_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::mechanism;
using namespace sotto::testing;

class Mahalanobis : public NoiseTest {};

/// The covariance of the words, from its definition.
std::vector<double> plain_covariance(const VectorModel& parts, std::size_t dimension) {
  const std::size_t words = parts.words.size();
  std::vector<long double> mean(dimension);
  for (std::size_t i = 0; i < parts.vectors.size(); ++i)
    mean[i % dimension] += parts.vectors[i] / static_cast<long double>(words);
  std::vector<double> covariance(dimension * dimension);
  for (std::size_t a = 0; a < dimension; ++a) {
    for (std::size_t b = 0; b < dimension; ++b) {
      long double sum = 0;
      for (std::size_t w = 0; w < words; ++w)
        sum += (parts.vectors[w * dimension + a] - mean[a]) * (parts.vectors[w * dimension + b] - mean[b]);
      covariance[a * dimension + b] = static_cast<double>(sum / static_cast<long double>(words));
    }
  }
  return covariance;
}

double trace_of(std::span<const double> matrix, std::size_t dimension) {
  double trace = 0;
  for (std::size_t i = 0; i < dimension; ++i) trace += matrix[i * dimension + i];
  return trace;
}

// One coordinate has a mean of ten times its deviation. Scaled by the variance of all coordinates together,
// as in the published code, the trace is far below the dimension.
TEST_F(Mahalanobis, TheCovarianceHasTheDimensionAsTrace) {
  VectorModel parts = random_words(500, 20, 800, 1e-3);
  for (std::size_t i = 0; i < parts.vectors.size(); i += 20) parts.vectors[i] += 8000;
  const std::vector<double> covariance = scaled_covariance(*write(parts), 2).value();
  std::vector<double> expected = plain_covariance(parts, 20);
  const double trace = trace_of(expected, 20);

  double mean = 0;
  double variance = 0;
  for (const int x : parts.vectors) mean += x / 10'000.0;
  for (const int x : parts.vectors) variance += (x - mean) * (x - mean) / 10'000.0;
  const double published = trace / variance / 20;
  std::cout << "    trace/dimension " << trace_of(covariance, 20) / 20 << ", as published " << published
            << "\n";
  EXPECT_LT(published, 0.2);
  EXPECT_NEAR(trace_of(covariance, 20) / 20, 1, 1e-12);
  for (std::size_t i = 0; i < covariance.size(); ++i)
    EXPECT_NEAR(covariance[i], expected[i] / trace * 20, 1e-12) << i;
}

TEST_F(Mahalanobis, TheShapeIsAFactorOfA) {
  const std::size_t dimension = 45;
  const VectorModel parts = random_words(300, dimension, 900, 1e-3);
  const std::vector<double> covariance = scaled_covariance(*write(parts), 1).value();
  for (const double lambda : {0.0, 0.2, 1.0}) {
    const NoiseShape shape = NoiseShape::make(covariance, dimension, lambda).value();
    for (std::size_t a = 0; a < dimension; ++a) {
      for (std::size_t b = 0; b < dimension; ++b) {
        double product = 0;
        for (std::size_t k = 0; k < dimension; ++k)
          product += static_cast<double>(shape.factor(a, k)) * shape.factor(b, k);
        const double expected = lambda * covariance[a * dimension + b] + (a == b ? 1 - lambda : 0);
        // Each entry of the factor is rounded by at most 2^-24 of itself, and rows have norm √A_aa < 2.
        EXPECT_NEAR(product, expected, 2 * 0x1p-24 * 4) << lambda << ' ' << a << ' ' << b;
      }
    }
  }
}

// The vector code gives what a plain loop gives, to the last bit, whatever the batch size; so the result is
// the same for every instruction set.
TEST_F(Mahalanobis, MultiplyingIsReproducible) {
  for (const std::size_t dimension : {1U, 3U, 31U, 32U, 33U, 70U}) {
    const VectorModel parts = random_words(200, dimension, 900, 1e-3);
    const auto model = write(parts, "reproducible");
    const NoiseShape shape = NoiseShape::make(scaled_covariance(*model, 1).value(), dimension, 0.7).value();
    for (const std::size_t count : {1U, 5U, 6U, 13U}) {
      std::mt19937_64 random(count);
      std::vector<float> vectors(count * dimension);
      for (float& x : vectors) x = std::normal_distribution<float>()(random);
      std::vector<float> out(vectors.size());
      shape.multiply(vectors, out);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t row = i % dimension;
        volatile float sum = 0;  // no fused or reordered operations
        for (std::size_t c = 0; c <= row; ++c) {
          volatile const float product = shape.factor(row, c) * vectors[i - row + c];
          sum = sum + product;
        }
        ASSERT_EQ(out[i], sum) << dimension << ' ' << count << ' ' << i;
      }
    }
  }
}

using Matrix3 = std::array<std::array<double, 3>, 3>;

Matrix3 inverse(const Matrix3& m) {
  Matrix3 result;
  double determinant = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      result[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
    }
  }
  for (std::size_t j = 0; j < 3; ++j) determinant += m[0][j] * result[j][0];
  for (auto& row : result)
    for (double& x : row) x /= determinant;
  return result;
}

/// The symmetric square root by the Denman–Beavers iteration.
Matrix3 square_root(const Matrix3& matrix) {
  Matrix3 y = matrix;
  Matrix3 z = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int step = 0; step < 40; ++step) {
    const Matrix3 inverse_y = inverse(y);
    const Matrix3 inverse_z = inverse(z);
    for (std::size_t i = 0; i < 9; ++i) {
      y[i / 3][i % 3] = (y[i / 3][i % 3] + inverse_z[i / 3][i % 3]) / 2;
      z[i / 3][i % 3] = (z[i / 3][i % 3] + inverse_y[i / 3][i % 3]) / 2;
    }
  }
  return y;
}

// 26 two-sample tests of 200,000 draws each, α = 1e-7; λ = 0.2 is the default.
TEST_F(Mahalanobis, EveryInputFollowsTheAlgorithmAsPrinted) {
  constexpr std::size_t kDraws = 200'000;
  VectorModel parts = twelve_words();
  for (std::size_t i = 0; i < parts.vectors.size(); i += 3) parts.vectors[i] /= 8;  // a flat cloud
  model_ = write(parts, "flat");
  const std::vector<Point> points = points_of(parts);
  const std::vector<double> covariance = plain_covariance(parts, 3);
  for (const std::string lambda : {"0.2", "0.9"}) {
    Matrix3 a{};
    for (std::size_t i = 0; i < 9; ++i)
      a[i / 3][i % 3] = std::stod(lambda) * covariance[i] / trace_of(covariance, 3) * 3 +
                        (i % 4 == 0 ? 1 - std::stod(lambda) : 0);
    const Matrix3 root = square_root(a);
    const auto mechanism =
        lambda == "0.2" ? make("mahalanobis", 1) : make("mahalanobis", 1, {{"lambda", lambda}});
    for (TokenId word = 0; word <= 12; ++word) {
      const Counts expected = count_reference(12, kDraws, 300 + word, [&](std::mt19937_64& random) {
        const Point noise = reference_noise(random, 3, 1);
        Point noisy = points[word];
        for (std::size_t i = 0; i < 9; ++i) noisy[i / 3] += root[i / 3][i % 3] * noise[i % 3];
        return rank_words(points, noisy)[0].word;
      });
      const Counts counts = count_outputs(*mechanism, 12, word, kDraws, 400 + word);
      SOTTO_EXPECT_PASSES(two_sample_test(counts, expected, 1e-7));
    }
  }
}

TEST_F(Mahalanobis, SaysWhatItPromises) {
  const Guarantee guarantee = make("mahalanobis", 3)->guarantee();
  EXPECT_EQ(guarantee.kind, GuaranteeKind::analytic);
  EXPECT_EQ(guarantee.unit.metric, "Mahalanobis distance, lambda 0.2");
  EXPECT_EQ(guarantee.unit.model, model_->digest());
  EXPECT_NE(guarantee.unit, make("cmp", 3)->guarantee().unit);
  EXPECT_NE(guarantee.unit, make("mahalanobis", 3, {{"lambda", "0.3"}})->guarantee().unit);
  EXPECT_EQ(guarantee.epsilon, 3);
}

TEST_F(Mahalanobis, RefusesWhatItCannotDo) {
  expect_error(make_mechanism("mahalanobis", model_, 1, {{"lambda", "1.5"}}), Errc::invalid_argument,
               "parameters.lambda", {"'1.5' is not allowed; give a number from 0 to 1"});
  VectorModel plane = twelve_words();
  for (std::size_t i = 0; i < plane.vectors.size(); i += 3) plane.vectors[i] = 7;
  const auto model = write(plane, "plane");
  EXPECT_TRUE(make_mechanism("mahalanobis", model, 1, {}));
  expect_error(make_mechanism("mahalanobis", model, 1, {{"lambda", "1"}}), Errc::invalid_argument,
               "parameters.lambda", {"'1'", "0.99"});
  const auto equal = write({{"a", "b"}, {1, 2, 1, 2}}, "equal");
  expect_error(make_mechanism("mahalanobis", equal, 1, {}), Errc::invalid_argument, "model",
               {"'equal'", "all equal"});
}

}  // namespace
}  // namespace sotto

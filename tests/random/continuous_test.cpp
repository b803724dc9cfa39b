#include "random/continuous.hpp"

#include <cmath>
#include <vector>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include "random/bit_sources.hpp"
#include "support/scripted_bit_source.hpp"
#include "support/statistics.hpp"

namespace sotto {
namespace {

using testing::chi_squared_test;
using testing::kolmogorov_smirnov_test;
using testing::ScriptedBitSource;

constexpr double kAlpha = 1e-6;
constexpr std::size_t kDraws = 200'000;

template <class Draw>
std::vector<double> sample(std::uint64_t seed, Draw draw) {
  ChaChaBitSource bits(key_from_seed(seed));
  std::vector<double> values(kDraws);
  for (double& value : values) value = draw(bits);
  return values;
}

/// The word that symmetric uniforms turn into `x`, up to 2^-53.
std::uint64_t word_of(double x) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::ldexp(x, 52))) << 11;
}

TEST(StandardNormal, GoldenAndWordsDrawn) {
  // (0.9, 0.9) lies outside the disc and is thrown away; then x = 0.5, y = −0.25.
  ScriptedBitSource bits({word_of(0.9), word_of(0.9), word_of(0.5), word_of(-0.25)});
  const double square = 0.25 + 0.0625;
  EXPECT_NEAR(standard_normal(bits), 0.5 * std::sqrt(-2 * std::log(square) / square), 1e-14);
  EXPECT_EQ(bits.words_drawn(), 4U);
}

TEST(StandardNormal, ExtremeWordsGiveFiniteValues) {
  for (const std::uint64_t x : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    for (const std::uint64_t y : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      ScriptedBitSource bits({x, y});
      const double value = standard_normal(bits);
      EXPECT_TRUE(std::isfinite(value));
      EXPECT_EQ(std::signbit(value), x != 0);
      EXPECT_LT(std::abs(value), 12.2);
    }
  }
}

TEST(StandardNormal, IsNormal) {
  const boost::math::normal law;
  const auto values = sample(41, [](BitSource& bits) { return standard_normal(bits); });
  SOTTO_EXPECT_PASSES(kolmogorov_smirnov_test(
      values, [&](double x) { return cdf(law, x); }, kAlpha));
}

TEST(UniformDirection, GoldenAndWordsDrawn) {
  // One pair serves two coordinates, so that the angle of (x, y) is kept.
  ScriptedBitSource bits({word_of(0.3), word_of(-0.4), word_of(0.3), word_of(0.1)});
  std::vector<double> two(2);
  uniform_direction(bits, two);
  EXPECT_NEAR(two[0], 0.6, 1e-14);
  EXPECT_NEAR(two[1], -0.8, 1e-14);
  std::vector<double> one(1);
  uniform_direction(bits, one);
  EXPECT_EQ(one[0], 1.0);
  EXPECT_EQ(bits.words_drawn(), 4U);
}

TEST(UniformDirection, HasNormOneAndUniformCoordinates) {
  for (const std::size_t dimension : {1U, 2U, 3U, 50U, 301U}) {
    std::vector<double> direction(dimension);
    const std::size_t last = dimension - 1;
    const auto squares = sample(42 + dimension, [&](BitSource& bits) {
      uniform_direction(bits, direction);
      double square = 0;
      for (const double x : direction) square += x * x;
      EXPECT_NEAR(square, 1, 1e-13);
      return direction[last] * direction[last];
    });
    if (dimension == 1) continue;  // the square is always 1
    // The square of a coordinate of a uniform direction is Beta(1/2, (dimension − 1)/2).
    const boost::math::beta_distribution<> law(0.5, (static_cast<double>(dimension) - 1) / 2);
    const auto distribution = [&](double x) { return cdf(law, std::min(x, 1.0)); };
    SOTTO_EXPECT_PASSES(kolmogorov_smirnov_test(squares, distribution, kAlpha));
  }
}

TEST(UniformDirection, AllOrthantsAreEquallyLikely) {
  constexpr std::size_t kDimension = 7;
  ChaChaBitSource bits(key_from_seed(43));
  std::vector<std::uint64_t> counts(1U << kDimension);
  std::vector<double> direction(kDimension);
  for (std::size_t i = 0; i < kDraws; ++i) {
    uniform_direction(bits, direction);
    std::size_t orthant = 0;
    for (const double x : direction) orthant = orthant * 2 + (x < 0);
    ++counts[orthant];
  }
  const std::vector<double> uniform(counts.size(), 1.0 / static_cast<double>(counts.size()));
  SOTTO_EXPECT_PASSES(chi_squared_test(counts, uniform, kAlpha));
}

TEST(Gamma, GoldenAndWordsDrawn) {
  // x = 0.5·√(−2·ln(0.3125)/0.3125), then u = 1/2, which the squeeze accepts.
  const double square = 0.3125;
  const double x = 0.5 * std::sqrt(-2 * std::log(square) / square);
  const double d = 3 - 1.0 / 3;
  ScriptedBitSource bits({word_of(0.5), word_of(-0.25), std::uint64_t{1} << 63});
  EXPECT_NEAR(gamma(bits, 3), d * std::pow(1 + x / std::sqrt(9 * d), 3), 1e-12);
  EXPECT_EQ(bits.words_drawn(), 3U);
}

TEST(Gamma, HasItsDistribution) {
  for (const double shape : {1.0, 1.5, 2.0, 10.0, 50.0, 300.0}) {
    const boost::math::gamma_distribution<> law(shape, 1);
    const auto values = sample(44, [&](BitSource& bits) { return gamma(bits, shape); });
    SOTTO_EXPECT_PASSES(kolmogorov_smirnov_test(
        values, [&](double x) { return cdf(law, x); }, kAlpha));
  }
}

TEST(GammaRadius, ScalesByEpsilon) {
  for (const unsigned dimension : {1U, 50U}) {
    const double epsilon = 2.5;
    const boost::math::gamma_distribution<> law(dimension, 1 / epsilon);
    const auto values = sample(45, [&](BitSource& bits) { return gamma_radius(bits, dimension, epsilon); });
    SOTTO_EXPECT_PASSES(kolmogorov_smirnov_test(
        values, [&](double x) { return cdf(law, x); }, kAlpha));
  }
}

}  // namespace
}  // namespace sotto

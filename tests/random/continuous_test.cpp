#include "random/continuous.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include "random/bit_sources.hpp"
#include "random/portable_math.hpp"
#include "support/scripted_bit_source.hpp"
#include "support/statistics.hpp"

namespace sotto {
namespace {

using namespace sotto::random;
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

/// A word for standard_normal: position x within the width of its layer, up to 2^-53.
std::uint64_t word_of(double x, std::uint64_t layer) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::ldexp(x, 52))) << 11 | layer;
}

/// The right edges of the ziggurat, from their definition: layer i > 0 has area `area`, the tail begins at
/// edge 1.
std::vector<double> ziggurat_edges() {
  const long double tail = 3.6541528853610088L;
  const long double area =
      tail * std::exp(-tail * tail / 2) + std::sqrt(std::acos(-1.0L) / 2) * std::erfc(tail / std::sqrt(2.0L));
  std::vector<long double> edges = {area / std::exp(-tail * tail / 2), tail};
  for (std::size_t i = 2; i < 256; ++i) {
    const long double x = edges.back();
    edges.push_back(std::sqrt(-2 * std::log(std::exp(-x * x / 2) + area / x)));
  }
  edges.push_back(0);
  return {edges.begin(), edges.end()};
}

TEST(StandardNormal, GoldenAndWordsDrawn) {
  const std::vector<double> edges = ziggurat_edges();
  ScriptedBitSource bits({
      word_of(0.5, 10), word_of(-0.25, 200),                      // inside the layer
      word_of(0.9999, 10), 0,                                     // in the wedge, at its foot: accepted
      word_of(0.9999, 10), ~std::uint64_t{0}, word_of(-0.5, 30),  // in the wedge, at its top: redrawn
      word_of(-0.9999, 0), std::uint64_t{1} << 63, std::uint64_t{1} << 63,  // the tail, accepted
  });
  EXPECT_NEAR(standard_normal(bits), 0.5 * edges[10], 1e-14);
  EXPECT_NEAR(standard_normal(bits), -0.25 * edges[200], 1e-14);
  EXPECT_NEAR(standard_normal(bits), 0.9999 * edges[10], 1e-14);
  EXPECT_NEAR(standard_normal(bits), -0.5 * edges[30], 1e-14);
  EXPECT_NEAR(standard_normal(bits), -(edges[1] + std::log(2) / edges[1]), 1e-14);
  EXPECT_EQ(bits.words_drawn(), 10U);
}

TEST(StandardNormals, GoldenAndWordsDrawn) {
  const std::vector<double> edges = ziggurat_edges();
  // Halves of a word, the lower first: 24 bits of position, 8 of layer.
  const auto half = [](std::int32_t position, std::uint32_t layer) {
    return std::uint64_t{static_cast<std::uint32_t>(position) << 8 | layer};
  };
  ScriptedBitSource bits({half(1 << 22, 10) | half(-(1 << 21), 200) << 32, half(1 << 20, 77)});
  std::vector<double> values(3);
  standard_normals(bits, values);
  EXPECT_NEAR(values[0], (0.5 + 0x1p-24) * edges[10], 1e-14);
  EXPECT_NEAR(values[1], (-0.25 + 0x1p-24) * edges[200], 1e-14);
  EXPECT_NEAR(values[2], (0.125 + 0x1p-24) * edges[77], 1e-14);
  EXPECT_EQ(bits.words_drawn(), 2U);
}

// n = 2,000,000; the distribution function, then the counts beyond ±3.6 (where the tail has its own sampler)
// and in between.
TEST(StandardNormals, AreNormalAndSoAreTheirTails) {
  const boost::math::normal law;
  for (const bool batch : {true, false}) {
    ChaChaBitSource bits(key_from_seed(46));
    std::vector<double> values(2'000'000);
    if (batch) {
      standard_normals(bits, values);
    } else {
      for (double& value : values) value = standard_normal(bits);
    }
    const std::vector<double> borders = {-4.5, -4, -3.8, -3.6541528853610088, -3.5, -3, -2, 0,
                                         2,    3,  3.5,  3.6541528853610088,  3.8,  4,  4.5};
    std::vector<std::uint64_t> counts(borders.size() + 1);
    for (const double x : values)
      ++counts[static_cast<std::size_t>(std::upper_bound(borders.begin(), borders.end(), x) -
                                        borders.begin())];
    std::vector<double> probabilities;
    for (std::size_t i = 0; i <= borders.size(); ++i)
      probabilities.push_back((i == borders.size() ? 1 : cdf(law, borders[i])) -
                              (i == 0 ? 0 : cdf(law, borders[i - 1])));
    SOTTO_EXPECT_PASSES(chi_squared_test(counts, probabilities, kAlpha));
    SOTTO_EXPECT_PASSES(kolmogorov_smirnov_test(
        std::move(values), [&](double x) { return cdf(law, x); }, kAlpha));
  }
}

TEST(StandardNormal, ExtremeWordsGiveFiniteValues) {
  for (const std::uint64_t word :
       {std::uint64_t{255}, ~std::uint64_t{0}, std::uint64_t{0}, ~std::uint64_t{255}}) {
    ScriptedBitSource bits({word, 0});  // the second is for the wedge of the top layer: accepted
    const double value = standard_normal(bits);
    EXPECT_TRUE(std::isfinite(value));
    EXPECT_NE(value, 0);
    EXPECT_EQ(std::signbit(value), word >> 63 != 0);
    EXPECT_LT(std::abs(value), 13.6);
  }
}

TEST(StandardNormal, IsNormal) {
  const boost::math::normal law;
  const auto values = sample(41, [](BitSource& bits) { return standard_normal(bits); });
  SOTTO_EXPECT_PASSES(kolmogorov_smirnov_test(
      values, [&](double x) { return cdf(law, x); }, kAlpha));
}

TEST(UniformDirection, IsTheNormalsMadeAUnitVector) {
  for (const std::size_t dimension : {1U, 2U, 3U, 7U, 50U}) {
    ChaChaBitSource bits(key_from_seed(dimension)), again(key_from_seed(dimension));
    std::vector<double> direction(dimension), normals(dimension);
    uniform_direction(bits, direction);
    standard_normals(again, normals);
    double square = 0;
    for (const double x : normals) square += x * x;
    for (std::size_t i = 0; i < dimension; ++i)
      EXPECT_NEAR(direction[i], normals[i] / std::sqrt(square), 1e-15);
    EXPECT_EQ(bits.next(), again.next());
  }
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
  // x from layer 10, then u = 1/2, which the squeeze accepts.
  const double x = 0.3 * ziggurat_edges()[10];
  const double d = 3 - 1.0 / 3;
  ScriptedBitSource bits({word_of(0.3, 10), std::uint64_t{1} << 63});
  EXPECT_NEAR(gamma(bits, 3), d * std::pow(1 + x / std::sqrt(9 * d), 3), 1e-12);
  EXPECT_EQ(bits.words_drawn(), 2U);
}

// Against the C library's long double functions, within two units in the last place.
TEST(PortableMath, IsAccurate) {
  const auto error = [](double value, long double exact) {
    return static_cast<double>(std::abs((value - exact) / exact)) * 0x1p53;
  };
  double worst_exp = 0;
  double worst_log = 0;
  for (int i = 0; i < 40'000; ++i) {
    const double x = -700 + 0.035 * i;
    worst_exp = std::max(worst_exp, error(portable_exp(x), std::exp(static_cast<long double>(x))));
    for (const double y : {std::exp(x * 0.98), 0.4 + 0.0000521 * i})
      worst_log = std::max(worst_log, error(portable_log(y), std::log(static_cast<long double>(y))));
  }
  EXPECT_LT(worst_exp, 2);
  EXPECT_LT(worst_log, 2);
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_EQ(portable_exp(0), 1);
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

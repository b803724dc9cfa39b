// Shared by the tests of the noise mechanisms: a small world, and the algorithms reimplemented by brute force
// with the standard library's random numbers.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sotto/mechanism.hpp>

#include "random/bit_sources.hpp"
#include "support/statistics.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto::testing {

using Point = std::vector<double>;

/// Twelve words in 3 dimensions, none special, on a grid too fine to matter (scale 1e-4).
inline VectorModel twelve_words() {
  return {{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"},
          {12000, -3000, 4000,  13000, -2000, 9000,  -8000, 14000, 2000,   -15000, 9000,   -6000,
           3000,  20000, -9000, 500,   -700,  900,   -4000, -9000, -12000, 7000,   -16000, 5000,
           21000, 6000,  -8000, -9000, -4000, 17000, 5000,  6000,  15000,  -18000, -12000, 3000},
          {},
          1e-4};
}

class NoiseTest : public ::testing::Test {
 protected:
  std::shared_ptr<const Model> write(const VectorModel& parts, const std::string& name = "model") {
    return write_vector_model(folder_.path() / (name + ".safetensors"), parts);
  }
  std::unique_ptr<Mechanism> make(const std::string& name, double epsilon,
                                  const ParameterValues& parameters = {}) {
    return make_mechanism(name, model_, epsilon, parameters).value();
  }

  TemporaryFolder folder_;
  std::shared_ptr<const Model> model_ = write(twelve_words(), "twelve");
};

/// `words` points with independent normal coordinates of the given deviation, in whole steps.
inline VectorModel random_words(std::size_t words, std::size_t dimension, double deviation, double scale) {
  std::mt19937_64 random(20261115);
  std::normal_distribution<double> normal(0, deviation);
  VectorModel parts;
  parts.scale = scale;
  for (std::size_t i = 0; i < words; ++i) parts.words.push_back(fmt::format("w{}", i));
  for (std::size_t i = 0; i < words * dimension; ++i)
    parts.vectors.push_back(static_cast<int>(std::lround(normal(random))));
  return parts;
}

/// φ in the model's units; the mean, rounded to the grid, comes last.
inline std::vector<Point> points_of(const VectorModel& parts) {
  const std::size_t words = parts.words.size();
  const std::size_t dimension = parts.vectors.size() / words;
  std::vector<Point> points(words + 1, Point(dimension));
  for (std::size_t i = 0; i < words; ++i) {
    for (std::size_t c = 0; c < dimension; ++c) {
      points[i][c] = parts.scale * parts.vectors[i * dimension + c];
      points[words][c] += parts.vectors[i * dimension + c];
    }
  }
  for (double& x : points[words]) x = std::nearbyint(x / static_cast<double>(words)) * parts.scale;
  return points;
}

inline double distance(const Point& a, const Point& b) {
  double square = 0;
  for (std::size_t c = 0; c < a.size(); ++c) square += (a[c] - b[c]) * (a[c] - b[c]);
  return std::sqrt(square);
}

/// Words (without ⊥) by distance from `from`, nearest first.
struct Ranked {
  double distance;
  TokenId word;
};
inline std::vector<Ranked> rank_words(const std::vector<Point>& points, const Point& from) {
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    ranked.push_back({distance(points[i], from), static_cast<TokenId>(i)});
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.distance < b.distance; });
  return ranked;
}

/// r·u with u a normalised normal vector and r ~ Gamma(dimension, 1/ε).
inline Point reference_noise(std::mt19937_64& random, std::size_t dimension, double epsilon) {
  std::normal_distribution<double> normal;
  std::gamma_distribution<double> radius(static_cast<double>(dimension), 1 / epsilon);
  Point noise(dimension);
  double square = 0;
  for (double& x : noise) {
    x = normal(random);
    square += x * x;
  }
  const double factor = radius(random) / std::sqrt(square);
  for (double& x : noise) x *= factor;
  return noise;
}

using Counts = std::vector<std::uint64_t>;

/// How often each word comes out in n runs of `run`.
inline Counts count_reference(std::size_t words, std::size_t n, std::uint64_t seed,
                              const std::function<TokenId(std::mt19937_64&)>& run) {
  std::mt19937_64 random(seed);
  Counts counts(words);
  for (std::size_t i = 0; i < n; ++i) ++counts.at(run(random));
  return counts;
}

inline Counts count_outputs(const Mechanism& mechanism, std::size_t words, TokenId input, std::size_t n,
                            std::uint64_t seed) {
  random::ChaChaBitSource bits(random::key_from_seed(seed));
  std::vector<TokenId> out(n);
  mechanism.privatize(std::vector<TokenId>(n, input), out, bits);
  Counts counts(words);
  for (const TokenId word : out) ++counts.at(word);
  return counts;
}

/// The χ² test that two samples come from the same law. Neighbouring cells are merged until each has 20 in
/// both samples together.
inline TestOutcome two_sample_test(const Counts& first, const Counts& second, double alpha) {
  double sums[2] = {};
  for (std::size_t i = 0; i < first.size(); ++i) {
    sums[0] += static_cast<double>(first[i]);
    sums[1] += static_cast<double>(second[i]);
  }
  const double ratio = std::sqrt(sums[1] / sums[0]);
  TestOutcome outcome;
  outcome.alpha = alpha;
  outcome.n = static_cast<std::uint64_t>(sums[0] + sums[1]);
  double open[2] = {};
  for (std::size_t i = 0; i < first.size(); ++i) {
    open[0] += static_cast<double>(first[i]);
    open[1] += static_cast<double>(second[i]);
    if (open[0] + open[1] < 20) continue;
    const double difference = ratio * open[0] - open[1] / ratio;
    outcome.statistic += difference * difference / (open[0] + open[1]);
    ++outcome.degrees_of_freedom;
    open[0] = open[1] = 0;
  }
  if (--outcome.degrees_of_freedom == 0) throw std::logic_error("a single cell tests nothing");
  const boost::math::chi_squared law(static_cast<double>(outcome.degrees_of_freedom));
  outcome.critical_value = boost::math::quantile(boost::math::complement(law, alpha));
  return outcome;
}

}  // namespace sotto::testing

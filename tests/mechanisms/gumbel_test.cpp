#include <complex>
#include <thread>

#include <gtest/gtest.h>

#include "mechanisms/noise/gumbel_law.hpp"
#include "mechanisms/noise/gumbel_scale.hpp"
#include "noise_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::mechanism;
using namespace sotto::testing;

class Gumbel : public NoiseTest {};

/// W₀ by Newton's iteration in the complex plane.
double lambert_by_newton(double x) {
  const std::complex<double> z(x, 0);
  std::complex<double> w =
      std::abs(x) > 3 ? std::log(z) - std::log(std::log(z)) : std::complex<double>(0.3, 1);
  for (int i = 0; i < 200; ++i) w -= (w * std::exp(w) - z) / (std::exp(w) * (w + 1.0));
  return w.real();
}

TEST_F(Gumbel, TheRealPartOfLambertW) {
  EXPECT_NEAR(real_lambert_w0(1), 0.567143290409784, 1e-14);
  EXPECT_NEAR(real_lambert_w0(-std::acos(-1.0) / 2), 0, 1e-14);  // W₀(−π/2) = iπ/2
  for (const double x : {-0.5, -1.0, -2.0, -10.0, -150.0, -1e4})
    EXPECT_NEAR(real_lambert_w0(x), lambert_by_newton(x), 1e-10) << x;
}

TEST_F(Gumbel, DistancesAreOverAllPairs) {
  VectorModel parts = random_words(150, 6, 4000, 1e-3);
  for (std::size_t c = 0; c < 6; ++c)
    parts.vectors[90 * 6 + c] = parts.vectors[17 * 6 + c];  // equal vectors do not count
  const std::vector<Point> points = points_of(parts);
  double largest = 0;
  double smallest = INFINITY;
  for (std::size_t i = 0; i < 150; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double d = distance(points[i], points[j]);
      largest = std::max(largest, d);
      if (d > 0) smallest = std::min(smallest, d);
    }
  }
  for (const unsigned threads : {1U, 3U}) {
    const WordDistances found = word_distances(*NoiseSpace::make(write(parts)).value(), threads).value();
    EXPECT_NEAR(found.largest, largest, 1e-12);
    EXPECT_NEAR(found.smallest, smallest, 1e-12);
  }
}

// The published scale below the formula's range: noise shrinks as ε falls. Only calibration=paper reproduces
// it; where it would be negative or infinite, ε is refused.
TEST_F(Gumbel, TheScaleBelowTheFormulasRange) {
  const WordDistances distances{13.6, 3.0};
  const std::uint32_t words = 34'573;
  const double edge = (5 + 2 * std::log(34'573.0)) / 3.0;
  const auto paper = [&](double epsilon) {
    return gumbel_scale(GumbelCalibration::paper, epsilon, words, distances);
  };
  EXPECT_LT(paper(0.1).value(), paper(5).value());
  EXPECT_LT(paper(5).value(), paper(7).value());
  const double alpha = (0.1 - 2 * (1 + std::log(34'573.0)) / 3.0) / 3;
  EXPECT_NEAR(paper(0.1).value(), 2 * 13.6 / lambert_by_newton(2 * alpha * 13.6), 1e-6);
  std::size_t refused = 0;
  for (int step = 1; step < 2000; ++step) {
    const double epsilon = 0.01 * step;
    const Result<double> scale = paper(epsilon);
    const Result<double> theorem = gumbel_scale(GumbelCalibration::theorem, epsilon, words, distances);
    EXPECT_EQ(theorem.has_value(), epsilon > edge) << epsilon;
    EXPECT_GT(scale.value_or(1), 0) << epsilon;
    EXPECT_EQ(theorem.value_or(0), theorem ? scale.value() : 0);
    refused += scale ? 0 : 1;
  }
  EXPECT_GT(refused, 0U);
  const std::string message = gumbel_scale(GumbelCalibration::theorem, 7, words, distances).error().message;
  std::cout << "    " << message << "\n";
  const double named = std::stod(message.substr(message.find("at least ") + 9));
  EXPECT_TRUE(gumbel_scale(GumbelCalibration::theorem, named, words, distances));
  EXPECT_FALSE(gumbel_scale(GumbelCalibration::theorem, named * 0.999, words, distances));
  expect_error(paper(edge - 0.1), Errc::invalid_argument, "epsilon", {"not positive", "at most", "at least"});
}

/// The algorithm as printed, with the standard library's random numbers and rejection for each truncation.
TokenId run_as_printed(std::mt19937_64& random, const std::vector<Point>& points, TokenId word, double scale,
                       double bound) {
  const std::size_t words = points.size() - 1;
  std::poisson_distribution<std::size_t> poisson(std::log(static_cast<double>(words)));
  std::extreme_value_distribution<double> gumbel(0, scale);
  std::size_t k = 0;
  while (k < 1 || k > words) k = poisson(random);
  const std::vector<Ranked> ranked = rank_words(points, points[word]);
  Ranked best{INFINITY, 0};
  for (std::size_t i = 0; i < k; ++i) {
    double noise = INFINITY;
    while (std::abs(noise) > bound) noise = gumbel(random);
    if (ranked[i].distance + noise < best.distance) best = {ranked[i].distance + noise, ranked[i].word};
  }
  return best.word;
}

// 52 χ² tests of 200,000 draws each, α = 1e-7: the row against the algorithm as printed, and the mechanism
// against the row, below the formula's range and inside it.
TEST_F(Gumbel, EveryInputFollowsTheAlgorithmAsPrinted) {
  constexpr std::size_t kDraws = 200'000;
  const std::vector<Point> points = points_of(twelve_words());
  const auto space = NoiseSpace::make(model_).value();
  const WordDistances distances = word_distances(*space, 1).value();
  for (const double epsilon : {1.0, 40.0}) {
    const auto mechanism = make("gumbel", epsilon);
    const double scale = gumbel_scale(GumbelCalibration::paper, epsilon, 12, distances).value();
    for (TokenId word = 0; word <= 12; ++word) {
      std::vector<double> row = mechanism->row(word);
      double sum = 0;
      for (const double p : row) sum += p;
      EXPECT_NEAR(sum, 1, 1e-10);
      const Counts printed = count_reference(12, kDraws, 40 + word, [&](std::mt19937_64& random) {
        return run_as_printed(random, points, word, scale, distances.largest);
      });
      SOTTO_EXPECT_PASSES(chi_squared_test(printed, row, 1e-7));
      SOTTO_EXPECT_PASSES(
          chi_squared_test(count_outputs(*mechanism, 12, word, kDraws, 60 + word), row, 1e-7));
    }
  }
}

// Twenty words in 50 dimensions, at an ε for which the theorem claims ε·d: the exact rows lose more.
TEST_F(Gumbel, TheTheoremIsFalse) {
  const VectorModel parts = random_words(20, 50, 1000, 1e-3);
  const auto model = write(parts);
  const std::vector<Point> points = points_of(parts);
  const std::string message =
      make_mechanism("gumbel", model, 0.1, {{"calibration", "theorem"}}).error().message;
  const double epsilon = std::stod(message.substr(message.find("at least ") + 9));
  const auto mechanism = make_mechanism("gumbel", model, epsilon, {{"calibration", "theorem"}}).value();
  std::vector<std::vector<double>> rows;
  for (TokenId word = 0; word < 20; ++word) rows.push_back(mechanism->row(word));
  double worst = 0;
  for (TokenId x = 0; x < 20; ++x) {
    for (TokenId y = 0; y < 20; ++y) {
      if (x == y) continue;
      for (TokenId z = 0; z < 20; ++z)
        worst = std::max(worst, std::log(rows[x][z] / rows[y][z]) / distance(points[x], points[y]));
    }
  }
  std::cout << "    epsilon " << epsilon << ", largest loss a unit of distance " << worst << "\n";
  EXPECT_GT(worst, 1.5 * epsilon);
  // The reason: a word stays with probability at least P(k = 1).
  const double mean = std::log(20.0);
  for (TokenId word = 0; word < 20; ++word) EXPECT_GE(rows[word][word], mean / (20 - 1) * 0.99);
  EXPECT_EQ(mechanism->guarantee().kind, GuaranteeKind::none);
  EXPECT_NE(mechanism->guarantee().statement.find("theorem is false"), std::string::npos);
}

// The quadrature against the midpoint rule.
TEST_F(Gumbel, TheLawOfTwoCandidates) {
  const double scale = 0.7, bound = 2, d = 1.1;
  const std::vector<double> law =
      gumbel_choice_law(std::vector<double>{0, d}, std::vector<double>{0.3, 0.7}, scale, bound);
  const auto cdf = [&](double g) { return std::exp(-std::exp(-g / scale)); };
  const double mass = cdf(bound) - cdf(-bound);
  double second = 0;
  constexpr int kSteps = 2'000'000;
  for (int i = 0; i < kSteps; ++i) {  // the midpoint rule: P(second < first)
    const double g = -bound + (i + 0.5) * 2 * bound / kSteps;
    const double density = std::exp(-g / scale) * cdf(g) / scale / mass;
    const double above = d + g >= bound ? 0 : (cdf(bound) - cdf(d + g)) / mass;
    second += density * above * 2 * bound / kSteps;
  }
  EXPECT_NEAR(law[1], 0.7 * second, 1e-9);
  EXPECT_NEAR(law[0] + law[1], 1, 1e-11);
}

TEST_F(Gumbel, MemoryAndThreadsDoNotChangeTheOutput) {
  const auto model = write(random_words(400, 12, 1000, 1e-3));
  std::vector<TokenId> in(5000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<TokenId>(i * 37 % 401);
  std::vector<TokenId> expected(in.size());
  const auto plenty = make_mechanism("gumbel", model, 1, {}).value();
  random::ChaChaBitSource bits(random::key_from_seed(1));
  plenty->privatize(in, expected, bits);
  const auto little = make_mechanism("gumbel", model, 1, {}, {.memory = 50'000}).value();
  std::vector<std::vector<TokenId>> out(4, std::vector<TokenId>(in.size()));
  std::vector<std::thread> threads;
  threads.reserve(out.size());
  for (auto& part : out) {
    threads.emplace_back([&] {
      random::ChaChaBitSource own(random::key_from_seed(1));
      little->privatize(in, part, own);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& part : out) EXPECT_EQ(part, expected);
}

TEST_F(Gumbel, WorksOnTwoWordsAndOnEqualVectors) {
  const auto two = write({{"x", "y"}, {0, 0, 300, 400}, {}, 0.01}, "two");
  const Counts counts = count_outputs(*make_mechanism("gumbel", two, 0.1, {}).value(), 2, 1, 10'000, 1);
  EXPECT_GT(counts[1], counts[0]);
  EXPECT_GT(counts[0], 0U);
  // The input comes first although an equal vector has a lower id: it stays at least when k = 1.
  const auto twins = write({{"x", "y", "z"}, {50, 50, 50, 50, -500, 20}, {}, 0.01}, "twins");
  const auto row = make_mechanism("gumbel", twins, 0.1, {}).value()->row(1);
  EXPECT_GT(row[1], row[0]);
  const auto equal = write({{"a", "b"}, {1, 2, 1, 2}}, "equal");
  expect_error(make_mechanism("gumbel", equal, 1, {}), Errc::invalid_argument, "model",
               {"'equal'", "all equal"});
  expect_error(make_mechanism("gumbel", model_, 1, {{"calibration", "none"}}), Errc::invalid_argument,
               "parameters.calibration", {"'none' is not allowed"});
}

}  // namespace
}  // namespace sotto

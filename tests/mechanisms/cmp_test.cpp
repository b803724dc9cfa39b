#include <set>

#include <gtest/gtest.h>

#include "noise_fixture.hpp"
#include "random/continuous.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class Cmp : public NoiseTest {};

// 26 two-sample tests of 200,000 draws each, α = 1e-7.
TEST_F(Cmp, EveryInputFollowsTheAlgorithmAsPrinted) {
  constexpr std::size_t kDraws = 200'000;
  const std::vector<Point> points = points_of(twelve_words());
  for (const double epsilon : {0.7, 4.0}) {
    const auto mechanism = make("cmp", epsilon);
    for (TokenId word = 0; word <= 12; ++word) {
      const Counts expected = count_reference(12, kDraws, 100 + word, [&](std::mt19937_64& random) {
        Point noisy = reference_noise(random, 3, epsilon);
        for (std::size_t c = 0; c < 3; ++c) noisy[c] += points[word][c];
        return rank_words(points, noisy)[0].word;
      });
      const Counts counts = count_outputs(*mechanism, 12, word, kDraws, 200 + word);
      SOTTO_EXPECT_PASSES(two_sample_test(counts, expected, 1e-7));
    }
  }
}

// The test above can fail: it catches Gamma(1, 1/ε) in place of Gamma(3, 1/ε), a known error.
TEST_F(Cmp, AWrongRadiusWouldBeNoticed) {
  const std::vector<Point> points = points_of(twelve_words());
  const Counts wrong = count_reference(12, 200'000, 1, [&](std::mt19937_64& random) {
    Point noisy = reference_noise(random, 3, 0.7);
    const double length = distance(noisy, Point(3));
    const double radius = std::exponential_distribution<double>(0.7)(random);
    for (std::size_t c = 0; c < 3; ++c) noisy[c] = points[0][c] + noisy[c] / length * radius;
    return rank_words(points, noisy)[0].word;
  });
  const Counts counts = count_outputs(*make("cmp", 0.7), 12, 0, 200'000, 2);
  EXPECT_FALSE(two_sample_test(counts, wrong, 1e-7).passed());
}

/// The noisy vectors behind the outputs, replayed from the same bits.
std::vector<Point> replay(const std::vector<Point>& points, std::span<const TokenId> in, double epsilon,
                          BitSource& bits) {
  std::vector<Point> noisy;
  for (const TokenId word : in) {
    Point point(points[word].size());
    random::uniform_direction(bits, point);
    const double radius = random::gamma_radius(bits, static_cast<unsigned>(point.size()), epsilon);
    for (std::size_t c = 0; c < point.size(); ++c) point[c] = points[word][c] + radius * point[c];
    noisy.push_back(point);
  }
  return noisy;
}

// An approximate search finds few of the nearest words; here every one is right, at every ε.
TEST_F(Cmp, TheNearestWordIsFoundEveryTime) {
  const VectorModel parts = random_words(1500, 40, 3000, 1e-3);
  const auto model = write(parts);
  const std::vector<Point> points = points_of(parts);
  for (const double epsilon : {0.05, 1.0, 10.0}) {
    const auto mechanism = make_mechanism("cmp", model, epsilon, {}).value();
    std::vector<TokenId> in(1501);
    for (TokenId i = 0; i < in.size(); ++i) in[i] = i;
    std::vector<TokenId> out(in.size());
    random::ChaChaBitSource bits(random::key_from_seed(5));
    mechanism->privatize(in, out, bits);
    random::ChaChaBitSource again(random::key_from_seed(5));
    const std::vector<Point> noisy = replay(points, in, epsilon, again);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Ranked nearest = rank_words(points, noisy[i])[0];
      // Rounding moves the vector by at most half a step per coordinate; any closer is a tie.
      const double slack = 2 * std::sqrt(40.0) * 0.5e-3;
      ASSERT_LE(distance(points[out[i]], noisy[i]), nearest.distance + slack) << epsilon << ' ' << i;
    }
  }
}

// At ε = 1e-7 the noise is 10^8 times the vectors. In 32-bit floats all distances become equal and 200 inputs
// have few distinct outputs. Here the outputs are those of exact arithmetic: the words furthest in the
// direction of the noise.
TEST_F(Cmp, ATinyEpsilonKeepsTheDirectionOfTheNoise) {
  const VectorModel parts = random_words(2000, 50, 3000, 1e-3);
  const std::vector<Point> points = points_of(parts);
  const double epsilon = 1e-7;
  const auto mechanism = make_mechanism("cmp", write(parts), epsilon, {}).value();
  std::vector<TokenId> in(200);
  for (TokenId i = 0; i < in.size(); ++i) in[i] = 10 * i;
  std::vector<TokenId> out(in.size());
  random::ChaChaBitSource bits(random::key_from_seed(6));
  mechanism->privatize(in, out, bits);
  random::ChaChaBitSource again(random::key_from_seed(6));
  const std::vector<Point> noisy = replay(points, in, epsilon, again);
  std::set<TokenId> exact;
  std::set<TokenId> in_floats;
  std::size_t right = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    TokenId best = 0;
    TokenId best_in_floats = 0;
    double largest = -INFINITY;
    float smallest = INFINITY;
    for (TokenId w = 0; w < 2000; ++w) {
      double product = 0;
      float square = 0;
      for (std::size_t c = 0; c < 50; ++c) {
        product += noisy[i][c] * points[w][c];
        const auto difference = static_cast<float>(noisy[i][c]) - static_cast<float>(points[w][c]);
        square += difference * difference;
      }
      if (product > largest) best = w;
      largest = std::max(largest, product);
      if (square < smallest) best_in_floats = w;
      smallest = std::min(smallest, square);
    }
    exact.insert(best);
    in_floats.insert(best_in_floats);
    right += out[i] == best ? 1 : 0;
  }
  const std::set<TokenId> distinct(out.begin(), out.end());
  std::cout << "    distinct outputs of 200: " << distinct.size() << ", in exact arithmetic " << exact.size()
            << ", in 32-bit floats " << in_floats.size() << "; the exact one " << right << " times\n";
  EXPECT_LT(in_floats.size(), exact.size());
  // Shortening noise from 5e11 steps to 2^30 can only change near ties: a word of length |w| gains at most
  // |w|²/2^31, about 0.1 of |w|, where the leaders are some hundred steps apart.
  EXPECT_GE(right, 190U);
}

TEST_F(Cmp, SaysWhatItPromises) {
  const Guarantee guarantee = make("cmp", 2)->guarantee();
  EXPECT_EQ(guarantee.kind, GuaranteeKind::analytic);
  EXPECT_EQ(guarantee.scope, GuaranteeScope::all_inputs);
  EXPECT_EQ(guarantee.unit, (PrivacyUnit{"Euclidean distance of the vectors", model_->digest()}));
  EXPECT_EQ(guarantee.epsilon, 2);
  EXPECT_NE(guarantee.assumptions.at(0).find("real-valued noise"), std::string::npos);
  EXPECT_TRUE(make("cmp", 2)->row(0).empty());
}

// With 8 bits the grid is coarse; the algorithm runs on it, ties going to the earlier word. n = 200,000, α =
// 1e-7.
TEST_F(Cmp, WorksOnEightBits) {
  VectorModel parts = twelve_words();
  for (int& x : parts.vectors) x /= 200;
  parts.bits = 8;
  parts.scale = 0.02;
  const std::vector<Point> points = points_of(parts);
  const auto mechanism = make_mechanism("cmp", write(parts), 1.5, {}).value();
  for (const TokenId word : {4U, 12U}) {
    const Counts expected = count_reference(12, 200'000, 8, [&](std::mt19937_64& random) {
      Point noisy = reference_noise(random, 3, 1.5);
      for (std::size_t c = 0; c < 3; ++c) noisy[c] = std::nearbyint((points[word][c] + noisy[c]) / 0.02);
      Ranked best{INFINITY, 0};
      for (TokenId w = 0; w < 12; ++w) {
        double square = 0;
        for (std::size_t c = 0; c < 3; ++c) square += std::pow(noisy[c] - parts.vectors[3 * w + c], 2);
        if (square < best.distance) best = {square, w};
      }
      return best.word;
    });
    SOTTO_EXPECT_PASSES(two_sample_test(count_outputs(*mechanism, 12, word, 200'000, 9), expected, 1e-7));
  }
}

}  // namespace
}  // namespace sotto

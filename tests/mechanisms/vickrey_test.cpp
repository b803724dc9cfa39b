#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include "noise_fixture.hpp"
#include "random/continuous.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

constexpr std::size_t kDraws = 60'000;

class Vickrey : public NoiseTest {
 protected:
  /// One run of the algorithm; `weights` turns distances, nearest first, into the weights of the choice.
  TokenId run(std::mt19937_64& random, TokenId word, double epsilon, bool exclude, std::size_t k,
              const std::function<std::vector<double>(const std::vector<double>&)>& weights) {
    Point noisy = reference_noise(random, 3, epsilon);
    for (std::size_t c = 0; c < 3; ++c) noisy[c] += points_[word][c];
    std::vector<double> distances;
    std::vector<TokenId> words;
    for (const Ranked& candidate : rank_words(points_, noisy)) {
      if ((exclude && candidate.word == word) || words.size() == k) continue;
      words.push_back(candidate.word);
      distances.push_back(candidate.distance);
    }
    const std::vector<double> chosen = weights(distances);
    return words[std::discrete_distribution<std::size_t>(chosen.begin(), chosen.end())(random)];
  }

  std::vector<Point> points_ = points_of(twelve_words());
};

std::vector<double> algorithm_1(double t, const std::vector<double>& d) {
  const double p = (1 - t) * d[1] / (t * d[0] + (1 - t) * d[1]);
  return {p, 1 - p};
}

std::vector<double> algorithm_3(const std::vector<double>& t, const std::vector<double>& d) {
  std::vector<double> weights;
  for (std::size_t r = 0; r < d.size(); ++r) weights.push_back(std::exp(-t[r] * d[r]));
  return weights;
}

// 52 two-sample tests, n = 60,000 each, α = 1e-7.
TEST_F(Vickrey, EveryInputFollowsAlgorithm1) {
  for (const std::string t : {"0.25", "1"}) {
    for (const bool exclude : {false, true}) {
      const auto mechanism = make("vickrey", 1.5, {{"t", t}, {"exclude_input", exclude ? "true" : "false"}});
      for (TokenId word = 0; word <= 12; ++word) {
        const Counts expected = count_reference(12, kDraws, 500 + word, [&](std::mt19937_64& random) {
          return run(random, word, 1.5, exclude, 2,
                     [&](const auto& d) { return algorithm_1(std::stod(t), d); });
        });
        SOTTO_EXPECT_PASSES(
            two_sample_test(count_outputs(*mechanism, 12, word, kDraws, 600 + word), expected, 1e-7));
      }
    }
  }
}

// 26 two-sample tests, n = 60,000 each, α = 1e-7.
TEST_F(Vickrey, EveryInputFollowsAlgorithm3) {
  for (const bool exclude : {false, true}) {
    const auto mechanism = make(
        "vickrey-k", 1.5, {{"k", "4"}, {"t", "0.5,1,0,2"}, {"exclude_input", exclude ? "true" : "false"}});
    for (TokenId word = 0; word <= 12; ++word) {
      const Counts expected = count_reference(12, kDraws, 700 + word, [&](std::mt19937_64& random) {
        return run(random, word, 1.5, exclude, 4, [&](const auto& d) {
          return algorithm_3({0.5, 1, 0, 2}, d);
        });
      });
      SOTTO_EXPECT_PASSES(
          two_sample_test(count_outputs(*mechanism, 12, word, kDraws, 800 + word), expected, 1e-7));
    }
  }
}

// Squares in place of distances, as in the published code, are another law, and the tests notice.
TEST_F(Vickrey, SquaredDistancesWouldBeNoticed) {
  constexpr std::size_t kMany = 300'000;
  const auto square = [](std::vector<double> d) {
    for (double& x : d) x *= x;
    return d;
  };
  const Counts first = count_reference(12, kMany, 1, [&](std::mt19937_64& random) {
    return run(random, 0, 1.5, false, 2, [&](const auto& d) { return algorithm_1(0.25, square(d)); });
  });
  EXPECT_FALSE(
      two_sample_test(count_outputs(*make("vickrey", 1.5, {{"t", "0.25"}}), 12, 0, kMany, 2), first, 1e-7)
          .passed());
  const Counts third = count_reference(12, kMany, 3, [&](std::mt19937_64& random) {
    return run(random, 0, 1.5, false, 3, [&](const auto& d) { return algorithm_3({1, 1, 1}, square(d)); });
  });
  EXPECT_FALSE(
      two_sample_test(count_outputs(*make("vickrey-k", 1.5), 12, 0, kMany, 4), third, 1e-7).passed());
}

// As printed, a never becomes a while b often does: the ratio is infinite. The choice among all words keeps
// the guarantee for every pair and output: with X and Y counts of one output, X ~ at most e^{εd}·Y, the
// normalised difference stays below the normal quantile. n = 60,000, α = 1e-6 over 13·13·12 comparisons.
TEST_F(Vickrey, ExcludingTheInputBreaksTheGuarantee) {
  const double epsilon = 1.2;
  for (const std::string name : {"vickrey", "vickrey-k"}) {
    std::vector<Counts> counts;
    std::vector<Counts> excluding;
    const auto mechanism = make(name, epsilon);
    const auto printed = make(name, epsilon, {{"exclude_input", "true"}});
    for (TokenId word = 0; word <= 12; ++word) {
      counts.push_back(count_outputs(*mechanism, 12, word, kDraws, 900 + word));
      excluding.push_back(count_outputs(*printed, 12, word, kDraws, 950 + word));
    }
    for (TokenId word = 0; word < 12; ++word) {
      EXPECT_EQ(excluding[word][word], 0U);
      EXPECT_GT(excluding[(word + 1) % 12][word], 0U);
      EXPECT_GT(counts[word][word], 0U);
    }
    const double critical = quantile(complement(boost::math::normal(), 1e-6 / (13 * 13 * 12)));
    double worst = 0;
    for (TokenId x = 0; x <= 12; ++x) {
      for (TokenId y = 0; y <= 12; ++y) {
        const double factor = std::exp(epsilon * distance(points_[x], points_[y]));
        for (TokenId z = 0; z < 12; ++z) {
          const auto of_x = static_cast<double>(counts[x][z]);
          const auto of_y = static_cast<double>(counts[y][z]);
          if (of_x + of_y < 100) continue;  // too few for a normal approximation
          worst = std::max(worst, (of_x - factor * of_y) / std::sqrt(of_x + factor * factor * of_y));
        }
      }
    }
    std::cout << "    " << name << ": statistic " << worst << ", critical value " << critical << "\n";
    EXPECT_LE(worst, critical);
    EXPECT_EQ(mechanism->guarantee().kind, GuaranteeKind::analytic);
    EXPECT_EQ(mechanism->guarantee().unit,
              (PrivacyUnit{"Euclidean distance of the vectors", model_->digest()}));
    EXPECT_EQ(printed->guarantee().kind, GuaranteeKind::none);
    EXPECT_NE(printed->guarantee().statement.find("never becomes itself"), std::string::npos);
  }
}

/// How often the output is the word nearest to the noisy vector, recomputed from the same bits.
double share_of_nearest(const Mechanism& mechanism, const std::vector<Point>& points, double epsilon) {
  constexpr std::size_t kTokens = 3000;
  std::vector<TokenId> out(kTokens);
  random::ChaChaBitSource bits(random::key_from_seed(3));
  mechanism.privatize(std::vector<TokenId>(kTokens, 1), out, bits);
  random::ChaChaBitSource again(random::key_from_seed(3));
  std::size_t nearest = 0;
  for (const TokenId word : out) {
    Point noisy(points[1].size());
    random::uniform_direction(again, noisy);
    const double radius = random::gamma_radius(again, static_cast<unsigned>(noisy.size()), epsilon);
    random::open_uniform(again);  // the coin
    for (std::size_t c = 0; c < noisy.size(); ++c) noisy[c] = points[1][c] + radius * noisy[c];
    nearest += rank_words(points, noisy)[0].word == word ? 1 : 0;
  }
  return static_cast<double>(nearest) / kTokens;
}

// The published default t = (1, 0) hardly ever takes the nearest word once distances are large, as they are
// in many dimensions; here the nearest word is never less likely than another.
TEST_F(Vickrey, TheDefaultPrefersTheNearestWord) {
  const double epsilon = 0.1;
  const double published =
      share_of_nearest(*make("vickrey-k", epsilon, {{"k", "2"}, {"t", "1,0"}}), points_, epsilon);
  const double ours = share_of_nearest(*make("vickrey-k", epsilon), points_, epsilon);
  std::cout << "    the nearest word: " << ours << " of the time, with the published default " << published
            << "\n";
  EXPECT_LT(published, 0.01);
  // At least a third in expectation; with n = 3000, five deviations (α < 3e-7) are 0.043.
  EXPECT_GT(ours, 1.0 / 3 - 0.043);
}

// Equal vectors and negligible noise: both distances are zero, and 0/0 is taken as its limit, 1 − t. n =
// 100,000, α = 1e-7.
TEST_F(Vickrey, ZeroDistancesHaveALimit) {
  const auto twins = write({{"x", "y", "z"}, {100, 100, 100, 100, -500, 20}}, "twins");
  const auto mechanism = make_mechanism("vickrey", twins, 1e6, {{"t", "0.25"}}).value();
  const Counts counts = count_outputs(*mechanism, 3, 0, 100'000, 4);
  SOTTO_EXPECT_PASSES(chi_squared_test(counts, std::vector<double>{0.75, 0.25, 0}, 1e-7));
  for (const auto& [t, output] : {std::pair("0", 0U), std::pair("1", 1U)}) {
    const auto certain = make_mechanism("vickrey", twins, 1e6, {{"t", t}}).value();
    EXPECT_EQ(count_outputs(*certain, 3, 1, 1000, 5)[output], 1000U);
  }
}

TEST_F(Vickrey, WithoutPreferenceForTheSecondItIsCmp) {
  const auto cmp = make("cmp", 2);
  const auto vickrey = make("vickrey", 2, {{"t", "0"}});
  const auto single = make("vickrey-k", 2, {{"k", "1"}});
  for (TokenId word = 0; word <= 12; ++word) {
    // The coin comes last, so the first token has the same noise.
    random::ChaChaBitSource a(random::key_from_seed(word)), b(random::key_from_seed(word)),
        c(random::key_from_seed(word));
    TokenId out[3] = {};
    cmp->privatize(std::span(&word, 1), std::span(&out[0], 1), a);
    vickrey->privatize(std::span(&word, 1), std::span(&out[1], 1), b);
    single->privatize(std::span(&word, 1), std::span(&out[2], 1), c);
    EXPECT_EQ(out[0], out[1]);
    EXPECT_EQ(out[0], out[2]);
  }
}

TEST_F(Vickrey, RefusesWhatItCannotDo) {
  const auto refused = [&](const std::string& name, const ParameterValues& parameters,
                           const std::string& part) {
    expect_error(make_mechanism(name, model_, 1, parameters), Errc::invalid_argument, {part});
  };
  refused("vickrey", {{"t", "1.1"}}, "parameters.t: '1.1' is not allowed; give a number from 0 to 1");
  refused("vickrey", {{"exclude_input", "maybe"}}, "parameters.exclude_input: 'maybe' is not allowed");
  refused("vickrey-k", {{"k", "0"}}, "parameters.k: '0' is not allowed; give a whole number from 1 to 12");
  refused("vickrey-k", {{"k", "12"}, {"exclude_input", "true"}}, "from 1 to 11");
  refused("vickrey-k", {{"t", "1,0"}},
          "parameters.t: '1,0' is not allowed; give one number or, as k is 3, 3 of them");
  refused("vickrey-k", {{"t", "1,,0"}}, "parameters.t: ''");
  refused("vickrey-k", {{"t", "-1"}}, "parameters.t: '-1'");
  const auto single = write({{"only"}, {1, 2}}, "single");
  expect_error(make_mechanism("vickrey", single, 1, {{"exclude_input", "true"}}), Errc::invalid_argument,
               "parameters.exclude_input", {"'single'"});
  EXPECT_EQ(count_outputs(*make_mechanism("vickrey", single, 1, {}).value(), 1, 0, 10, 1)[0], 10U);
}

}  // namespace
}  // namespace sotto

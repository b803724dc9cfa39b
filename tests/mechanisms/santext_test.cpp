#include <algorithm>
#include <iostream>
#include <numeric>
#include <thread>

#include "mechanisms/selection_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::mechanism;
using namespace sotto::testing;

using SanText = SelectionTest;

// A weight is rounded down by at most one part in 2^12, which bounds the relative error of every probability.
constexpr double kRelative = 0x1p-12 + 0x1p-40;

TEST_F(SanText, RowEqualsTheDefinition) {
  const auto model = write(tiny_model_parts());
  for (const double epsilon : {1e-9, 0.5, 4.0, 20.0}) {
    const auto mechanism = make("santext", model, epsilon);
    for (TokenId x = 0; x <= model->size(); ++x) {
      std::vector<long double> expected;
      for (TokenId y = 0; y < model->size(); ++y)
        expected.push_back(std::exp(-0.5L * epsilon * distance(*model, x, y)));
      const long double total = std::accumulate(expected.begin(), expected.end(), 0.0L);
      const std::vector<double> row = mechanism->row(x);
      ASSERT_EQ(row.size(), model->size());
      for (TokenId y = 0; y < model->size(); ++y) {
        const auto probability = static_cast<double>(expected[y] / total);
        EXPECT_NEAR(row[y], probability, probability * kRelative) << epsilon << ' ' << x << ' ' << y;
      }
    }
  }
}

// The promise for all pairs of inputs (including ⊥) and outputs, from the integers that are sampled; among
// them a pair of words 0.013 apart and a pair of equal vectors.
TEST_F(SanText, EveryPairKeepsTheGuarantee) {
  for (const VectorModel& parts : {tiny_model_parts(), near_pair_parts(), cluster_parts(30, 5, 3)}) {
    const auto model = write(parts);
    for (const std::string selection : {"exponential", "permute-and-flip"}) {
      for (const double epsilon : {1e-9, 0.1, 1.0, 6.0, 40.0, 1000.0, 1e6}) {
        const auto mechanism = make("santext", model, epsilon, {{"selection", selection}});
        const long double excess = worst_excess(*mechanism, *model, [&](TokenId x, TokenId y) {
          return epsilon * distance(*model, x, y) * (1 + 0x1p-50L);
        });
        EXPECT_LE(excess, 0x1p-58L) << selection << ' ' << epsilon;  // the test's own logarithms
      }
    }
  }
}

TEST_F(SanText, EqualVectorsHaveEqualRows) {
  const auto model = write(near_pair_parts());
  for (const std::string selection : {"exponential", "permute-and-flip"}) {
    const auto mechanism = make("santext", model, 6, {{"selection", selection}});
    EXPECT_EQ(mechanism->row(6), mechanism->row(7));
    EXPECT_EQ(mechanism->row(6)[6], mechanism->row(6)[7]);
  }
}

// Two words 0.013 apart and a far word. As plain integers ⌊2^k·exp(−½ε·d)⌋ its weight is, at some distance, 1
// for one of the two and 2 or more for the other, which certifies more than 50 at ε = 6.
TEST_F(SanText, RoundingDoesNotTellNearWordsApart) {
  constexpr double kEpsilon = 6;
  constexpr double kScale = 0.013 / 5;
  double naive = 0;
  double ours = 0;
  for (int far = 4100; far < 4300; far += 2) {
    VectorModel parts{.words = {"a", "b", "c"}, .vectors = {0, 5, far}, .scale = kScale};
    const auto plain = [&](int d) {
      return std::max(1.0, std::floor(std::ldexp(std::exp(-0.5 * kEpsilon * kScale * d), 48)));
    };
    naive = std::max(naive, std::log(plain(far - 5) / plain(far)) / 0.013);
    const auto model = write(parts);
    const auto mechanism = make("santext", model, kEpsilon);
    const std::vector<double> a = mechanism->row(0);
    const std::vector<double> b = mechanism->row(1);
    for (std::size_t z = 0; z < 3; ++z) ours = std::max(ours, std::abs(std::log(a[z] / b[z])) / 0.013);
  }
  std::cout << "    certified without care " << naive << ", here " << ours << "\n";
  EXPECT_GT(naive, 50);
  EXPECT_LE(ours, kEpsilon);
}

// ½ε·d is 51 here. The distribution function in 53 bits gives the far word nothing.
TEST_F(SanText, FarWordsStayPossible) {
  VectorModel parts{.words = {"a", "b", "c"}, .vectors = {0, 5, 20'000}, .scale = 0.0017};
  const auto model = write(parts);
  const auto mechanism = make("santext", model, 3);
  const double published = std::exp(-0.5 * 3 * 0.0017 * 20'000);
  EXPECT_EQ(1 - published, 1.0);
  EXPECT_GE(mechanism->row(0)[2], 0x1p-50);
  ScriptedBitSource bits({~std::uint64_t{0}, ~std::uint64_t{0}});
  TokenId word = 0;
  mechanism->privatize({&word, 1}, {&word, 1}, bits);
  EXPECT_EQ(word, 2U);
}

// The law of permute-and-flip by the words that precede y in the random order: k of them, all sets of k
// equally likely, all rejected. Sums only positive numbers, so it is accurate.
std::vector<double> permute_and_flip_law(const std::vector<long double>& p) {
  const std::size_t n = p.size();
  std::vector<double> law;
  for (std::size_t y = 0; y < n; ++y) {
    std::vector<long double> symmetric = {1};
    for (std::size_t z = 0; z < n; ++z) {
      if (z == y) continue;
      symmetric.push_back(0);
      for (std::size_t k = symmetric.size() - 1; k > 0; --k) symmetric[k] += symmetric[k - 1] * (1 - p[z]);
    }
    long double sum = 0;
    long double sets = 1;
    for (std::size_t k = 0; k < n; ++k) {
      sum += symmetric[k] / sets;
      sets *= static_cast<long double>(n - 1 - k) / static_cast<long double>(k + 1);
    }
    law.push_back(static_cast<double>(p[y] * sum / static_cast<long double>(n)));
  }
  return law;
}

std::vector<long double> acceptances(const std::vector<long double>& distances, double epsilon) {
  const long double least = *std::min_element(distances.begin(), distances.end());
  std::vector<long double> p;
  for (const long double d : distances) p.push_back(std::exp(-0.5L * epsilon * (d - least)));
  return p;
}

// The algorithm as printed, over all 5,040 orders of seven words.
TEST_F(SanText, PermuteAndFlipEqualsTheEnumerationOfAllOrders) {
  VectorModel parts = tiny_model_parts();
  parts.words.resize(7);
  parts.vectors.resize(28);
  parts.counts.resize(7);
  const auto model = write(parts);
  for (const double epsilon : {0.3, 3.0}) {
    const auto mechanism = make("santext", model, epsilon, {{"selection", "permute-and-flip"}});
    for (TokenId x = 0; x <= 7; ++x) {
      std::vector<long double> distances;
      for (TokenId y = 0; y < 7; ++y) distances.push_back(distance(*model, x, y));
      const std::vector<long double> p = acceptances(distances, epsilon);
      std::vector<std::size_t> order(7);
      std::iota(order.begin(), order.end(), 0U);
      std::vector<long double> law(7, 0);
      do {
        long double reached = 1.0L / 5040;
        for (const std::size_t y : order) {
          law[y] += reached * p[y];
          reached *= 1 - p[y];
        }
      } while (std::next_permutation(order.begin(), order.end()));
      const std::vector<double> row = mechanism->row(x);
      const std::vector<double> by_sets = permute_and_flip_law(p);
      for (TokenId y = 0; y < 7; ++y) {
        const auto exact = static_cast<double>(law[y]);
        EXPECT_NEAR(row[y], exact, exact * kRelative);
        EXPECT_NEAR(by_sets[y], exact, exact * 1e-14);
      }
    }
  }
}

// From one word that counts (S = 1) to all 200 alike (S = 200), so from one panel of the quadrature to three.
// The error is the one that the rule states, on top of rounding to integers.
TEST_F(SanText, PermuteAndFlipIsIntegratedExactly) {
  constexpr std::size_t kWords = 200;
  const auto model = write(cluster_parts(kWords, 6, 8));
  for (const double epsilon : {1e-6, 0.3, 0.6, 1.0, 1.7, 3.0, 8.0, 1e5}) {
    const auto mechanism = make("santext", model, epsilon, {{"selection", "permute-and-flip"}});
    const Selection& sampled = SelectionTest::selection(*mechanism).selection();
    const DistanceWeights& weights = sampled.distance_weights();
    const double bound = 4 * sampled.weight_error();
    EXPECT_LT(bound, 2e-12);
    std::vector<double> exponents;
    std::vector<long double> distances;
    for (TokenId y = 0; y < kWords; ++y) {
      exponents.push_back(weights.exponent(model->squared_distance(3, y)));
      distances.push_back(2.0L * exponents.back() / epsilon);
    }
    const std::vector<double> law = permute_and_flip_law(acceptances(distances, epsilon));
    const std::vector<double> integrated = sampled.rule().probabilities(exponents);
    const std::vector<double> row = mechanism->row(3);
    for (TokenId y = 0; y < kWords; ++y) {
      ASSERT_NEAR(integrated[y], law[y], law[y] * bound) << epsilon;
      ASSERT_NEAR(row[y], law[y], law[y] * kRelative) << epsilon;
    }
  }
}

// The mass that truncation moves, against the two laws written out.
TEST_F(SanText, ReportsTheMassThatTruncationMoves) {
  const auto model = write(cluster_parts(200, 4, 5));
  for (const double epsilon : {1.0, 12.0, 30.0, 1e6}) {
    const auto mechanism = make("santext", model, epsilon);
    for (const TokenId x : {TokenId{0}, model->bottom()}) {
      std::vector<long double> untruncated;
      long double least = INFINITY;
      for (TokenId y = 0; y < model->size(); ++y) least = std::min(least, distance(*model, x, y));
      for (TokenId y = 0; y < model->size(); ++y)
        untruncated.push_back(std::exp(-0.5L * epsilon * (distance(*model, x, y) - least)));
      const long double total = std::accumulate(untruncated.begin(), untruncated.end(), 0.0L);
      const std::vector<double> row = mechanism->row(x);
      long double moved = 0;
      for (TokenId y = 0; y < model->size(); ++y) moved += std::abs(row[y] - untruncated[y] / total) / 2;
      const double reported = SelectionTest::selection(*mechanism).moved_mass(x);
      EXPECT_NEAR(reported, static_cast<double>(moved), kRelative);
      std::cout << "    epsilon " << epsilon << ", input " << x << ": " << reported << "\n";
    }
    EXPECT_LT(SelectionTest::selection(*mechanism).moved_mass(0), 1e-3);  // of one part of ε in 256
  }
  EXPECT_LT(SelectionTest::selection(*make("santext", model, 1)).moved_mass(0), 1e-9);
}

// 26 tests of 300,000 draws, α = 1e-7 each.
TEST_F(SanText, DrawsFollowTheRow) {
  const auto model = write(tiny_model_parts());
  for (const std::string selection : {"exponential", "permute-and-flip"})
    expect_draws_follow_rows(*make("santext", model, 3, {{"selection", selection}}), *model, 300'000);
}

TEST_F(SanText, EveryWordIsReachedWhereItsPositionsBeginAndEnd) {
  const auto model = write(cluster_parts(150, 4, 6));
  for (const std::string selection : {"exponential", "permute-and-flip"})
    for (const double epsilon : {2.0, 30.0})
      for (const std::uint64_t memory : {0, 100'000, 64 << 20}) {
        const auto mechanism = make("santext", model, epsilon, {{"selection", selection}}, memory);
        expect_every_border(*mechanism, *model);  // fills the cache
        expect_every_border(*mechanism, *model);  // reads it
      }
}

// Two words of bits per token, whatever the token; the output is that of a walk through the weights.
TEST_F(SanText, GoldenDraws) {
  const auto model = write(tiny_model_parts());
  const auto mechanism = make("santext", model, 1);
  ScriptedBitSource bits({0, 0, 1ULL << 63, 0, ~std::uint64_t{0}, ~std::uint64_t{0}, 1ULL << 62, 5});
  std::vector<TokenId> ids = {0, 4, 12, 11};
  mechanism->privatize(ids, ids, bits);
  EXPECT_EQ(bits.words_drawn(), 8U);
  const auto walk = [&](TokenId x, double u) {
    const std::vector<double> row = mechanism->row(x);
    TokenId y = 0;
    for (; u >= row[y]; ++y) u -= row[y];
    return y;
  };
  EXPECT_EQ(ids, (std::vector<TokenId>{0, walk(4, 0.5), 11, walk(11, 0.25)}));
}

// Tables, block sums and rows computed on the fly draw the same outputs, in batches of any size.
TEST_F(SanText, OutputDoesNotDependOnCacheOrBatches) {
  VectorModel parts = cluster_parts(300, 9, 4);
  for (const bool with_counts : {true, false}) {
    if (!with_counts) parts.counts.clear();
    const auto model = write(parts);
    std::mt19937_64 random(9);
    std::vector<TokenId> in(2000);
    for (TokenId& id : in) id = static_cast<TokenId>(random() % (random() % 301 + 1));
    for (const std::string selection : {"exponential", "permute-and-flip"}) {
      for (const double epsilon : {1.0, 200.0}) {
        std::vector<TokenId> expected;
        for (const std::uint64_t memory : {0, 100'000, 400'000, 64 << 20}) {
          for (const std::size_t batch : {2000U, 7U, 250U}) {
            if (selection != "exponential" && batch == 7) continue;  // slow without a cache
            const auto mechanism = make("santext", model, epsilon, {{"selection", selection}}, memory);
            random::ChaChaBitSource bits(random::key_from_seed(11));
            std::vector<TokenId> out(in.size());
            const auto pending = mechanism->make_pending();
            for (std::size_t begin = 0; begin < in.size(); begin += batch) {
              const std::size_t count = std::min(batch, in.size() - begin);
              pending->add(std::span(in).subspan(begin, count), bits);
              pending->resolve(std::span(out).subspan(begin, count));
            }
            if (expected.empty()) expected = out;
            ASSERT_EQ(out, expected) << selection << ' ' << epsilon << ' ' << memory << ' ' << batch;
          }
        }
      }
    }
  }
}

TEST_F(SanText, ThreadsShareOneMechanism) {
  const auto model = write(cluster_parts(400, 8, 2));
  const auto mechanism = make("santext", model, 3, {}, 1'000'000);
  std::vector<std::vector<TokenId>> outputs(4, std::vector<TokenId>(8000));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < outputs.size(); ++t) {
    threads.emplace_back([&, t] {
      random::ChaChaBitSource bits(random::key_from_seed(1));
      std::mt19937_64 random(2);
      std::vector<TokenId> in(100);
      for (std::size_t begin = 0; begin < outputs[t].size(); begin += in.size()) {
        for (TokenId& id : in) id = static_cast<TokenId>(random() % 401);
        mechanism->privatize(in, std::span(outputs[t]).subspan(begin, in.size()), bits);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<TokenId>& output : outputs) EXPECT_EQ(output, outputs[0]);
}

TEST_F(SanText, WorksOnEightBitsAndOnASingleWord) {
  VectorModel parts = tiny_model_parts();
  for (int& value : parts.vectors) value /= 16;
  const auto wide = write(parts);
  parts.bits = 8;
  const auto narrow = write(parts);
  for (TokenId x = 0; x <= 12; ++x)
    EXPECT_EQ(make("santext", wide, 2)->row(x), make("santext", narrow, 2)->row(x));
  expect_every_border(*make("santext", narrow, 2), *narrow);
  const auto single = write({.words = {"alone"}, .vectors = {3, 4}});
  for (const std::string selection : {"exponential", "permute-and-flip"}) {
    const auto mechanism = make("santext", single, 2, {{"selection", selection}});
    EXPECT_EQ(mechanism->row(0), std::vector<double>{1.0});
    EXPECT_EQ(mechanism->row(1), std::vector<double>{1.0});
    expect_every_border(*mechanism, *single);
  }
}

TEST_F(SanText, SaysWhatItPromises) {
  const auto model = write(tiny_model_parts());
  const Guarantee guarantee = make("santext", model, 2)->guarantee();
  EXPECT_EQ(guarantee.kind, GuaranteeKind::analytic);
  EXPECT_EQ(guarantee.scope, GuaranteeScope::all_inputs);
  EXPECT_EQ(guarantee.epsilon, 2);
  EXPECT_EQ(guarantee.unit.metric, "Euclidean distance of the vectors");
  EXPECT_EQ(guarantee.unit.model, model->digest());
  EXPECT_EQ(guarantee.assumptions.size(), 1U);
}

TEST_F(SanText, RefusesWhatItCannotDo) {
  const auto model = write(tiny_model_parts());
  EXPECT_EQ(error("santext", model, {{"selection", "best"}}),
            "parameters.selection: 'best' is not allowed; give exponential or permute-and-flip");
  const auto lists =
      write_list_set(folder_.path() / "lists.safetensors", letter_words(3), {{"a", stepping_order(3, 1)}});
  EXPECT_EQ(error("santext", lists, {}), "model: 'lists' has no vectors; give a vector model");
}

}  // namespace
}  // namespace sotto

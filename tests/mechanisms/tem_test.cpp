#include <iostream>
#include <numeric>

#include "mechanisms/selection_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

using Tem = SelectionTest;

constexpr double kTemRelative = 0x1p-12 + 0x1p-40;

double standard_gumbel(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(std::numeric_limits<double>::min(), 1);
  return -std::log(-std::log(uniform(random)));
}

/// One run of the algorithm as printed: Gumbel noise on the scores of the near words and of ⊥.
TokenId run_printed_algorithm(const std::vector<double>& distances, double epsilon, double gamma,
                              std::mt19937_64& random) {
  std::vector<TokenId> far;
  TokenId best = 0;
  double best_score = -INFINITY;
  for (TokenId y = 0; y < distances.size(); ++y) {
    if (distances[y] > gamma) {
      far.push_back(y);
      continue;
    }
    const double score = -distances[y] + 2 / epsilon * standard_gumbel(random);
    if (score > best_score) {
      best = y;
      best_score = score;
    }
  }
  if (far.empty()) return best;
  const double bottom = -gamma + 2 * std::log(static_cast<double>(far.size())) / epsilon +
                        2 / epsilon * standard_gumbel(random);
  return bottom > best_score ? far[random() % far.size()] : best;
}

// 26 tests of 100,000 runs of the printed algorithm, α = 1e-7 each.
TEST_F(Tem, RowIsTheLawOfThePrintedAlgorithm) {
  const auto model = write(tiny_model_parts());
  constexpr double kEpsilon = 5;
  for (const double gamma : {0.1, 1.2}) {  // within a group of words, and between groups
    const auto mechanism = make("tem", model, kEpsilon, {{"gamma", std::to_string(gamma)}});
    for (TokenId x = 0; x <= model->size(); ++x) {
      std::vector<double> distances;
      for (TokenId y = 0; y < model->size(); ++y)
        distances.push_back(static_cast<double>(distance(*model, x, y)));
      std::mt19937_64 random(100 + x);
      std::vector<std::uint64_t> counts(model->size());
      for (int i = 0; i < 100'000; ++i) ++counts[run_printed_algorithm(distances, kEpsilon, gamma, random)];
      SOTTO_EXPECT_PASSES(chi_squared_test(counts, mechanism->row(x), 1e-7));
    }
  }
}

TEST_F(Tem, RowEqualsTheClosedForm) {
  const auto model = write(tiny_model_parts());
  for (const double epsilon : {0.5, 4.0, 20.0}) {
    for (const std::string setting : {"0", "0.1", "0.5", "100", "auto"}) {
      const auto mechanism = make("tem", model, epsilon, {{"gamma", setting}});
      const double gamma =
          setting == "auto" ? 2 / epsilon * std::log(0.999 * 11 / 0.001) : std::stod(setting);
      for (TokenId x = 0; x <= model->size(); ++x) {
        std::vector<long double> expected;
        for (TokenId y = 0; y < model->size(); ++y)
          expected.push_back(
              std::exp(-0.5L * epsilon * std::min<long double>(distance(*model, x, y), gamma)));
        const long double total = std::accumulate(expected.begin(), expected.end(), 0.0L);
        const std::vector<double> row = mechanism->row(x);
        for (TokenId y = 0; y < model->size(); ++y) {
          const auto probability = static_cast<double>(expected[y] / total);
          EXPECT_NEAR(row[y], probability, probability * kTemRelative)
              << epsilon << ' ' << setting << ' ' << x;
        }
      }
    }
  }
}

TEST_F(Tem, EveryPairKeepsTheGuarantee) {
  for (const VectorModel& parts : {tiny_model_parts(), near_pair_parts(), cluster_parts(30, 5, 3)}) {
    const auto model = write(parts);
    for (const std::string selection : {"exponential", "permute-and-flip"}) {
      for (const double epsilon : {1e-9, 0.1, 1.0, 6.0, 40.0, 1e6}) {
        for (const double gamma : {0.0, 0.05, 0.5, 3.0}) {
          const auto mechanism =
              make("tem", model, epsilon, {{"selection", selection}, {"gamma", std::to_string(gamma)}});
          const long double excess = worst_excess(*mechanism, *model, [&](TokenId x, TokenId y) {
            return epsilon * std::min<long double>(distance(*model, x, y), gamma) * (1 + 0x1p-50L);
          });
          // 2^-58 is for the test's own logarithms.
          EXPECT_LE(excess, 0x1p-58L) << selection << ' ' << epsilon << ' ' << gamma;
        }
      }
    }
  }
}

/// The algorithm with ⊥'s score as in the published code: ln(|W|/|L|) instead of ln|W∖L|.
std::vector<double> published_row(const std::vector<long double>& distances, double epsilon, double gamma) {
  std::vector<double> row;
  std::size_t near = 0;
  for (const long double d : distances) near += d <= gamma;
  const std::size_t far = distances.size() - near;
  const double bottom = static_cast<double>(distances.size()) / static_cast<double>(near);
  for (const long double d : distances)
    row.push_back(d <= gamma ? std::exp(-0.5 * epsilon * static_cast<double>(d))
                             : std::exp(-0.5 * epsilon * gamma) * bottom / static_cast<double>(far));
  const double total = std::accumulate(row.begin(), row.end(), 0.0);
  for (double& value : row) value /= total;
  return row;
}

// Words at distances of about 10 in 50 dimensions, except for one pair 0.3 apart: the two differ in how many
// words are near, so ⊥'s score must make up for exactly those that are not.
TEST_F(Tem, BottomStandsForExactlyTheFarWords) {
  constexpr std::size_t kDimension = 50;
  VectorModel parts{.words = letter_words(150), .vectors = {}, .scale = 0.0005};
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0, 1000);
  for (std::size_t i = 0; i < 150 * kDimension; ++i)
    parts.vectors.push_back(static_cast<int>(std::lround(normal(random))));
  for (std::size_t c = 0; c < kDimension; ++c)
    parts.vectors[kDimension + c] = parts.vectors[c] + (c == 0 ? 600 : 0);
  const auto model = write(parts);
  for (const double epsilon : {4.75, 5.0, 5.25}) {
    const double gamma = 2 / epsilon * std::log(0.999 * 149 / 0.001);
    const auto mechanism = make("tem", model, epsilon);
    std::vector<std::vector<long double>> distances(model->size());
    for (TokenId x = 0; x < model->size(); ++x)
      for (TokenId y = 0; y < model->size(); ++y) {
        const auto squared = static_cast<long double>(model->squared_distance(x, y));
        distances[x].push_back(static_cast<long double>(model->scale()) * std::sqrt(squared));
      }
    double published = 0;
    double ours = 0;
    std::vector<std::vector<double>> rows;
    std::vector<std::vector<double>> wrong;
    for (TokenId x = 0; x < model->size(); ++x) {
      rows.push_back(mechanism->row(x));
      wrong.push_back(published_row(distances[x], epsilon, gamma));
    }
    for (TokenId x = 0; x < model->size(); ++x)
      for (TokenId y = 0; y < model->size(); ++y)
        for (TokenId z = 0; x != y && z < model->size(); ++z) {
          const double allowed = epsilon * static_cast<double>(distances[x][y]);
          published = std::max(published, std::log(wrong[x][z] / wrong[y][z]) / allowed);
          ours = std::max(ours, std::log(rows[x][z] / rows[y][z]) / allowed);
        }
    std::cout << "    epsilon " << epsilon << ": loss/(epsilon d) as published " << published << ", here "
              << ours << "\n";
    EXPECT_GT(published, 1.2);
    EXPECT_LE(ours, 1);
  }
}

// γ is the given one. No word beyond it, all but the word itself beyond it, and any vocabulary are fine.
TEST_F(Tem, AnyGammaAndAnyVocabulary) {
  const auto model = write(tiny_model_parts());
  EXPECT_EQ(make("tem", model, 3, {{"gamma", "1000"}})->row(5), make("santext", model, 3)->row(5));
  EXPECT_NE(make("tem", model, 3, {{"gamma", "0.5"}})->row(5), make("tem", model, 3)->row(5));
  const std::vector<double> uniform = make("tem", model, 3, {{"gamma", "0"}})->row(5);
  for (const double p : uniform) EXPECT_DOUBLE_EQ(p, 1.0 / 12);
  for (const std::size_t words : {1U, 2U, 33U, 65U}) {
    const auto other = write(cluster_parts(words, 3, words));
    for (const std::string gamma : {"0", "auto", "0.3", "1e9"})
      expect_every_border(*make("tem", other, 3, {{"gamma", gamma}}), *other);
  }
}

// Few near words, many far ones: cached as the near words alone, in blocks, or not at all.
TEST_F(Tem, EveryFarWordIsReached) {
  const auto model = write(cluster_parts(140, 4, 7));
  for (const std::string selection : {"exponential", "permute-and-flip"})
    for (const std::string gamma : {"0.05", "0.2", "0.5", "1.5"})
      for (const std::uint64_t memory : {0, 60'000, 64 << 20}) {
        const auto mechanism = make("tem", model, 6, {{"gamma", gamma}, {"selection", selection}}, memory);
        expect_every_border(*mechanism, *model);
        expect_every_border(*mechanism, *model);
      }
}

// 13 tests of 300,000 draws, α = 1e-7 each.
TEST_F(Tem, DrawsFollowTheRow) {
  const auto model = write(tiny_model_parts());
  expect_draws_follow_rows(*make("tem", model, 4, {{"gamma", "0.5"}}), *model, 300'000);
}

TEST_F(Tem, GoldenDraws) {
  const auto model = write(tiny_model_parts());
  const auto mechanism = make("tem", model, 4, {{"gamma", "0"}});  // uniform on twelve words
  ScriptedBitSource bits(
      {0, 0, 1ULL << 63, 0, (1ULL << 63) - 1, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}});
  std::vector<TokenId> ids = {3, 4, 5, 12};
  mechanism->privatize(ids, ids, bits);
  EXPECT_EQ(bits.words_drawn(), 8U);
  EXPECT_EQ(ids, (std::vector<TokenId>{0, 6, 5, 11}));
}

TEST_F(Tem, SaysWhatItPromises) {
  const auto model = write(tiny_model_parts());
  const Guarantee guarantee = make("tem", model, 2, {{"gamma", "0.5"}})->guarantee();
  EXPECT_EQ(guarantee.kind, GuaranteeKind::analytic);
  EXPECT_EQ(guarantee.scope, GuaranteeScope::all_inputs);
  EXPECT_EQ(guarantee.epsilon, 2);
  EXPECT_EQ(guarantee.unit.metric, "Euclidean distance of the vectors, at most 0.5");
  EXPECT_EQ(guarantee.unit.model, model->digest());
}

TEST_F(Tem, RefusesWhatItCannotDo) {
  const auto model = write(tiny_model_parts());
  EXPECT_EQ(error("tem", model, {{"gamma", "-1"}}),
            "parameters.gamma: '-1' is not allowed; give auto or a number from 0 to 1e12");
  EXPECT_EQ(error("tem", model, {{"gamma", "nan"}}),
            "parameters.gamma: 'nan' is not allowed; give auto or a number from 0 to 1e12");
  EXPECT_NE(error("tem", model, {{"beta", "0"}}), "");
  const auto lists =
      write_list_set(folder_.path() / "lists.safetensors", letter_words(3), {{"a", stepping_order(3, 1)}});
  EXPECT_EQ(error("tem", lists, {}), "model: 'lists' has no vectors; give a vector model");
}

}  // namespace
}  // namespace sotto

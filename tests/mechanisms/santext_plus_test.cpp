#include <numeric>

#include "mechanisms/selection_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

using SanTextPlus = SelectionTest;

// Counts fall with the id, so the sensitive half is words 6 to 11.
std::vector<double> law_from_definition(double epsilon, double p, TokenId x,
                                        const std::vector<long double>& distances) {
  std::vector<long double> law(12, 0);
  for (TokenId y = 6; y < 12; ++y) law[y] = std::exp(-0.5L * epsilon * distances[y]);
  const long double total = std::accumulate(law.begin(), law.end(), 0.0L);
  const bool sensitive = x >= 6;
  for (long double& value : law) value *= (sensitive ? 1 : p) / total;
  if (!sensitive) law[x] += 1 - static_cast<long double>(p);
  return {law.begin(), law.end()};
}

TEST_F(SanTextPlus, RowEqualsTheDefinition) {
  const auto model = write(tiny_model_parts());
  for (const double epsilon : {0.5, 4.0}) {
    for (const double p : {0.2, 0.75, 1.0}) {
      const auto mechanism = make("santext-plus", model, epsilon, {{"p", std::to_string(p)}});
      for (TokenId x = 0; x <= model->size(); ++x) {
        std::vector<long double> distances;
        for (TokenId y = 0; y < 12; ++y) distances.push_back(distance(*model, x, y));
        const std::vector<double> expected = law_from_definition(epsilon, p, x, distances);
        const std::vector<double> row = mechanism->row(x);
        for (TokenId y = 0; y < 12; ++y)
          EXPECT_NEAR(row[y], expected[y], expected[y] * 0x1p-12 + 1e-16) << x << ' ' << y;
      }
    }
  }
}

// The promise is about sensitive outputs: ε·d + ln(1/p). For the others it cannot hold, since they reveal the
// input.
TEST_F(SanTextPlus, EveryPairKeepsTheGuaranteeOnSensitiveOutputs) {
  for (const VectorModel& parts : {tiny_model_parts(), near_pair_parts()}) {
    const auto model = write(parts);
    for (const double epsilon : {0.1, 1.0, 6.0, 100.0}) {
      const auto mechanism = make("santext-plus", model, epsilon);
      std::vector<std::vector<double>> rows;
      for (TokenId x = 0; x <= 12; ++x) rows.push_back(mechanism->row(x));
      for (TokenId x = 0; x <= 12; ++x)
        for (TokenId y = 0; y <= 12; ++y)
          for (TokenId z = 6; z < 12; ++z)
            ASSERT_LE(std::log(rows[x][z] / rows[y][z]),
                      epsilon * distance(*model, x, y) + std::log(5.0) + 1e-12);
      EXPECT_EQ(rows[1][0], 0);
      EXPECT_GT(rows[0][0], 0.79);
    }
  }
}

// 13 tests of 300,000 draws, α = 1e-7 each.
TEST_F(SanTextPlus, DrawsFollowTheRow) {
  const auto model = write(tiny_model_parts());
  const auto mechanism = make("santext-plus", model, 2);
  expect_draws_follow_rows(*mechanism, *model, 300'000);
}

// A sensitive word and ⊥ take two words of bits; any other a coin, and two more if it is replaced; p = 0.2.
TEST_F(SanTextPlus, GoldenDraws) {
  const auto model = write(tiny_model_parts());
  const auto mechanism = make("santext-plus", model, 1);
  const auto replaced = static_cast<std::uint64_t>(std::llround(0.2 * 0x1p53));
  ScriptedBitSource bits({replaced << 11,                        // 3: kept
                          (replaced - 1) << 11, 0, 0,            // 4: replaced by the first sensitive word
                          0, 0,                                  // 8: the first sensitive word
                          ~std::uint64_t{0}, ~std::uint64_t{0},  // ⊥: the last
                          ~std::uint64_t{0}});                   // 5: kept
  std::vector<TokenId> ids = {3, 4, 8, 12, 5};
  mechanism->privatize(ids, ids, bits);
  EXPECT_EQ(bits.words_drawn(), 9U);
  EXPECT_EQ(ids, (std::vector<TokenId>{3, 6, 6, 11, 5}));
}

TEST_F(SanTextPlus, TheShareDecidesWhatIsSensitive) {
  VectorModel parts = tiny_model_parts();
  parts.counts = {5, 5, 5, 1, 9, 5, 5, 5, 5, 5, 5, 5};
  const auto model = write(parts);
  const auto support = [&](const std::string& share) {
    const std::vector<double> row = make("santext-plus", model, 1, {{"share", share}})->row(12);
    std::vector<TokenId> words;
    for (TokenId y = 0; y < 12; ++y)
      if (row[y] > 0) words.push_back(y);
    return words;
  };
  EXPECT_EQ(support("0.01"), (std::vector<TokenId>{3}));
  EXPECT_EQ(support("0.25"), (std::vector<TokenId>{3, 10, 11}));
  EXPECT_EQ(support("1").size(), 12U);
}

TEST_F(SanTextPlus, OutputDoesNotDependOnCacheOrBatches) {
  const auto model = write(cluster_parts(500, 7, 4));
  std::mt19937_64 random(9);
  std::vector<TokenId> in(3000);
  for (TokenId& id : in) id = static_cast<TokenId>(random() % 501);
  std::vector<TokenId> expected;
  for (const std::uint64_t memory : {0, 400'000, 64 << 20}) {
    for (const std::size_t batch : {3000U, 11U}) {
      const auto mechanism = make("santext-plus", model, 2, {}, memory);
      random::ChaChaBitSource bits(random::key_from_seed(11));
      std::vector<TokenId> out(in.size());
      for (std::size_t begin = 0; begin < in.size(); begin += batch) {
        const std::size_t count = std::min(batch, in.size() - begin);
        mechanism->privatize(std::span(in).subspan(begin, count), std::span(out).subspan(begin, count), bits);
      }
      if (expected.empty()) expected = out;
      ASSERT_EQ(out, expected) << memory << ' ' << batch;
    }
  }
}

TEST_F(SanTextPlus, SaysWhatItPromises) {
  const auto model = write(tiny_model_parts());
  const Guarantee guarantee = make("santext-plus", model, 2)->guarantee();
  EXPECT_EQ(guarantee.kind, GuaranteeKind::analytic);
  EXPECT_EQ(guarantee.scope, GuaranteeScope::sensitive_outputs);
  EXPECT_NE(guarantee.statement.find("exp(2 d + 1.60943791243410"), std::string::npos) << guarantee.statement;
  EXPECT_NE(guarantee.statement.find("reveals the input"), std::string::npos);
}

TEST_F(SanTextPlus, RefusesWhatItCannotDo) {
  VectorModel parts = tiny_model_parts();
  const auto model = write(parts);
  EXPECT_EQ(error("santext-plus", model, {{"p", "0"}}),
            "parameters.p: '0' is not allowed; give a number from 1e-09 to 1");
  EXPECT_EQ(error("santext-plus", model, {{"share", "1.5"}}),
            "parameters.share: '1.5' is not allowed; give a number from 1e-09 to 1");
  parts.counts.clear();
  EXPECT_EQ(error("santext-plus", write(parts), {}), "model: 'm1' has no counts; give a model with counts");
  const auto lists =
      write_list_set(folder_.path() / "lists.safetensors", letter_words(3), {{"a", stepping_order(3, 1)}});
  EXPECT_EQ(error("santext-plus", lists, {}), "model: 'lists' has no vectors; give a vector model");
}

}  // namespace
}  // namespace sotto

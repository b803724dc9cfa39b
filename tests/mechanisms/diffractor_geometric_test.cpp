#include <cmath>
#include <iostream>

#include <gtest/gtest.h>

#include <sotto/error_text.hpp>
#include <sotto/mechanism.hpp>

#include "random/bit_sources.hpp"
#include "support/list_set.hpp"
#include "support/scripted_bit_source.hpp"
#include "support/statistics.hpp"
#include "support/temporary_folder.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

/// Two source models with two lists each over 101 words.
class DiffractorGeometric : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kWords = 101;

  std::unique_ptr<Mechanism> make(double epsilon, const std::string& lists) {
    return make_mechanism("diffractor-geometric", model_, epsilon, {{"lists", lists}}).value();
  }

  TemporaryFolder folder_;
  std::vector<TestList> lists_ = {{"a", stepping_order(kWords, 1)},
                                  {"a", stepping_order(kWords, 7)},
                                  {"b", stepping_order(kWords, 13)},
                                  {"b", stepping_order(kWords, 29)}};
  std::shared_ptr<const Model> model_ =
      write_list_set(folder_.path() / "lists.safetensors", letter_words(kWords), lists_);
};

/// P(i | place) of a clamped two-sided geometric, summed term by term from the definition.
std::vector<double> law_from_definition(double epsilon, std::int64_t place, std::int64_t size) {
  const long double q = std::exp(-static_cast<long double>(epsilon));
  std::vector<long double> law(static_cast<std::size_t>(size), 0);
  const std::int64_t reach = static_cast<std::int64_t>(60 / epsilon) + size;
  for (std::int64_t k = -reach; k <= reach; ++k) {
    const std::int64_t i = std::clamp<std::int64_t>(place + k, 0, size - 1);
    law[static_cast<std::size_t>(i)] +=
        (1 - q) / (1 + q) * std::pow(q, static_cast<long double>(std::abs(k)));
  }
  return {law.begin(), law.end()};
}

TEST_F(DiffractorGeometric, RowEqualsTheDefinition) {
  for (const double epsilon : {0.1, 1.0, 10.0}) {
    const auto mechanism = make(epsilon, "L0");
    for (TokenId word = 0; word <= kWords; ++word) {
      std::vector<double> expected(kWords, 0);
      for (const std::size_t list : {0U, 2U}) {
        const std::vector<TokenId>& order = lists_[list].order;
        const auto found = std::find(order.begin(), order.end(), word);
        const std::int64_t place = found == order.end() ? kWords / 2 : found - order.begin();
        const std::vector<double> law = law_from_definition(epsilon, place, kWords);
        for (std::size_t i = 0; i < kWords; ++i) expected[order[i]] += law[i] / 2;
      }
      const std::vector<double> row = mechanism->row(word);
      ASSERT_EQ(row.size(), kWords);
      for (std::size_t i = 0; i < kWords; ++i)
        EXPECT_NEAR(row[i], expected[i], 1e-14) << epsilon << ' ' << word << ' ' << i;
    }
  }
}

// 15 tests of ten million draws; α = 1e-7 each, so the family fails by chance with probability below 2e-6.
TEST_F(DiffractorGeometric, TenMillionDrawsFollowTheClosedForm) {
  constexpr std::uint64_t kDraws = 10'000'000;
  constexpr std::size_t kBatch = 10'000;
  for (const double epsilon : {0.1, 0.5, 1.0, 3.0, 10.0}) {
    const auto mechanism = make(epsilon, "L2");
    for (const TokenId word :
         {0U, kWords / 2, kWords - 1}) {  // list 0 is the identity, so these are its positions
      random::ChaChaBitSource bits(random::key_from_seed(20'261'115 + word));
      const std::vector<TokenId> in(kBatch, word);
      std::vector<TokenId> out(kBatch);
      std::vector<std::uint64_t> counts(kWords);
      for (std::uint64_t done = 0; done < kDraws; done += kBatch) {
        mechanism->privatize(in, out, bits);
        for (const TokenId output : out) ++counts.at(output);
      }
      std::cout << "    epsilon " << epsilon << ", place " << word << "\n";
      SOTTO_EXPECT_PASSES(chi_squared_test(counts, law_from_definition(epsilon, word, kWords), 1e-7));
    }
  }
}

// A million draws, α = 1e-7: the mixture over four lists, for a word and for ⊥.
TEST_F(DiffractorGeometric, MixtureOfListsFollowsTheRow) {
  const auto mechanism = make(0.7, "L1");
  for (const TokenId word : {17U, kWords}) {
    random::ChaChaBitSource bits(random::key_from_seed(7));
    std::vector<TokenId> out(1'000'000);
    mechanism->privatize(std::vector<TokenId>(out.size(), word), out, bits);
    std::vector<std::uint64_t> counts(kWords);
    for (const TokenId output : out) ++counts.at(output);
    SOTTO_EXPECT_PASSES(chi_squared_test(counts, mechanism->row(word), 1e-7));
  }
}

// The promise itself, for all pairs of inputs (including ⊥) and all outputs.
TEST_F(DiffractorGeometric, EveryPairKeepsTheGuarantee) {
  for (const std::string lists : {"L0", "L1", "L2"}) {
    for (const double epsilon : {0.05, 1.0, 4.0}) {
      const auto mechanism = make(epsilon, lists);
      const std::size_t used = lists == "L2" ? 1 : lists_.size();
      std::vector<std::vector<double>> rows;
      for (TokenId word = 0; word <= kWords; ++word) rows.push_back(mechanism->row(word));
      const auto place = [&](std::size_t list, TokenId word) -> std::int64_t {
        const auto& order = lists_[list].order;
        return word == kWords ? kWords / 2 : std::find(order.begin(), order.end(), word) - order.begin();
      };
      for (TokenId x = 0; x <= kWords; ++x) {
        for (TokenId y = 0; y <= kWords; ++y) {
          std::int64_t distance = 0;
          for (std::size_t list = 0; list < used; ++list) {
            if (lists == "L0" && list % 2 == 1) continue;  // only the first list of each model
            distance = std::max(distance, std::abs(place(list, x) - place(list, y)));
          }
          const double bound = std::exp(epsilon * static_cast<double>(distance));
          for (std::size_t z = 0; z < kWords; ++z) ASSERT_LE(rows[x][z], rows[y][z] * bound * (1 + 1e-9));
        }
      }
    }
  }
}

// The first word chooses the lists, one bit per token as there are two lists. Then each token takes one word:
// the lowest bit is the sign, the others a uniform V. With ε = 1, P(|K| > 0) = 0.538 and P(|K| > 1) = 0.198,
// so 0.75 gives |K| = 0 and 0.3 gives |K| = 1.
TEST_F(DiffractorGeometric, GoldenDraws) {
  const auto mechanism = make(1, "L0");
  constexpr std::uint64_t kFirstSecondFirst = 0b010ULL << 61 | 1ULL << 40;
  constexpr std::uint64_t kStay = 3ULL << 62;
  const auto one_step = static_cast<std::uint64_t>(0.3 * 0x1p63) << 1;
  ScriptedBitSource bits({kFirstSecondFirst, one_step, one_step | 1, kStay});
  std::vector<TokenId> ids = {40, 50, 60};
  mechanism->privatize(ids, ids, bits);
  EXPECT_EQ(bits.words_drawn(), 4U);
  const std::vector<TokenId>& second = lists_[2].order;
  const auto place = std::find(second.begin(), second.end(), 50U);
  EXPECT_EQ(ids, (std::vector<TokenId>{41, *(place - 1), 60}));
}

TEST_F(DiffractorGeometric, SaysWhatItPromises) {
  const Guarantee guarantee = make(2, "L0")->guarantee();
  EXPECT_EQ(guarantee.kind, GuaranteeKind::analytic);
  EXPECT_EQ(guarantee.scope, GuaranteeScope::all_inputs);
  EXPECT_EQ(guarantee.epsilon, 2);
  EXPECT_FALSE(guarantee.unit.is_pure());
  EXPECT_EQ(guarantee.unit.model, model_->digest());
}

TEST_F(DiffractorGeometric, WorksOnASingleWord) {
  const auto single = write_list_set(folder_.path() / "single.safetensors", {"alone"}, {{"a", {0}}});
  const auto mechanism = make_mechanism("diffractor-geometric", single, 1, {}).value();
  EXPECT_EQ(mechanism->row(0), std::vector<double>{1.0});
  random::ChaChaBitSource bits(random::key_from_seed(1));
  std::vector<TokenId> ids = {0, 1, 0};
  mechanism->privatize(ids, ids, bits);
  EXPECT_EQ(ids, (std::vector<TokenId>{0, 0, 0}));
}

TEST_F(DiffractorGeometric, RefusesWhatItCannotDo) {
  const auto error = [&](double epsilon, const ParameterValues& parameters) {
    const auto result = make_mechanism("diffractor-geometric", model_, epsilon, parameters);
    return result ? std::string() : describe(result.error());
  };
  EXPECT_NE(error(0, {}), "");
  EXPECT_NE(error(std::nan(""), {}), "");
  EXPECT_EQ(error(1, {{"lists", "L3"}}), "parameters.lists: 'L3' is not allowed; give L0 or L1 or L2");
  EXPECT_EQ(error(1, {{"gamma", "1"}}),
            "parameters: diffractor-geometric has no parameter 'gamma'; it has lists");
  const auto one_list =
      write_list_set(folder_.path() / "one.safetensors", letter_words(3), {{"a", stepping_order(3, 1)}});
  EXPECT_TRUE(make_mechanism("diffractor-geometric", one_list, 1, {{"lists", "L0"}}));
  EXPECT_FALSE(make_mechanism("diffractor-geometric", one_list, 1, {{"lists", "L1"}}));
}

}  // namespace
}  // namespace sotto

#include <cmath>

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

class DiffractorTem : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kWords = 12;

  std::unique_ptr<Mechanism> make(double epsilon, const ParameterValues& parameters) {
    return make_mechanism("diffractor-tem", model_, epsilon, parameters).value();
  }
  std::shared_ptr<const Model> write_list(std::size_t words) {
    const std::string name = "list-" + std::to_string(words) + ".safetensors";
    return write_list_set(folder_.path() / name, letter_words(words), {{"a", stepping_order(words, 1)}});
  }
  std::int64_t place(std::size_t list, TokenId word) const {
    const auto& order = lists_[list].order;
    return word == kWords ? kWords / 2 : std::find(order.begin(), order.end(), word) - order.begin();
  }

  TemporaryFolder folder_;
  std::vector<TestList> lists_ = {{"a", stepping_order(kWords, 1)},
                                  {"a", stepping_order(kWords, 5)},
                                  {"b", stepping_order(kWords, 7)},
                                  {"b", stepping_order(kWords, 11)}};
  std::shared_ptr<const Model> model_ =
      write_list_set(folder_.path() / "lists.safetensors", letter_words(kWords), lists_);
};

double default_gamma(double epsilon, std::size_t words, double beta = 0.001) {
  if (words == 1) return 0;
  return 2 / epsilon * std::log((1 - beta) * static_cast<double>(words - 1) / beta);
}

/// The truncated exponential mechanism as its authors print it: words within γ compete with their distance, ⊥
/// stands for all others together with the score −γ + 2·ln|others|/ε, and if ⊥ wins, one of the others is
/// drawn uniformly. The largest score plus Gumbel noise of scale 2/ε wins, which is a draw ∝ exp(½ε·score).
std::vector<double> as_printed(double epsilon, double gamma, std::int64_t place, std::int64_t size) {
  std::vector<std::int64_t> others;
  long double total = 0;
  std::vector<long double> law(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) {
    const auto distance = static_cast<long double>(std::abs(i - place));
    if (distance > gamma) {
      others.push_back(i);
    } else {
      total += law[static_cast<std::size_t>(i)] = std::exp(-0.5L * epsilon * distance);
    }
  }
  if (!others.empty()) {
    const auto count = static_cast<long double>(others.size());
    const long double score = -static_cast<long double>(gamma) + 2 * std::log(count) / epsilon;
    const long double bottom = std::exp(0.5L * epsilon * score);
    total += bottom;
    for (const std::int64_t i : others) law[static_cast<std::size_t>(i)] = bottom / count;
  }
  std::vector<double> result;
  for (const long double p : law) result.push_back(static_cast<double>(p / total));
  return result;
}

/// Weights are rounded up to integers of at least 2^(62 − ⌈log₂ n⌉)·exp(−½ε·γ), and at least 2^12. Each is
/// computed from the one before, so the rounding errors add up to at most 1/(1 − exp(−½ε)), or the number of
/// words. A probability is off by that factor twice, as its total is too. 2^-50 is for the test's own
/// arithmetic.
double rounding(double epsilon, double gamma, std::size_t words) {
  const double least = std::exp2(62 - std::ceil(std::log2(words))) * std::exp(-0.5 * epsilon * gamma);
  const double steps = std::min(static_cast<double>(words), 1 / (1 - std::exp(-0.5 * epsilon)));
  return 2.1 * steps / std::max(4096.0, least) + 0x1p-50;
}

TEST_F(DiffractorTem, RowEqualsThePrintedAlgorithm) {
  for (const double epsilon : {0.1, 1.0, 3.0}) {
    for (const std::string gamma : {"auto", "0", "0.5", "1", "2.5", "4", "100"}) {
      const auto mechanism = make(epsilon, {{"gamma", gamma}});
      const double value = gamma == "auto" ? default_gamma(epsilon, kWords) : std::stod(gamma);
      for (TokenId word = 0; word <= kWords; ++word) {
        std::vector<double> expected(kWords, 0);
        for (const std::size_t list : {0U, 2U}) {
          const auto law = as_printed(epsilon, value, place(list, word), kWords);
          for (std::size_t i = 0; i < kWords; ++i) expected[lists_[list].order[i]] += law[i] / 2;
        }
        const std::vector<double> row = mechanism->row(word);
        ASSERT_EQ(row.size(), kWords);
        for (std::size_t i = 0; i < kWords; ++i)
          EXPECT_NEAR(row[i], expected[i], expected[i] * rounding(epsilon, value, kWords))
              << epsilon << ' ' << gamma << ' ' << word << ' ' << i;
      }
    }
  }
}

// 39 tests of 300,000 draws, α = 1e-8 each: every input, including ⊥, against the printed algorithm.
TEST_F(DiffractorTem, DrawsFollowThePrintedAlgorithm) {
  constexpr std::uint64_t kDraws = 300'000;
  for (const double epsilon : {0.2, 1.0, 2.0}) {
    const auto mechanism = make(epsilon, {{"lists", "L2"}, {"gamma", "2.5"}});
    for (TokenId word = 0; word <= kWords; ++word) {
      random::ChaChaBitSource bits(random::key_from_seed(100 + word));
      std::vector<TokenId> out(kDraws);
      mechanism->privatize(std::vector<TokenId>(kDraws, word), out, bits);
      std::vector<std::uint64_t> counts(kWords);
      for (const TokenId output : out) ++counts.at(output);
      SOTTO_EXPECT_PASSES(chi_squared_test(counts, as_printed(epsilon, 2.5, place(0, word), kWords), 1e-8));
    }
  }
}

// A million draws each, α = 1e-7: the mixture over four lists, and a list longer than the table of weights.
TEST_F(DiffractorTem, MixturesAndLongListsFollowTheRow) {
  const auto check = [](const Mechanism& mechanism, TokenId word, std::size_t words) {
    random::ChaChaBitSource bits(random::key_from_seed(7));
    std::vector<TokenId> out(1'000'000);
    mechanism.privatize(std::vector<TokenId>(out.size(), word), out, bits);
    std::vector<std::uint64_t> counts(words);
    for (const TokenId output : out) ++counts.at(output);
    SOTTO_EXPECT_PASSES(chi_squared_test(counts, mechanism.row(word), 1e-7));
  };
  const auto mixture = make(0.7, {{"lists", "L1"}});
  check(*mixture, 5, kWords);
  check(*mixture, kWords, kWords);
  const auto list = write_list(1000);
  for (const double epsilon : {0.01, 0.3}) {
    const auto mechanism = make_mechanism("diffractor-tem", list, epsilon, {}).value();
    for (const TokenId word : {0U, 20U, 500U, 999U}) check(*mechanism, word, 1000);
  }
}

// The published code searches for a word beyond γ until it finds one, forever if a list has at most 2γ+1
// words; elsewhere a list without such words raises an error.
TEST_F(DiffractorTem, ListsWithoutFarWordsWork) {
  for (std::size_t words = 1; words <= 9; ++words) {
    const auto list = write_list(words);
    for (const double gamma : {0.0, 1.0, 3.0, 3.5, 4.0, 1000.0}) {
      const auto mechanism =
          make_mechanism("diffractor-tem", list, 1, {{"gamma", std::to_string(gamma)}}).value();
      for (TokenId word = 0; word <= words; ++word) {
        const auto from = static_cast<std::int64_t>(word == words ? words / 2 : word);
        const auto expected = as_printed(1, gamma, from, static_cast<std::int64_t>(words));
        const auto row = mechanism->row(word);
        for (std::size_t i = 0; i < words; ++i)
          EXPECT_NEAR(row[i], expected[i], expected[i] * rounding(1, gamma, words));
      }
      // The smallest and the largest draw both give words of the list, at two words of bits per token.
      ScriptedBitSource bits({0, 0, ~0ULL, ~0ULL});
      std::vector<TokenId> ids = {0, static_cast<TokenId>(words)};
      mechanism->privatize(ids, ids, bits);
      EXPECT_EQ(bits.words_drawn(), 4U);
      for (const TokenId id : ids) EXPECT_LT(id, words);
    }
  }
}

// The published γ is a constant. Here it follows ε, and a given γ is not overwritten.
TEST_F(DiffractorTem, GammaFollowsEpsilonUnlessGiven) {
  const auto list = write_list(1001);
  const auto first_far = [&](double epsilon, const ParameterValues& parameters) {
    const auto row = make_mechanism("diffractor-tem", list, epsilon, parameters).value()->row(0);
    return std::find(row.begin(), row.end(), row.back()) - row.begin();
  };
  for (const double epsilon : {0.1, 0.5, 2.0})
    EXPECT_EQ(first_far(epsilon, {}), std::ceil(default_gamma(epsilon, 1001))) << epsilon;
  EXPECT_EQ(first_far(0.5, {{"beta", "0.1"}}), std::ceil(default_gamma(0.5, 1001, 0.1)));
  for (const double epsilon : {0.1, 0.5, 2.0}) EXPECT_EQ(first_far(epsilon, {{"gamma", "7"}}), 7) << epsilon;
}

// A sampler on 53-bit floating-point sums never draws words with ½·ε·d > 36.7.
TEST_F(DiffractorTem, NoWordIsImpossible) {
  const auto row = make(1000, {{"gamma", "100"}, {"lists", "L2"}})->row(0);
  for (const double p : row) EXPECT_GE(p, 0x1p-47);  // 2^12 of 2^58 + 11·2^12
  EXPECT_EQ(row[1], row[11]) << "both are cut at the smallest weight";
}

// The promise itself, for all pairs of inputs (including ⊥) and all outputs.
TEST_F(DiffractorTem, EveryPairKeepsTheGuarantee) {
  for (const std::string lists : {"L0", "L1", "L2"}) {
    for (const std::string gamma : {"auto", "0.5", "3", "100"}) {
      for (const double epsilon : {1e-6, 0.05, 1.0, 4.0, 50.0}) {
        const auto mechanism = make(epsilon, {{"lists", lists}, {"gamma", gamma}});
        const double limit = gamma == "auto" ? default_gamma(epsilon, kWords) : std::stod(gamma);
        const std::size_t used = lists == "L2" ? 1 : lists_.size();
        std::vector<std::vector<double>> rows;
        for (TokenId word = 0; word <= kWords; ++word) rows.push_back(mechanism->row(word));
        for (TokenId x = 0; x <= kWords; ++x) {
          for (TokenId y = 0; y <= kWords; ++y) {
            double distance = 0;
            for (std::size_t list = 0; list < used; ++list) {
              if (lists == "L0" && list % 2 == 1) continue;  // only the first list of each model
              distance = std::max(distance, static_cast<double>(std::abs(place(list, x) - place(list, y))));
            }
            const long double bound =
                std::exp(static_cast<long double>(epsilon * std::min(distance, limit))) * (1 + 0x1p-50L);
            for (std::size_t z = 0; z < kWords; ++z)
              ASSERT_LE(rows[x][z], static_cast<long double>(rows[y][z]) * bound);
          }
        }
      }
    }
  }
}

// With ε = 2·ln 2 a weight is half of the one before. From position 50 of 101 the total is 3, in units of the
// weight of the position itself: [0, 2) goes to 50, 49, 48, …, and [2, 3) to 51, 52, ….
TEST_F(DiffractorTem, GoldenDraws) {
  const auto list = write_list(101);
  const auto mechanism =
      make_mechanism("diffractor-tem", list, 2 * std::log(2.0), {{"gamma", "1000"}}).value();
  std::vector<std::uint64_t> words;
  for (const double u : {0.0, 0.4, 0.6, 0.7, 0.95})
    words.insert(words.end(), {static_cast<std::uint64_t>(u * 0x1p64), 12345});
  ScriptedBitSource bits(words);
  std::vector<TokenId> ids(5, 50);
  mechanism->privatize(ids, ids, bits);
  EXPECT_EQ(bits.words_drawn(), 10U) << "two words a token, none for the choice among one list";
  EXPECT_EQ(ids, (std::vector<TokenId>{50, 49, 47, 51, 53}));

  // γ = 0: all words are equally far, and the second word of bits decides where the first cannot.
  const auto uniform = make_mechanism("diffractor-tem", write_list(3), 1, {{"gamma", "0"}}).value();
  constexpr std::uint64_t kThird = 0x5555555555555555;
  ScriptedBitSource thirds({kThird, kThird, kThird, kThird + 1, 2 * kThird + 1, 0});
  ids = {0, 0, 3};
  uniform->privatize(ids, ids, thirds);
  EXPECT_EQ(ids, (std::vector<TokenId>{0, 1, 2}));
}

TEST_F(DiffractorTem, BatchesDoNotChangeTheOutput) {
  const auto mechanism = make(0.5, {});
  const std::vector<TokenId> first = {1, 2, 12, 4, 5};
  const std::vector<TokenId> second = {6, 7, 8};
  std::vector<TokenId> apart(8);
  std::vector<TokenId> together(8);
  random::ChaChaBitSource a(random::key_from_seed(1));
  random::ChaChaBitSource b(random::key_from_seed(2));
  mechanism->privatize(first, std::span(apart).first(5), a);
  mechanism->privatize(second, std::span(apart).last(3), b);
  const auto pending = mechanism->make_pending();
  a.reset(random::key_from_seed(1));
  b.reset(random::key_from_seed(2));
  pending->add(first, a);
  pending->add(second, b);
  pending->resolve(together);
  EXPECT_EQ(apart, together);
}

TEST_F(DiffractorTem, SaysWhatItPromises) {
  const Guarantee guarantee = make(2, {{"gamma", "3.5"}})->guarantee();
  EXPECT_EQ(guarantee.kind, GuaranteeKind::analytic);
  EXPECT_EQ(guarantee.scope, GuaranteeScope::all_inputs);
  EXPECT_EQ(guarantee.epsilon, 2);
  EXPECT_EQ(guarantee.unit.metric, "list index distance, at most 3.5, the largest over the lists");
  EXPECT_EQ(guarantee.unit.model, model_->digest());
}

TEST_F(DiffractorTem, RefusesWhatItCannotDo) {
  const auto error = [&](const ParameterValues& parameters) {
    const auto result = make_mechanism("diffractor-tem", model_, 1, parameters);
    return result ? std::string() : describe(result.error());
  };
  EXPECT_EQ(error({{"gamma", "-1"}}),
            "parameters.gamma: '-1' is not allowed; give auto or a number from 0 to 1e12");
  EXPECT_EQ(error({{"gamma", "nan"}}),
            "parameters.gamma: 'nan' is not allowed; give auto or a number from 0 to 1e12");
  EXPECT_EQ(error({{"beta", "0"}}), "parameters.beta: '0' is not allowed; give a number from 1e-12 to 0.5");
  EXPECT_EQ(error({{"lists", "L3"}}), "parameters.lists: 'L3' is not allowed; give L0 or L1 or L2");
}

}  // namespace
}  // namespace sotto

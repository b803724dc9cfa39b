#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include <sotto/mechanism.hpp>

#include "random/bit_sources.hpp"
#include "support/list_set.hpp"
#include "support/result_matchers.hpp"
#include "support/scripted_bit_source.hpp"
#include "support/statistics.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class Syntf : public ::testing::Test {
 protected:
  Syntf() { write_tiny_wordnet(folder_.path(), synsets_); }

  std::unique_ptr<Mechanism> make(double epsilon, const std::string& candidates,
                                  const std::string& rating = "similarity") {
    return make_mechanism("syntf", model_, epsilon, parameters(candidates, rating)).value();
  }
  ParameterValues parameters(const std::string& candidates, const std::string& rating) const {
    return {{"candidates", candidates}, {"rating", rating}, {"wordnet", folder_.path().string()}};
  }

  TokenId id(const std::string& word) const { return model_->find(word); }

  /// Indices of the synsets that contain a word; the fixture needs no base forms.
  std::set<std::size_t> senses(const std::string& word) const {
    std::set<std::size_t> found;
    for (std::size_t i = 0; i < synsets_.size(); ++i)
      for (std::string other : synsets_[i].words) {
        other[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(other[0])));
        if (other.substr(0, other.find('(')) == word) found.insert(i);
      }
    return found;
  }

  /// ρ from the definitions, or −1 if y is neither x nor a synonym of it.
  double rating(TokenId x, TokenId y, bool from_counts) const {
    const auto a = senses(parts_.words[x]);
    const auto b = senses(parts_.words[y]);
    std::set<std::size_t> either = a;
    either.insert(b.begin(), b.end());
    const std::size_t both = a.size() + b.size() - either.size();
    if (x != y && both == 0) return -1;
    if (from_counts) return tf_idf(y);
    return x == y ? 1 : static_cast<double>(both) / static_cast<double>(either.size());
  }

  double tf_idf(TokenId word) const {
    double total = 0;
    for (const std::uint64_t count : parts_.counts) total += static_cast<double>(count);
    double largest = 0;
    for (const std::uint64_t count : parts_.counts)
      largest = std::max(largest,
                         static_cast<double>(count) / total * std::log(total / static_cast<double>(count)));
    const auto count = static_cast<double>(parts_.counts[word]);
    return count / total * std::log(total / count) / largest;
  }

  /// P(·|x) ∝ exp(½ε·ρ), term by term.
  std::vector<double> law(TokenId x, double epsilon, bool all_words, bool from_counts) const {
    std::vector<double> result(parts_.words.size());
    double total = 0;
    for (TokenId y = 0; y < result.size(); ++y) {
      const double rho = x == model_->bottom() ? -1 : rating(x, y, from_counts);
      if (rho < 0 && !all_words && x != model_->bottom()) continue;
      total += result[y] = std::exp(0.5 * epsilon * std::max(0.0, rho));
    }
    for (double& p : result) p /= total;
    return result;
  }

  TemporaryFolder folder_;
  VectorModel parts_ = tiny_model_parts();
  std::shared_ptr<const Model> model_ = write_vector_model(folder_.path() / "tiny.safetensors", parts_);
  std::vector<TinySynset> synsets_ = {{'n', {"dog", "cat"}},
                                      {'n', {"cat", "horse", "domestic_animal"}},
                                      {'n', {"dog", "Canis_familiaris"}},
                                      {'n', {"Paris", "London"}},
                                      {'n', {"Rome", "Eternal_City"}},
                                      {'n', {"pasta", "noodle"}},
                                      {'v', {"dog", "horse"}},
                                      {'v', {"dog", "chase"}},
                                      {'a', {"an", "a", "the"}},
                                      {'a', {"soup", "pasta(p)"}}};
};

// Weights are rounded up to integers of at least 2^58·exp(−½ε), which is above 2^43 for ε <= 20.
TEST_F(Syntf, RowEqualsTheDefinition) {
  for (const double epsilon : {0.1, 1.0, 20.0}) {
    for (const bool all_words : {false, true}) {
      for (const bool from_counts : {false, true}) {
        const auto mechanism =
            make(epsilon, all_words ? "vocabulary" : "synonyms", from_counts ? "paper" : "similarity");
        for (TokenId word = 0; word <= model_->size(); ++word) {
          const auto expected = law(word, epsilon, all_words, from_counts);
          const auto row = mechanism->row(word);
          for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_NEAR(row[i], expected[i], expected[i] * 0x1p-42) << epsilon << ' ' << word << ' ' << i;
        }
      }
    }
  }
}

// At most 52 tests of 100,000 draws, α = 1e-8 each: every input, including ⊥. For a word whose only candidate
// is itself, there is nothing to test but that it is drawn.
TEST_F(Syntf, DrawsFollowTheDefinition) {
  constexpr std::uint64_t kDraws = 100'000;
  for (const bool all_words : {false, true}) {
    for (const bool from_counts : {false, true}) {
      const auto mechanism =
          make(5, all_words ? "vocabulary" : "synonyms", from_counts ? "paper" : "similarity");
      for (TokenId word = 0; word <= model_->size(); ++word) {
        random::ChaChaBitSource bits(random::key_from_seed(word));
        std::vector<TokenId> out(kDraws);
        mechanism->privatize(std::vector<TokenId>(kDraws, word), out, bits);
        std::vector<std::uint64_t> counts(model_->size());
        for (const TokenId output : out) ++counts.at(output);
        const auto expected = law(word, 5, all_words, from_counts);
        if (word < model_->size() && expected[word] == 1) {
          EXPECT_EQ(counts[word], kDraws);
        } else {
          SOTTO_EXPECT_PASSES(chi_squared_test(counts, expected, 1e-8));
        }
      }
    }
  }
}

// As published, a word's synonyms are its only outputs. That promises nothing, and the guarantee says so; it
// also says how many words are released unchanged: pizza and rome here.
TEST_F(Syntf, SynonymsAlonePromiseNothing) {
  const auto mechanism = make(1, "synonyms");
  const auto dog = mechanism->row(id("dog"));
  const auto soup = mechanism->row(id("soup"));
  for (std::size_t i = 0; i < dog.size(); ++i) EXPECT_TRUE(dog[i] == 0 || soup[i] == 0);
  EXPECT_EQ(mechanism->row(id("pizza"))[id("pizza")], 1);
  EXPECT_EQ(mechanism->row(id("rome"))[id("rome")], 1);
  const Guarantee guarantee = mechanism->guarantee();
  EXPECT_EQ(guarantee.kind, GuaranteeKind::none);
  EXPECT_THAT(guarantee.statement,
              ::testing::HasSubstr("2 of the 12 words of the vocabulary have no synonym"));
  EXPECT_THAT(guarantee.statement, ::testing::HasSubstr("released as they are"));
}

// The promise itself: all pairs of inputs, including ⊥, and all outputs. Weights are rounded so that no slack
// is needed; 2^-50 covers the double precision of the rows.
TEST_F(Syntf, WithTheWholeVocabularyEveryPairKeepsTheGuarantee) {
  for (const std::string rating : {"similarity", "paper"}) {
    for (const double epsilon : {1e-9, 0.1, 1.0, 30.0, 1000.0}) {
      const auto mechanism = make(epsilon, "vocabulary", rating);
      const Guarantee guarantee = mechanism->guarantee();
      EXPECT_EQ(guarantee.kind, GuaranteeKind::analytic);
      EXPECT_EQ(guarantee.scope, GuaranteeScope::all_inputs);
      EXPECT_TRUE(guarantee.unit.is_pure());
      EXPECT_EQ(guarantee.epsilon, epsilon);
      const long double bound = std::exp(static_cast<long double>(epsilon)) * (1 + 0x1p-50L);
      for (TokenId x = 0; x <= model_->size(); ++x) {
        for (TokenId y = 0; y <= model_->size(); ++y) {
          const auto a = mechanism->row(x);
          const auto b = mechanism->row(y);
          for (std::size_t z = 0; z < a.size(); ++z) ASSERT_LE(a[z], b[z] * bound);
        }
      }
    }
  }
}

// The published score looks up the input word, so that all its synonyms are equally likely at any ε.
TEST_F(Syntf, TheScoreIsThatOfTheSynonym) {
  const auto row = make(8, "synonyms", "paper")->row(id("dog"));
  EXPECT_GT(row[id("dog")], row[id("cat")]);
  EXPECT_GT(row[id("cat")], row[id("horse")]);
  EXPECT_NEAR(std::log(row[id("cat")] / row[id("horse")]), 4 * (tf_idf(id("cat")) - tf_idf(id("horse"))),
              1e-9);
}

// A model without "domestic_animal" and "noodle" never outputs them; spelling and markers do not matter.
TEST_F(Syntf, OnlyWordsOfTheModelAreCandidates) {
  const auto mechanism = make(1, "synonyms");
  EXPECT_GT(mechanism->row(id("paris"))[id("london")], 0);
  EXPECT_GT(mechanism->row(id("soup"))[id("pasta")], 0);
  const auto row = mechanism->row(id("pasta"));
  EXPECT_NEAR(row[id("pasta")] + row[id("soup")], 1, 1e-12);
}

TEST_F(Syntf, InflectedWordsHaveTheSynonymsOfTheirBaseForms) {
  const auto lists =
      write_list_set(folder_.path() / "lists.safetensors", {"cat", "cats", "dogs", "chasing", "chase"},
                     {{"a", stepping_order(5, 1)}});
  const auto mechanism = make_mechanism("syntf", lists, 1, parameters("synonyms", "similarity")).value();
  const auto support = [&](TokenId word) {
    std::vector<TokenId> found;
    const auto row = mechanism->row(word);
    for (TokenId i = 0; i < row.size(); ++i)
      if (row[i] > 0) found.push_back(i);
    return found;
  };
  EXPECT_EQ(support(1), (std::vector<TokenId>{0, 1}));
  EXPECT_EQ(support(2), (std::vector<TokenId>{0, 2, 4})) << "a dog is a cat here, and to dog is to chase";
  EXPECT_EQ(support(3), (std::vector<TokenId>{3, 4}));
}

// paris and london share their only sense, so they are equally likely, each with weight 1; the ten other
// words have weight exp(−½ε) = ½; the total is 7. Positions: paris and london in the order of their ids, then
// the rest in the order of theirs.
TEST_F(Syntf, GoldenDraws) {
  const auto mechanism = make(2 * std::log(2.0), "vocabulary");
  ASSERT_EQ(id("paris"), 9U);
  const auto at = [](double position) { return static_cast<std::uint64_t>(position / 7 * 0x1p64); };
  ScriptedBitSource bits({at(0.5), 0, at(1.5), 0, at(2.25), 0, at(6.25), 0, at(6.75), 0, ~0ULL, ~0ULL});
  std::vector<TokenId> ids(6, id("paris"));
  mechanism->privatize(ids, ids, bits);
  EXPECT_EQ(bits.words_drawn(), 12U) << "two words a token";
  EXPECT_EQ(ids, (std::vector<TokenId>{9, 10, 0, 8, 11, 11}));
}

TEST_F(Syntf, BatchesDoNotChangeTheOutput) {
  const auto mechanism = make(1, "vocabulary");
  std::vector<TokenId> in;
  for (TokenId i = 0; i <= 12; ++i) in.push_back(i);
  std::vector<TokenId> whole(in.size());
  std::vector<TokenId> parts(in.size());
  random::ChaChaBitSource bits(random::key_from_seed(3));
  mechanism->privatize(in, whole, bits);
  bits.reset(random::key_from_seed(3));
  const auto pending = mechanism->make_pending();
  for (const TokenId& word : in) pending->add(std::span(&word, 1), bits);
  pending->resolve(parts);
  EXPECT_EQ(whole, parts);
}

TEST_F(Syntf, RefusesWhatItCannotDo) {
  const auto error = [&](const std::string& key, const std::string& value) {
    ParameterValues values = parameters("synonyms", "similarity");
    values[key] = value;
    return make_mechanism("syntf", model_, 1, values);
  };
  expect_error(error("candidates", "all"), Errc::invalid_argument, "parameters.candidates",
               {"'all' is not allowed; give synonyms or vocabulary"});
  expect_error(error("rating", "x"), Errc::invalid_argument, "parameters.rating",
               {"'x' is not allowed; give similarity or paper"});
  expect_error(error("wordnet", "/nonexistent"), Errc::not_found, "parameters.wordnet",
               {"'/nonexistent'", "index.noun", "wordnet-base"});
  const auto lists =
      write_list_set(folder_.path() / "lists.safetensors", letter_words(3), {{"a", stepping_order(3, 1)}});
  expect_error(make_mechanism("syntf", lists, 1, parameters("synonyms", "paper")), Errc::invalid_argument,
               "parameters.rating", {"'paper'", "'lists' has no counts; give similarity"});
  std::ofstream(folder_.path() / "index.noun", std::ios::app) << "broken\n";
  expect_error(error("rating", "similarity"), Errc::bad_format, {"index.noun, line "});
}

}  // namespace
}  // namespace sotto

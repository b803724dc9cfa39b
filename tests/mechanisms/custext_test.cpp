#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <sotto/mechanism.hpp>

#include "mechanisms/groups/custext_groups.hpp"
#include "random/bit_sources.hpp"
#include "support/list_set.hpp"
#include "support/result_matchers.hpp"
#include "support/scripted_bit_source.hpp"
#include "support/statistics.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto {
namespace {

using namespace sotto::mechanism;
using namespace sotto::testing;
using Groups = std::vector<std::vector<TokenId>>;
using Vector = std::vector<double>;

/// The definition, in floating point, which is exact for small integers.
class Reference {
 public:
  explicit Reference(const VectorModel& parts) : parts_(parts), dimension_(parts.vectors.size() / words()) {}

  std::size_t words() const { return parts_.words.size(); }

  Vector vector(TokenId word) const {
    Vector result(dimension_);
    if (word < words()) {
      for (std::size_t c = 0; c < dimension_; ++c) result[c] = parts_.vectors[word * dimension_ + c];
      return result;
    }
    for (std::size_t i = 0; i < parts_.vectors.size(); ++i) result[i % dimension_] += parts_.vectors[i];
    for (double& x : result) x = std::nearbyint(x / static_cast<double>(words()));
    return result;
  }

  double squared(TokenId a, TokenId b) const {
    const Vector x = vector(a);
    const Vector y = vector(b);
    double sum = 0;
    for (std::size_t c = 0; c < dimension_; ++c) sum += (x[c] - y[c]) * (x[c] - y[c]);
    return sum;
  }

  Groups groups(std::size_t size) const {
    std::vector<bool> grouped(words());
    const auto best = [&](const auto& worse) {
      TokenId found = static_cast<TokenId>(words());
      for (TokenId word = 0; word < words(); ++word)
        if (!grouped[word] && (found == words() || worse(found, word))) found = word;
      return found;
    };
    Groups result;
    for (std::size_t left = words(); left > 0;) {
      const TokenId centre = best([&](TokenId found, TokenId word) {
        return !parts_.counts.empty() && parts_.counts[found] < parts_.counts[word];
      });
      if (left == 1 && !result.empty()) {
        result.back().push_back(centre);
        break;
      }
      std::vector<TokenId> group = {centre};
      grouped[centre] = true;
      --left;
      for (; group.size() < size && left > 0; --left) {
        group.push_back(best(
            [&](TokenId found, TokenId word) { return squared(centre, found) > squared(centre, word); }));
        grouped[group.back()] = true;
      }
      result.push_back(group);
    }
    return result;
  }

  /// P(·|input), every term from the definition.
  Vector row(TokenId input, const Groups& groups, double epsilon) const {
    TokenId home = 0;
    for (TokenId word = 1; word < words(); ++word)
      if (squared(input, word) < squared(input, home)) home = word;
    if (input < words()) home = input;
    const auto& group = *std::find_if(groups.begin(), groups.end(), [&](const auto& candidate) {
      return std::find(candidate.begin(), candidate.end(), home) != candidate.end();
    });
    double largest = 0;
    for (const TokenId x : group)
      for (const TokenId y : group) largest = std::max(largest, std::sqrt(squared(x, y)));
    Vector result(words());
    double total = 0;
    for (const TokenId y : group) {
      const double u = largest == 0 ? 1 : std::max(0.0, 1 - std::sqrt(squared(input, y)) / largest);
      total += result[y] = std::exp(0.5 * epsilon * u);
    }
    for (double& p : result) p /= total;
    return result;
  }

 private:
  const VectorModel& parts_;
  std::size_t dimension_;
};

/// Small integers, so that many distances are equal and some words have the same vector.
VectorModel random_model(std::size_t words, std::size_t dimension, int reach, bool with_counts) {
  VectorModel parts;
  parts.words = letter_words(words);
  std::mt19937_64 generator(words);
  std::uniform_int_distribution<int> coordinate(-reach, reach);
  for (std::size_t i = 0; i < words * dimension; ++i) parts.vectors.push_back(coordinate(generator));
  if (with_counts)
    for (std::size_t i = 0; i < words; ++i) parts.counts.push_back(generator() % 50);
  return parts;
}

class Custext : public ::testing::Test {
 protected:
  std::shared_ptr<const Model> write(const VectorModel& parts) {
    return write_vector_model(folder_.path() / (std::to_string(++files_) + ".safetensors"), parts);
  }
  static std::unique_ptr<Mechanism> make(std::shared_ptr<const Model> model, double epsilon,
                                         const std::string& k, unsigned threads = 1) {
    return make_mechanism("custext", std::move(model), epsilon, {{"k", k}}, {.threads = threads}).value();
  }

  TemporaryFolder folder_;
  int files_ = 0;
  VectorModel tiny_ = tiny_model_parts();
  std::shared_ptr<const Model> model_ = write(tiny_);
};

TEST_F(Custext, GroupsAreThoseOfTheDefinition) {
  for (const bool with_counts : {false, true}) {
    for (const std::size_t words : {1U, 2U, 3U, 13U, 700U}) {
      const VectorModel parts = random_model(words, 3, 4, with_counts);
      const auto model = write(parts);
      for (const std::size_t size : {2U, 3U, 7U, 20U}) {
        Groups expected = Reference(parts).groups(size);
        for (const unsigned threads : {1U, 3U}) {
          Groups found = build_groups(*model, frequency_order(*model), size, threads).value();
          for (Groups* groups : {&found, &expected})
            for (auto& group : *groups) std::sort(group.begin(), group.end());
          EXPECT_EQ(found, expected) << words << ' ' << size << ' ' << threads;
        }
      }
    }
  }
}

TEST_F(Custext, NoWordIsAlone) {
  for (std::size_t words = 2; words <= 30; ++words) {
    const VectorModel parts = random_model(words, 2, 5, true);
    const auto model = write(parts);
    for (const std::size_t size : {2U, 4U, 5U}) {
      std::size_t seen = 0;
      const Groups groups = build_groups(*model, frequency_order(*model), size, 1).value();
      for (const auto& group : groups) {
        EXPECT_GE(group.size(), 2U);
        EXPECT_LE(group.size(), size + 1);
        seen += group.size();
      }
      EXPECT_EQ(seen, words);
    }
  }
}

// Weights are rounded up to integers of at least 2^(62 − 4)·exp(−½ε), which is above 2^43 for ε <= 20.
TEST_F(Custext, RowEqualsTheDefinition) {
  const Reference reference(tiny_);
  for (const std::string k : {"2", "3", "5", "12", "20"}) {
    const Groups groups = reference.groups(std::stoul(k));
    for (const double epsilon : {0.1, 1.0, 20.0}) {
      const auto mechanism = make(model_, epsilon, k);
      for (TokenId word = 0; word <= model_->size(); ++word) {
        const Vector expected = reference.row(word, groups, epsilon);
        const Vector row = mechanism->row(word);
        for (std::size_t i = 0; i < expected.size(); ++i)
          EXPECT_NEAR(row[i], expected[i], expected[i] * 0x1p-42) << k << ' ' << epsilon << ' ' << word;
      }
    }
  }
}

// 39 tests of 200,000 draws, α = 1e-8 each: every input, including ⊥.
TEST_F(Custext, DrawsFollowTheDefinition) {
  constexpr std::uint64_t kDraws = 200'000;
  const Reference reference(tiny_);
  for (const std::string k : {"3", "5", "12"}) {
    const Groups groups = reference.groups(std::stoul(k));
    const auto mechanism = make(model_, 4, k);
    for (TokenId word = 0; word <= model_->size(); ++word) {
      random::ChaChaBitSource bits(random::key_from_seed(50 + word));
      std::vector<TokenId> out(kDraws);
      mechanism->privatize(std::vector<TokenId>(kDraws, word), out, bits);
      std::vector<std::uint64_t> counts(model_->size());
      for (const TokenId output : out) ++counts.at(output);
      SOTTO_EXPECT_PASSES(chi_squared_test(counts, reference.row(word, groups, 4), 1e-8));
    }
  }
}

// The promise itself: all pairs of inputs with a common output, including ⊥, and all outputs. Weights are
// rounded so that no slack is needed; 2^-50 covers the double precision of the rows.
TEST_F(Custext, EveryPairOfAGroupKeepsTheGuarantee) {
  const auto larger = write(random_model(100, 3, 6, true));
  for (const auto& model : {model_, larger}) {
    for (const std::string k : {"2", "5", "12", "50"}) {
      for (const double epsilon : {1e-9, 1e-3, 1.0, 10.0, 60.0, 1000.0}) {
        const auto mechanism = make(model, epsilon, k);
        std::vector<Vector> rows;
        for (TokenId word = 0; word <= model->size(); ++word) rows.push_back(mechanism->row(word));
        const long double bound = std::exp(static_cast<long double>(epsilon)) * (1 + 0x1p-50L);
        for (const Vector& x : rows) {
          for (const Vector& y : rows) {
            for (std::size_t z = 0; z < x.size(); ++z) {
              if (y[z] == 0 && x[z] > 0) {
                for (std::size_t other = 0; other < x.size(); ++other)
                  ASSERT_TRUE(x[other] == 0 || y[other] == 0) << "groups overlap";
                break;
              }
              ASSERT_LE(x[z], y[z] * bound);
            }
          }
        }
      }
    }
  }
}

TEST_F(Custext, EqualVectorsAreEquallyLikely) {
  const auto model = write({letter_words(4), {5, 5, 5, 5, 5, 5, 5, 5}});
  const auto mechanism = make(model, 100, "2");
  EXPECT_EQ(mechanism->row(0), (Vector{0.5, 0.5, 0, 0}));
  EXPECT_EQ(mechanism->row(3), (Vector{0, 0, 0.5, 0.5}));
  EXPECT_EQ(mechanism->row(4), (Vector{0.5, 0.5, 0, 0})) << "the words outside the vocabulary";
}

// φ(⊥) = 0 lies between two pairs of words, further from each word than the words of a pair from each other.
TEST_F(Custext, BottomMayBeFurtherAwayThanTheWordsOfItsGroup) {
  const auto model = write({letter_words(4), {100, 101, -100, -101}});
  const auto mechanism = make(model, 2, "2");
  EXPECT_EQ(mechanism->row(4), (Vector{0.5, 0.5, 0, 0}));
  EXPECT_EQ(mechanism->row(4)[2], 0);
}

TEST_F(Custext, AModelOfEightBitsHasTheSameLaw) {
  VectorModel parts = random_model(40, 3, 50, true);
  const auto wide = make(write(parts), 3, "4");
  parts.bits = 8;
  const auto narrow = make(write(parts), 3, "4");
  for (TokenId word = 0; word <= 40; ++word) EXPECT_EQ(wide->row(word), narrow->row(word));
}

// Two words on a line, one unit apart: with ε = 2·ln 2 staying has twice the weight of leaving. Weights are
// in the order of the group, the more frequent word first.
TEST_F(Custext, GoldenDraws) {
  const auto model = write({letter_words(2), {0, 1}, {10, 20}});
  const auto mechanism = make(model, 2 * std::log(2.0), "2");
  const auto at = [](double u) { return static_cast<std::uint64_t>(u * 0x1p64); };
  ScriptedBitSource bits({at(0.66), 1, at(0.67), 1, at(0.33), 1, at(0.34), 1, at(0.66), 1, at(0.67), 1});
  std::vector<TokenId> ids = {1, 1, 0, 0, 2, 2};  // ⊥ is at the mean, 0.5, which is rounded to 0
  mechanism->privatize(ids, ids, bits);
  EXPECT_EQ(bits.words_drawn(), 12U) << "two words a token";
  EXPECT_EQ(ids, (std::vector<TokenId>{1, 0, 1, 0, 0, 0}));
}

TEST_F(Custext, ThreadsAndBatchesDoNotChangeTheOutput) {
  const auto model = write(random_model(500, 4, 20, true));
  const auto single = make(model, 2, "20", 1);
  const auto many = make(model, 2, "20", 4);
  std::vector<TokenId> in(501);
  for (TokenId i = 0; i < in.size(); ++i) in[i] = i;
  std::vector<TokenId> whole(in.size());
  std::vector<TokenId> parts(in.size());
  random::ChaChaBitSource bits(random::key_from_seed(3));
  single->privatize(in, whole, bits);
  bits.reset(random::key_from_seed(3));
  const auto pending = many->make_pending();
  pending->add(std::span(in).first(7), bits);
  pending->add(std::span(in).subspan(7), bits);
  pending->resolve(parts);
  EXPECT_EQ(whole, parts);
}

TEST_F(Custext, SaysWhatItPromises) {
  const Guarantee guarantee = make(model_, 2, "3")->guarantee();
  EXPECT_EQ(guarantee.kind, GuaranteeKind::analytic);
  EXPECT_EQ(guarantee.scope, GuaranteeScope::group);
  EXPECT_EQ(guarantee.epsilon, 2);
  EXPECT_TRUE(guarantee.unit.is_pure());
  EXPECT_THAT(guarantee.statement,
              ::testing::HasSubstr("Which of the 4 groups a word belongs to is revealed"));
}

TEST_F(Custext, RefusesWhatItCannotDo) {
  const auto result = [](const std::shared_ptr<const Model>& model, const std::string& k,
                         std::uint64_t memory = 1 << 20) {
    return make_mechanism("custext", model, 1, {{"k", k}}, {.memory = memory});
  };
  for (const std::string k : {"1", "0", "-3", "2.5", "1001", "x"})
    expect_error(result(model_, k), Errc::invalid_argument, "parameters.k",
                 {"'" + k + "' is not allowed; give a whole number from 2 to 1000"});
  expect_error(result(model_, "12", 1000), Errc::limit, "parameters.k", {"'12' needs 1 MiB"});
  const auto lists =
      write_list_set(folder_.path() / "lists.safetensors", letter_words(3), {{"a", stepping_order(3, 1)}});
  expect_error(result(lists, "2"), Errc::invalid_argument, "model",
               {"'lists' has no vectors; give a vector model"});
}

}  // namespace
}  // namespace sotto

// Two words under every mechanism: what is observed never exceeds what is promised, and is what enumeration
// finds.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sotto/explain.hpp>

#include "mechanisms/every_mechanism.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class CompareWords : public EveryMechanismTest {
 protected:
  CompareOptions at(const std::string& mechanism, std::vector<double> epsilons) const {
    CompareOptions options;
    options.explain.mechanism = {.name = mechanism,
                                 .parameters = parameters_for(mechanism),
                                 .model = model_for(mechanism)->path().string()};
    options.explain.draws = 2000;
    options.epsilons = std::move(epsilons);
    return options;
  }
};

/// The largest |ln P(y|a)/P(y|b)| over the covered outputs, by enumeration.
double enumerated(const Mechanism& mechanism, TokenId a, TokenId b) {
  const std::vector<double> p = mechanism.row(a);
  const std::vector<double> q = mechanism.row(b);
  double largest = 0;
  for (TokenId y = 0; y < p.size(); ++y)
    if (mechanism.covers(y) && p[y] != q[y]) largest = std::max(largest, std::abs(std::log(p[y] / q[y])));
  return largest;
}

TEST_F(CompareWords, EveryMechanismKeepsItsPromiseOnEveryPairTried) {
  std::size_t exact = 0, sampled = 0, unbounded = 0;
  for (const MechanismInfo& info : mechanisms()) {
    if (info.kind != MechanismKind::word_by_word || info.name == "gumbel") continue;
    const Model& model = *model_for(info.name);
    for (TokenId other = 1; other < model.size(); other += 13) {
      const std::string first(model.word(0));
      const std::string second(model.word(other));
      const auto found = compare_words(first, second, at(info.name, {0.5, 3}));
      ASSERT_TRUE(found) << info.name << ": " << describe(found.error());
      ASSERT_EQ(found->pairs.size(), 2U);
      for (const WordPair& pair : found->pairs) {
        const OpenMechanism open = open_mechanism({.name = info.name,
                                                   .epsilon = pair.epsilon,
                                                   .parameters = parameters_for(info.name),
                                                   .model = model.path().string()})
                                       .value();
        const Guarantee guarantee = open.mechanism->guarantee();
        EXPECT_EQ(pair.distance, open.mechanism->distance(0, other)) << info.name;
        if (guarantee.kind != GuaranteeKind::none && std::isfinite(pair.distance)) {
          EXPECT_NEAR(pair.promised_loss, pair.epsilon * pair.distance + guarantee.additive, 1e-9)
              << info.name;
          if (pair.draws == 0) {
            EXPECT_LE(pair.observed_loss, pair.promised_loss * (1 + 1e-12)) << info.name << ' ' << second;
          }
        } else {
          EXPECT_TRUE(std::isinf(pair.promised_loss)) << info.name;
          ++unbounded;
        }
        if (pair.draws == 0) {
          const double expected = enumerated(*open.mechanism, 0, other);
          if (std::isfinite(expected)) {
            EXPECT_NEAR(pair.observed_loss, expected, 1e-9 + 1e-9 * expected) << info.name;
          }
          ++exact;
        } else {
          EXPECT_TRUE(std::isfinite(pair.observed_loss)) << info.name;
          EXPECT_EQ(pair.observed_loss > 0, !pair.telling_output.empty()) << info.name;
          ++sampled;
        }
      }
    }
  }
  EXPECT_GT(exact, 20U);
  EXPECT_GT(sampled, 10U);
  EXPECT_GT(unbounded, 0U) << "syntf, and custext between groups";
}

TEST_F(CompareWords, TheSameInputIsNotToldApart) {
  const std::string word(lists_->word(3));
  for (const auto& [first, second, oov] :
       {std::tuple(word, word, OovPolicy::nearest), std::tuple(word, word + "!", OovPolicy::nearest),
        std::tuple<std::string, std::string, OovPolicy>("https://x.org", "b2b4", OovPolicy::nearest),
        std::tuple<std::string, std::string, OovPolicy>("Zanzibar", "Quux", OovPolicy::bottom)}) {
    CompareOptions options = at("diffractor-geometric", {1});
    options.explain.oov = oov;
    const auto found = compare_words(first, second, options).value();
    EXPECT_EQ(found.first_entry->word, found.second_entry->word);
    EXPECT_EQ(found.pairs[0].distance, 0);
    EXPECT_EQ(found.pairs[0].promised_loss, 0);
    EXPECT_EQ(found.pairs[0].observed_loss, 0);
    EXPECT_TRUE(found.pairs[0].telling_output.empty());
  }
}

// ⊙ against words: d is that of the farthest word, and the promise holds.
TEST_F(CompareWords, WhatHasNoPlaceKeepsThePromise) {
  std::size_t exact = 0;
  for (const MechanismInfo& info : mechanisms()) {
    if (info.kind != MechanismKind::word_by_word || info.name == "gumbel") continue;
    SCOPED_TRACE(info.name);
    const Model& model = *model_for(info.name);
    for (TokenId w = 0; w < model.size(); w += 13) {
      const auto found = compare_words("jane@example.org", model.word(w), at(info.name, {0.5, 300})).value();
      EXPECT_EQ(found.first_entry->path, EntryPath::uniform);
      EXPECT_EQ(found.guarantee.statement.find("mapped words") == std::string::npos,
                found.guarantee.kind == GuaranteeKind::none);
      for (const WordPair& pair : found.pairs) {
        const OpenMechanism open = open_mechanism({.name = info.name,
                                                   .epsilon = pair.epsilon,
                                                   .parameters = parameters_for(info.name),
                                                   .model = model.path().string()})
                                       .value();
        double farthest = 0;
        for (TokenId z = 0; z < model.size(); ++z)
          farthest = std::max(farthest, open.mechanism->distance(w, z));
        EXPECT_EQ(pair.distance, farthest);
        if (pair.draws > 0 || !std::isfinite(farthest)) continue;
        ++exact;
        EXPECT_TRUE(std::isfinite(pair.observed_loss)) << "although words far away vanish in floating point";
        EXPECT_LE(pair.observed_loss, pair.promised_loss * (1 + 1e-12));
        EXPECT_GT(pair.observed_loss, 0);
        if (pair.epsilon > 1) continue;
        const std::vector<double> mean = open.mechanism->mean_row(), row = open.mechanism->row(w);
        double largest = 0;
        for (TokenId y = 0; y < model.size(); ++y)
          if (open.mechanism->covers(y)) largest = std::max(largest, std::abs(std::log(mean[y] / row[y])));
        EXPECT_NEAR(pair.observed_loss, largest, 1e-9);
      }
    }
  }
  EXPECT_GE(exact, 40U);
}

TEST_F(CompareWords, ProbabilitiesTooSmallForFloatingPointAreNotTakenForImpossible) {
  // At this ε the likeliest output of one word has a probability below 1e-308 for the other.
  const std::string first(lists_->word(0));
  for (TokenId other = 20; other < 25; ++other) {
    const auto found =
        compare_words(first, std::string(lists_->word(other)), at("diffractor-geometric", {300})).value();
    EXPECT_TRUE(std::isfinite(found.pairs[0].observed_loss));
    EXPECT_GT(found.pairs[0].observed_loss, 700);
    EXPECT_LE(found.pairs[0].observed_loss, found.pairs[0].promised_loss);
    const auto json = nlohmann::json::parse(to_json(found));
    EXPECT_TRUE(json["pairs"][0]["promised_factor"].is_null()) << "too large for a number";
    EXPECT_TRUE(json["pairs"][0]["promised_loss"].is_number());
  }
}

TEST_F(CompareWords, TypicalDistancesAreMediansOfTheMechanismsOwnMetric) {
  for (const std::string name : {"diffractor-geometric", "cmp", "tem", "mahalanobis"}) {
    const OpenMechanism open =
        open_mechanism({.name = name, .epsilon = 1, .model = model_for(name)->path().string()}).value();
    const auto typical = typical_metric_distances(open).value();
    ASSERT_TRUE(typical) << name;
    const TypicalMetricDistances again = *typical_metric_distances(open).value();
    EXPECT_EQ(typical->nearest_neighbour, again.nearest_neighbour);
    EXPECT_EQ(typical->random_pair, again.random_pair);
    EXPECT_LE(typical->nearest_neighbour, typical->random_pair);
    EXPECT_EQ(typical->words, 61U);
    EXPECT_EQ(typical->pairs, 1001U);
    std::vector<double> nearest;
    for (TokenId a = 0; a < open.model->size(); ++a) {
      double least = INFINITY;
      for (TokenId b = 0; b < open.model->size(); ++b)
        if (a != b) least = std::min(least, open.mechanism->distance(a, b));
      nearest.push_back(least);
    }
    std::sort(nearest.begin(), nearest.end());
    EXPECT_EQ(typical->nearest_neighbour, nearest[30]) << name;
  }
  for (const std::string name : {"custext", "syntf", "gumbel"}) {
    const OpenMechanism open = open_mechanism({.name = name,
                                               .epsilon = 100,
                                               .parameters = parameters_for(name),
                                               .model = vectors_->path().string()})
                                   .value();
    EXPECT_FALSE(typical_metric_distances(open).value()) << name;
  }
}

TEST_F(CompareWords, BadOptionsAreNamed) {
  expect_error(compare_words("a", "b", at("cmp", {})), Errc::invalid_argument, "epsilon", {"missing"});
  expect_error(compare_words("a", "b", at("cmp", {1, -1})), Errc::invalid_argument, "epsilon", {"-1"});
  CompareOptions few = at("cmp", {1});
  few.explain.draws = 99;
  const std::string first(vectors_->word(0)), second(vectors_->word(1));
  expect_error(compare_words(first, second, few), Errc::invalid_argument, "draws", {"99", "at least 100"});
  expect_error(compare_words(TextPlace{"a b", 3}, "c", at("cmp", {1})), Errc::invalid_argument, "word",
               {"'3'", "1 to 2"});
  expect_error(compare_words(TextPlace{"12 !", 1}, "c", at("cmp", {1})), Errc::invalid_argument, "text",
               {"no word"});
}

TEST_F(CompareWords, AWordByWordMechanismIgnoresTheContext) {
  const std::string first(vectors_->word(0)), second(vectors_->word(1));
  const auto alone = compare_words(first, second, at("santext", {2})).value();
  const auto placed =
      compare_words(TextPlace{"12 " + first + ", then", 1}, second, at("santext", {2})).value();
  EXPECT_EQ(to_json(alone), to_json(placed));
}

}  // namespace
}  // namespace sotto

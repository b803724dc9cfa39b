// The bounds, events and claims that make up an audit.
#include <limits>

#include "audit/audit_fixture.hpp"
#include "audit/clopper_pearson.hpp"
#include "audit/falsify/claim.hpp"
#include "audit/falsify/event.hpp"
#include "support/result_matchers.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::audit;

/// P(at most k of n), summed term by term.
long double at_most(std::uint64_t k, std::uint64_t n, long double p) {
  long double sum = 0;
  for (std::uint64_t i = 0; i <= k; ++i)
    sum += std::exp(std::lgamma(n + 1.0L) - std::lgamma(i + 1.0L) - std::lgamma(n - i + 1.0L) +
                    static_cast<long double>(i) * std::log(p) +
                    static_cast<long double>(n - i) * std::log1p(-p));
  return sum;
}

TEST(ClopperPearson, TheBoundsAreWhereTheTailIsAlpha) {
  for (const double alpha : {0.05, 1e-6})
    for (const std::uint64_t n : {1U, 10U, 137U})
      for (std::uint64_t k = 0; k <= n; k += n < 20 ? 1 : 17) {
        const double low = lower_bound(k, n, alpha);
        const double high = upper_bound(k, n, alpha);
        if (k == 0)
          EXPECT_EQ(low, 0);
        else
          EXPECT_NEAR(static_cast<double>(1 - at_most(k - 1, n, low)) / alpha, 1, 1e-6) << k << ' ' << n;
        if (k == n)
          EXPECT_EQ(high, 1);
        else
          EXPECT_NEAR(static_cast<double>(at_most(k, n, high)) / alpha, 1, 1e-6) << k << ' ' << n;
      }
}

TEST(ClopperPearson, TheLargestRefutableLossIsThatOfAllAgainstNone) {
  const double beta = 1e-3 / 2 / (4 * 20);
  const double root = std::pow(beta, 1 / 500.0);
  EXPECT_NEAR(largest_refutable_loss(1000, 20, 0.999), std::log(root / (1 - root)), 1e-9);
  EXPECT_GT(largest_refutable_loss(2000, 20, 0.999), largest_refutable_loss(1000, 20, 0.999));
}

Tally tally(const std::vector<std::uint64_t>& counts) {
  std::vector<OutputId> outputs;
  for (OutputId id = 0; id < counts.size(); ++id) outputs.insert(outputs.end(), counts[id], id);
  return Tally(outputs);
}

TEST(Event, PutsTogetherWhatIsLikelierForTheFirst) {
  const Tally first = tally({400, 0, 300, 200, 100});
  const Tally second = tally({100, 500, 75, 200, 125});
  const auto all = [](OutputId) { return true; };
  EXPECT_EQ(choose_event(first, second, all, 3).outputs, (std::vector<OutputId>{0, 2}));
  const auto without_zero = [](OutputId id) { return id != 0; };
  EXPECT_EQ(choose_event(first, second, without_zero, 3).outputs, (std::vector<OutputId>{2}));
  EXPECT_EQ(second.count(std::vector<OutputId>{0, 2, 7}), 175U);
}

TEST(Event, ASideHoldsWordsThatWereNotSeen) {
  const Tally first = tally({300, 0, 500, 0, 100, 100});
  const Tally second = tally({100, 0, 100, 0, 400, 400});
  const std::vector<double> lean = {-2, -1.5, -1, 0.5, 1, 2};
  const ChosenEvent event = choose_side(
      first, second, lean, [](OutputId) { return true; }, 3);
  EXPECT_EQ(event.outputs, (std::vector<OutputId>{0, 1, 2}));
}

using ClaimTest = AuditTest;

TEST_F(ClaimTest, NamedMetrics) {
  const auto model = tiny();
  const std::vector<Point> points = points_of(tiny_model_parts());
  const Claim euclidean = named_claim("euclidean", *model, 3).value();
  const Claim pure = named_claim("pure", *model, 3).value();
  for (TokenId a = 0; a <= model->bottom(); ++a)
    for (TokenId b = 0; b <= model->bottom(); ++b) {
      EXPECT_NEAR(euclidean.distance(a, b), distance(points[a], points[b]), 1e-12);
      EXPECT_EQ(pure.distance(a, b), a == b ? 0 : 1);
    }
  const auto list_set = lists();
  const Claim index = named_claim("index", *list_set, 1).value();
  const auto mechanism = make_mechanism("diffractor-geometric", list_set, 1, {}).value();
  for (TokenId a = 0; a <= list_set->bottom(); ++a)
    for (TokenId b = 0; b <= list_set->bottom(); ++b)
      EXPECT_EQ(index.distance(a, b), mechanism->distance(a, b));
}

// ⊙ is a uniformly drawn word: as far from a word as the farthest one, and no distance from itself.
TEST_F(ClaimTest, TheInputWithoutAPlaceIsAsFarAsTheFarthestWord) {
  const auto model = tiny();
  const TokenId uniform = model->size() + 1;
  const auto expect_farthest = [&](const Claim& claim) {
    EXPECT_EQ(claim.distance(uniform, uniform), 0);
    for (TokenId a = 0; a <= model->bottom(); ++a) {
      double farthest = 0;
      for (TokenId z = 0; z < model->size(); ++z) farthest = std::max(farthest, claim.distance(a, z));
      EXPECT_EQ(claim.distance(a, uniform), farthest);
      EXPECT_EQ(claim.distance(uniform, a), farthest);
    }
  };
  expect_farthest(named_claim("euclidean", *model, 1).value());
  expect_farthest(named_claim("pure", *model, 1).value());
  for (const std::string name :
       {"santext", "santext-plus", "tem", "cmp", "mahalanobis", "vickrey", "custext"}) {
    const ParameterValues parameters = name == "custext" ? ParameterValues{{"k", "4"}} : ParameterValues{};
    const auto mechanism = make_mechanism(name, model, 2, parameters).value();
    const Claim claim = own_claim(*mechanism, model->size()).value();
    expect_farthest(claim);
    EXPECT_EQ(std::isinf(claim.distance(0, uniform)), name == "custext") << name;
  }
}

TEST_F(ClaimTest, WhatCannotBeClaimed) {
  expect_error(named_claim("index", *tiny(), 1), Errc::invalid_argument, "metric", {"index", "euclidean"});
  expect_error(named_claim("euclidean", *lists(), 1), Errc::invalid_argument, "metric",
               {"euclidean", "index"});
  expect_error(named_claim("cosine", *tiny(), 1), Errc::invalid_argument, "metric", {"cosine", "pure"});
  const auto gumbel = make_mechanism("gumbel", tiny(), 1e4, {}).value();
  expect_error(own_claim(*gumbel, 12), Errc::invalid_argument, "metric", {"promises nothing"});
}

TEST_F(ClaimTest, AnAuditIsAFunctionOfItsSeedAndNotOfThreads) {
  const auto model = tiny();
  const auto mechanism = make_mechanism("santext", model, 2, {}).value();
  BlackBoxOptions options = small_audit(5000, 10, 7);
  const BlackBoxReport one = audit(*mechanism, *model, options);
  options.mechanism.resources.threads = 4;
  const BlackBoxReport four = audit(*mechanism, *model, options);
  ASSERT_EQ(one.pairs.size(), 20U);
  for (std::size_t i = 0; i < one.pairs.size(); ++i) {
    EXPECT_EQ(one.pairs[i].first, four.pairs[i].first);
    EXPECT_EQ(one.pairs[i].first_count, four.pairs[i].first_count);
    EXPECT_EQ(one.pairs[i].loss_lower, four.pairs[i].loss_lower);
  }
  EXPECT_EQ(one.draws_in_all, four.draws_in_all);
}

TEST_F(ClaimTest, OptionsOutOfRangeAreRefused) {
  const auto model = tiny();
  const auto mechanism = make_mechanism("santext", model, 2, {}).value();
  BlackBoxOptions options = small_audit(10, 10, 7);
  expect_error(audit_black_box(*mechanism, *model, options), Errc::invalid_argument, "draws", {"10", "20"});
  options = small_audit(100, 0, 7);
  expect_error(audit_black_box(*mechanism, *model, options), Errc::invalid_argument, "pairs", {"0"});
  options = small_audit(100, 1, 7);
  options.confidence = 1;
  expect_error(audit_black_box(*mechanism, *model, options), Errc::invalid_argument, "confidence", {"1"});
  options.confidence = std::numeric_limits<double>::quiet_NaN();
  expect_error(audit_black_box(*mechanism, *model, options), Errc::invalid_argument, "confidence", {});
}

}  // namespace
}  // namespace sotto::testing

// Certificates of custext and syntf, whose guarantee is pure, against brute force.
#include <gtest/gtest.h>

#include <sotto/mechanism.hpp>

#include "audit/certify/privacy_loss.hpp"
#include "audit/exhaustive.hpp"
#include "support/list_set.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto {
namespace {

using namespace sotto::audit;
using namespace sotto::testing;

/// Keeps the rows that a mechanism shows.
class RowKeeper final : public mechanism::RowVisitor {
 public:
  Result<void> visit(const mechanism::MetricRows&) override { return unexpected(); }
  Result<void> visit(const mechanism::PlaceRows&) override { return unexpected(); }
  Result<void> visit(const mechanism::GeometricRows&) override { return unexpected(); }
  Result<void> visit(const mechanism::PureRows& rows) override {
    rows_ = rows;
    return {};
  }
  const mechanism::PureRows& rows() const { return rows_; }

 private:
  static Result<void> unexpected() { return fail(Errc::invalid_argument, "other rows were expected"); }
  mechanism::PureRows rows_;
};

std::vector<std::uint64_t> dense_weights(const mechanism::PureRow& row, std::size_t words) {
  std::vector<std::uint64_t> weights(words, row.rest);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < row.words.size(); ++i) {
    weights[row.words[i]] = row.cumulative[i] - before;
    before = row.cumulative[i];
  }
  return weights;
}

/// Brute force within groups. Also checks that the rows are those that explain() shows.
Enclosed brute_force(const Mechanism& mechanism, const mechanism::PureRows& rows, std::size_t words) {
  Enclosed worst;
  for (const std::vector<TokenId>& group : rows.groups) {
    std::vector<ExactRow> exact;
    for (const TokenId input : group) {
      std::vector<std::uint64_t> weights = dense_weights(rows.row(input), words);
      const ExactRow row = exact_row(weights);
      const std::vector<double> shown = mechanism.row(input);
      std::vector<std::uint64_t> possible;
      for (std::size_t y = 0; y < words; ++y) {
        EXPECT_NEAR(row[y].get_d(), shown[y], 1e-15);
        if (weights[y] > 0) possible.push_back(weights[y]);
      }
      exact.push_back(exact_row(possible));
    }
    const Enclosed found = exhaustive_loss(exact, [](std::size_t, std::size_t) { return MetricDistance{}; });
    worst = {std::max(worst.low, found.low), std::max(worst.high, found.high)};
  }
  return worst;
}

void check(const Mechanism& mechanism, std::size_t words, double epsilon) {
  RowKeeper keeper;
  ASSERT_TRUE(mechanism::show_rows(mechanism, keeper));
  const PrivacyLoss found = find_pure_loss(keeper.rows()).value();
  const Enclosed exact = brute_force(mechanism, keeper.rows(), words);
  EXPECT_GE(found.epsilon, exact.high * (1 - 1e-15)) << epsilon;
  EXPECT_LE(found.epsilon, exact.low * (1 + 1e-14) + 1e-20) << epsilon;
  EXPECT_LE(found.worst.per_distance.lower, exact.high) << epsilon;
  EXPECT_LE(found.epsilon, epsilon);
}

TEST(PureCertificate, CustextEqualsBruteForce) {
  const TemporaryFolder folder;
  const auto model = write_tiny_model(folder.path() / "m.safetensors");
  for (const std::string k : {"2", "3", "5", "12"})
    for (const double epsilon : {1e-6, 0.5, 1.0, 5.0, 10.0, 100.0})
      check(*make_mechanism("custext", model, epsilon, {{"k", k}}).value(), model->size(), epsilon);
}

TEST(PureCertificate, SyntfEqualsBruteForce) {
  const TemporaryFolder folder;
  const auto model = write_tiny_model(folder.path() / "m.safetensors");
  write_tiny_wordnet(folder.path(), {{'n', {"pizza", "pasta"}},
                                     {'n', {"soup", "pasta", "pizza"}},
                                     {'n', {"dog", "cat"}},
                                     {'n', {"horse"}},
                                     {'n', {"paris", "rome", "london"}}});
  for (const std::string rating : {"similarity", "paper"}) {
    for (const double epsilon : {0.5, 1.0, 5.0, 50.0}) {
      const auto mechanism = make_mechanism(
          "syntf", model, epsilon,
          {{"candidates", "vocabulary"}, {"rating", rating}, {"wordnet", folder.path().string()}});
      ASSERT_TRUE(mechanism) << mechanism.error().message;
      check(**mechanism, model->size(), epsilon);
    }
  }
}

/// Rows made by hand.
struct HandMade {
  std::vector<TokenId> words = {0, 1};
  std::vector<std::vector<std::uint64_t>> cumulative;
  std::vector<std::uint64_t> totals;

  mechanism::PureRows rows(std::uint64_t rest) const {
    mechanism::PureRows rows;
    rows.groups.emplace_back();
    for (TokenId input = 0; input < totals.size(); ++input) rows.groups[0].push_back(input);
    rows.row = [this, rest](TokenId input) {
      return mechanism::PureRow{std::span(words).first(cumulative[input].size()), cumulative[input], rest,
                                totals[input]};
    };
    return rows;
  }
};

TEST(PureCertificate, ShowsABrokenMechanism) {
  const HandMade uneven{{0, 1}, {{3000, 5000}, {1000, 5000}}, {5000, 5000}};
  const PrivacyLoss found = find_pure_loss(uneven.rows(0)).value();
  EXPECT_NEAR(found.epsilon, std::log(3.0), 1e-15);
  EXPECT_EQ(found.worst.output, 0U);
  // An output that is impossible for one of the inputs.
  const HandMade impossible{{0, 1}, {{3000, 4000}, {4000}}, {4000, 4000}};
  EXPECT_FALSE(find_pure_loss(impossible.rows(0)));
  // The same with a rest weight of 10, which makes it merely unlikely.
  const HandMade unlikely{{0, 1}, {{3000, 4000}, {4000}}, {4000, 4010}};
  EXPECT_NEAR(find_pure_loss(unlikely.rows(10)).value().epsilon, std::log(1000.0 / 4000 / 10 * 4010), 1e-12);
}

TEST(PureCertificate, OthersAreRefusedWithTheReason) {
  const TemporaryFolder folder;
  const auto model = write_tiny_model(folder.path() / "m.safetensors");
  RowKeeper keeper;
  for (const std::string name : {"cmp", "mahalanobis", "vickrey", "vickrey-k", "gumbel", "santext-plus"}) {
    const auto refused = mechanism::show_rows(*make_mechanism(name, model, 100, {}).value(), keeper);
    ASSERT_FALSE(refused) << name;
    EXPECT_NE(refused.error().message.find(", so the"), std::string::npos) << refused.error().message;
  }
}

}  // namespace
}  // namespace sotto

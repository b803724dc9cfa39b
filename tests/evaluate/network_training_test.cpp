// The training loop, with a network whose answers follow a script.
#include "evaluate/classifiers/network_training.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "random/bit_sources.hpp"
#include "support/result_matchers.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::evaluate;

/// After epoch i it gives the true class of each validation text the probability in script[i]. Validation is
/// one text of class 0 and one of class 1, so the accuracy is 0, 1/2 or 1.
class ScriptedNetwork final : public lm::TrainableNetwork {
 public:
  explicit ScriptedNetwork(std::vector<std::pair<float, float>> script) : script_(std::move(script)) {}

  lm::NetworkLimits limits() const override { return {10, 10}; }
  std::uint32_t width() const override { return 1; }
  std::uint32_t outputs() const override { return 2; }
  Result<double> learn(const lm::NetworkInput&, std::span<const std::uint32_t> members,
                       std::span<const float>, double learning_rate) override {
    rates.push_back(learning_rate);
    sizes.push_back(members.size());
    return loss;
  }
  Result<void> answer(const lm::NetworkInput&, std::span<float> out) const override {
    const auto [first, second] = script_[static_cast<std::size_t>(state_)];
    out[0] = first;
    out[1] = 1 - first;
    out[2] = 1 - second;
    out[3] = second;
    ++state_;
    return {};
  }
  Result<void> features(const lm::NetworkInput&, std::span<float>) const override { return {}; }
  Result<void> keep() override {
    kept = state_;
    return {};
  }
  Result<void> recall() override {
    recalled = kept;
    return {};
  }

  double loss = 0.5;
  int kept = 0;
  int recalled = 0;  // the epoch, from 1
  std::vector<double> rates;
  std::vector<std::size_t> sizes;

 private:
  std::vector<std::pair<float, float>> script_;
  mutable int state_ = 0;
};

NetworkTexts texts_of(std::size_t count) {
  NetworkTexts texts;
  for (std::size_t i = 0; i < count; ++i) {
    texts.texts.push_back({std::vector<std::int32_t>(1 + i % 7, 1), {}, {}, {}});
    texts.targets.push_back(static_cast<float>(i % 2));
  }
  return texts;
}

TrainingPlan plan_of(std::uint32_t epochs, std::uint32_t patience) {
  return {.epochs = epochs, .patience = patience, .batch = 4};
}

TEST(NetworkTraining, StopsAfterPatienceAndKeepsTheBestEpoch) {
  // Accuracies 0.5, 1, 0.5, 1 (with a larger cross-entropy), 0.5, and then a better one that is never
  // reached.
  ScriptedNetwork network({{0.9F, 0.1F}, {0.9F, 0.9F}, {0.9F, 0.1F}, {0.6F, 0.6F}, {0.9F, 0.1F}, {1, 1}});
  const auto reports = train_network(network, texts_of(10), texts_of(2), plan_of(30, 3), {});
  ASSERT_TRUE(reports.has_value()) << reports.error().message;
  ASSERT_EQ(reports->size(), 5U);
  EXPECT_EQ(network.recalled, 2);
  for (const EpochReport& report : *reports) EXPECT_EQ(report.best, report.epoch == 2) << report.epoch;
  EXPECT_EQ((*reports)[0].validation_score, 0.5);
  EXPECT_EQ((*reports)[1].validation_score, 1.0);
  EXPECT_EQ((*reports)[0].loss, 0.5);
}

TEST(NetworkTraining, OfEqualAccuraciesTheSurerOneIsBetter) {
  ScriptedNetwork network({{0.6F, 0.6F}, {0.9F, 0.9F}, {0.8F, 0.8F}});
  ASSERT_TRUE(train_network(network, texts_of(10), texts_of(2), plan_of(3, 1), {}));
  EXPECT_EQ(network.recalled, 2);
}

TEST(NetworkTraining, WithoutPatienceAllEpochsAreDone) {
  ScriptedNetwork network({{0.9F, 0.9F}, {0.9F, 0.1F}, {0.9F, 0.1F}, {0.1F, 0.1F}});
  EXPECT_EQ(train_network(network, texts_of(10), texts_of(2), plan_of(4, 0), {}).value().size(), 4U);
  EXPECT_EQ(network.recalled, 1);
}

TEST(NetworkTraining, WithoutValidationTheLastEpochStays) {
  ScriptedNetwork network({});
  const auto reports = train_network(network, texts_of(10), {}, plan_of(3, 1), {}).value();
  ASSERT_EQ(reports.size(), 3U);
  EXPECT_TRUE(reports[2].best);
  EXPECT_FALSE(reports[2].validation_score.has_value());
  EXPECT_EQ(network.recalled, 0);
  EXPECT_EQ(network.sizes.size(), 9U);  // 4, 4 and 2 texts per epoch, in any order
}

TEST(NetworkTraining, TellsProgressAndCanBeStopped) {
  ScriptedNetwork network({});
  std::uint64_t last = 0;
  expect_error(train_network(network, texts_of(10), {}, plan_of(3, 1),
                             [&](std::uint64_t done, std::uint64_t total) {
                               EXPECT_EQ(total, 9U);
                               last = done;
                               return done < 5;
                             }),
               Errc::interrupted, {});
  EXPECT_EQ(last, 5U);
}

TEST(NetworkTraining, ALossThatIsNoNumberIsAnError) {
  ScriptedNetwork network({});
  network.loss = std::numeric_limits<double>::quiet_NaN();
  expect_error(train_network(network, texts_of(10), {}, plan_of(3, 1), {}), Errc::limit,
               {"epoch 1", "learning_rate", "0.001"});
}

TEST(NetworkTraining, RateRisesAndFalls) {
  TrainingPlan plan{.learning_rate = 1, .warm_up = 0.2, .decays = true};
  const std::vector<double> expected = {1.0 / 3, 2.0 / 3, 1,       7.0 / 8, 6.0 / 8,
                                        5.0 / 8, 4.0 / 8, 3.0 / 8, 2.0 / 8, 1.0 / 8};
  for (std::uint64_t step = 0; step < 10; ++step)
    EXPECT_NEAR(learning_rate_at(plan, step, 10), expected[step], 1e-12) << step;
  plan.decays = false;
  EXPECT_EQ(learning_rate_at(plan, 9, 10), 1);
  plan.warm_up = 0;
  EXPECT_EQ(learning_rate_at(plan, 0, 10), 1);
}

TEST(NetworkTraining, AnEpochHasEveryTextOnceAndLengthsTogether) {
  std::vector<std::uint32_t> lengths;
  for (std::uint32_t i = 0; i < 1003; ++i) lengths.push_back(1 + i * 37 % 101);
  random::ChaChaBitSource bits(random::key_from_seed(3));
  random::ChaChaBitSource same(random::key_from_seed(3));
  const auto batches = plan_epoch(lengths, 10, bits);
  EXPECT_EQ(batches, plan_epoch(lengths, 10, same));
  EXPECT_NE(batches, plan_epoch(lengths, 10, bits));
  EXPECT_EQ(batches.size(), 101U);
  std::multiset<std::uint32_t> seen;
  std::uint32_t spread = 0;
  for (const auto& batch : batches) {
    EXPECT_LE(batch.size(), 10U);
    seen.insert(batch.begin(), batch.end());
    const auto [least, most] =
        std::minmax_element(batch.begin(), batch.end(),
                            [&](std::uint32_t a, std::uint32_t b) { return lengths[a] < lengths[b]; });
    spread += lengths[*most] - lengths[*least];
  }
  EXPECT_EQ(seen.size(), 1003U);
  EXPECT_EQ(*seen.rbegin(), 1002U);
  EXPECT_EQ(std::set<std::uint32_t>(seen.begin(), seen.end()).size(), 1003U);
  // Random batches of ten would have a spread of about 83.
  EXPECT_LT(spread / batches.size(), 15U);
}

}  // namespace
}  // namespace sotto::testing

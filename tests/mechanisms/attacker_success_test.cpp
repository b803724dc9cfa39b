// The table of what attackers recover: what it says, and where it must be silent.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sotto/attacker_success.hpp>

#include "mechanisms/measured/measured_attackers.hpp"

namespace sotto {
namespace {

using namespace sotto::mechanism;
using ::testing::HasSubstr;

TEST(MeasuredAttackers, AreCurves) {
  for (const MeasuredAttackers& measured : measured_attackers()) {
    SCOPED_TRACE(measured.mechanism);
    const auto info = find_mechanism(measured.mechanism);
    ASSERT_TRUE(info);
    EXPECT_EQ((*info)->default_model, measured.model);
    EXPECT_EQ(measured.model_digest.size(), 64U);
    ASSERT_GE(measured.points.size(), 3U);
    for (std::size_t i = 0; i < measured.points.size(); ++i) {
      const MeasuredPoint& point = measured.points[i];
      EXPECT_GE(point.success, measured.blind - 0.02) << point.epsilon;
      EXPECT_LE(point.success, 1) << point.epsilon;
      if (i == 0) continue;
      EXPECT_GT(point.epsilon, measured.points[i - 1].epsilon);
      EXPECT_GE(point.success, measured.points[i - 1].success - 0.02) << point.epsilon;
    }
  }
}

TEST(MeasuredAttackers, CoverEveryMechanismForWords) {
  for (const MechanismInfo& info : mechanisms()) {
    if (info.kind != MechanismKind::word_by_word || info.name == "syntf") continue;  // it needs WordNet
    EXPECT_TRUE(useful_range(info.name)) << info.name;
  }
}

class AttackerSuccessTest : public ::testing::Test {
 protected:
  const MeasuredAttackers& measured_ = measured_attackers().front();
  std::optional<AttackerSuccess> at(double epsilon, const ParameterValues& parameters = {}) const {
    return attacker_success(measured_.mechanism, epsilon, parameters, measured_.model_digest);
  }
};

TEST_F(AttackerSuccessTest, GivesWhatWasMeasuredAndInterpolates) {
  const MeasuredPoint& first = measured_.points[2];
  const MeasuredPoint& second = measured_.points[3];
  EXPECT_NEAR(at(first.epsilon)->success, first.success, 1e-12);
  EXPECT_EQ(at(first.epsilon)->bound, FigureBound::about);
  EXPECT_NEAR(at(std::sqrt(first.epsilon * second.epsilon))->success, (first.success + second.success) / 2,
              1e-12);
  EXPECT_EQ(at(first.epsilon)->candidates, measured_.candidates);
  EXPECT_EQ(at(first.epsilon)->model, measured_.model);
}

TEST_F(AttackerSuccessTest, ClaimsNoLessThanItKnowsOutsideTheGrid) {
  EXPECT_EQ(at(measured_.points.front().epsilon / 2)->bound, FigureBound::at_most);
  EXPECT_EQ(at(measured_.points.back().epsilon * 2)->bound, FigureBound::at_least);
  EXPECT_THAT(describe(*at(measured_.points.back().epsilon * 2)), HasSubstr("at least 99.9%"));
}

TEST_F(AttackerSuccessTest, SaysNothingForOtherModelsParametersAndMechanisms) {
  EXPECT_FALSE(attacker_success(measured_.mechanism, 1, {}, std::string(64, '0')));
  EXPECT_FALSE(attacker_success(measured_.mechanism, 1, {}, ""));
  EXPECT_FALSE(at(1, {{"lists", "L2"}}));
  EXPECT_FALSE(at(1, {{"no such parameter", "1"}}));
  EXPECT_FALSE(attacker_success("dp-mlm", 10, {}, measured_.model_digest));
  EXPECT_FALSE(attacker_success("nonsense", 10, {}, measured_.model_digest));
  for (const double epsilon : {0.0, -1.0, std::nan("")}) EXPECT_FALSE(at(epsilon)) << epsilon;
  EXPECT_FALSE(useful_range("dp-mlm"));
}

TEST_F(AttackerSuccessTest, DefaultsMayBeSpelledOut) {
  const auto info = find_mechanism(measured_.mechanism);
  EXPECT_TRUE(at(1, *complete_parameters(**info, {})));
}

TEST(UsefulRange, LiesBetweenNoiseAndHardlyAChange) {
  for (const MeasuredAttackers& measured : measured_attackers()) {
    SCOPED_TRACE(measured.mechanism);
    const UsefulRange range = *useful_range(measured.mechanism);
    EXPECT_LT(range.low, range.high);
    EXPECT_LE(range.at_low.success, range.at_high.success + 0.01);
    EXPECT_THAT(describe(range), HasSubstr("attacker recovers"));
  }
  // The cliff of the selection mechanisms on the shipped model.
  EXPECT_GE(useful_range("santext")->low, 8);
  EXPECT_LE(useful_range("santext")->high, 25);
  EXPECT_TRUE(useful_range("santext-plus")->flat);
}

}  // namespace
}  // namespace sotto

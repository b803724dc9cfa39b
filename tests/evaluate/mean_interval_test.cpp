#include "evaluate/metrics/mean_interval.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "evaluate/reference.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::evaluate;
using testing::expect_error;
using testing::reference;

TEST(Spread, MeansEqualScipy) {
  for (const auto& example : reference()["spread"]["means"]) {
    const Spread spread = spread_of(example["values"].get<std::vector<double>>());
    EXPECT_NEAR(spread.mean, example["mean"].get<double>(), 1e-11);
    EXPECT_NEAR(spread.standard_deviation, example["deviation"].get<double>(), 1e-11);
    const Estimate interval = mean_interval(spread).value();
    EXPECT_NEAR(interval.low, example["low"].get<double>(), 1e-9);
    EXPECT_NEAR(interval.high, example["high"].get<double>(), 1e-9);
  }
}

TEST(Spread, OneValueHasNoSpread) {
  const std::array value = {0.7};
  EXPECT_TRUE(std::isnan(spread_of(value).standard_deviation));
  const Estimate interval = mean_interval(spread_of(value)).value();
  EXPECT_EQ(interval.value, 0.7);
  EXPECT_EQ(interval.low, -INFINITY);
  EXPECT_EQ(interval.high, INFINITY);
}

TEST(Spread, SharesEqualStatsmodels) {
  for (const auto& example : reference()["spread"]["shares"]) {
    const Estimate share =
        share_interval(example["successes"], example["trials"], example["confidence"].get<double>()).value();
    EXPECT_NEAR(share.low, example["low"].get<double>(), 1e-10);
    EXPECT_NEAR(share.high, example["high"].get<double>(), 1e-10);
  }
}

TEST(Spread, RefusesWhatIsNoShareOrConfidence) {
  expect_error(share_interval(3, 2), Errc::invalid_argument, {"3 of 2"});
  expect_error(share_interval(0, 0), Errc::invalid_argument, {"0 of 0"});
  expect_error(share_interval(1, 2, 1), Errc::invalid_argument, {"confidence", "'1'"});
  expect_error(mean_interval({3, 1, 1}, NAN), Errc::invalid_argument, {"confidence", "nan"});
}

}  // namespace
}  // namespace sotto

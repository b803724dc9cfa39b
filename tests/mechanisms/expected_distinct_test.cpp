#include "mechanisms/expected_distinct.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::mechanism;

TEST(ExpectedDistinct, IsTheSumOverOutputsOfTheChanceToOccur) {
  // Two draws from (1/2, 1/4, 1/4): 3/4 + 7/16 + 7/16.
  EXPECT_DOUBLE_EQ(expected_distinct(std::vector{0.5, 0.25, 0.25}, 2), 1.625);
  EXPECT_DOUBLE_EQ(expected_distinct(std::vector{0.5, 0.25, 0.25}, 1), 1);
}

TEST(ExpectedDistinct, KeepsSmallProbabilities) {
  EXPECT_DOUBLE_EQ(expected_distinct(std::vector{1e-20}, 100), 1e-18);
}

TEST(ExpectedDistinct, IsOneIfOneOutputIsCertain) {
  EXPECT_EQ(expected_distinct(std::vector{1.0, 0.0}, 100), 1);
  EXPECT_EQ(expected_distinct(std::vector{1 + 1e-15, 0.0}, 100), 1);  // a sum of rounded probabilities
}

}  // namespace
}  // namespace sotto

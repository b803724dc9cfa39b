#include "privacy/nano_epsilon.hpp"

#include <random>

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::privacy;

TEST(NanoEpsilon, ADoubleStandsForTheDecimalThatWasWritten) {
  EXPECT_EQ(charge_for(Decimal(0.1), 100), 10'000'000'000);  // the double is slightly more than 0.1
  EXPECT_EQ(charge_for(Decimal(0.3), 3), 900'000'000);
  EXPECT_EQ(charge_for(Decimal(1), 7), 7'000'000'000);
  EXPECT_EQ(charge_for(Decimal(2.5), 0), 0);
  EXPECT_EQ(charge_for(Decimal(1e6), 3), 3'000'000'000'000'000);
}

TEST(NanoEpsilon, ChargesAreRoundedUpAndLimitsDown) {
  EXPECT_EQ(charge_for(Decimal(1e-9), 1), 1);
  EXPECT_EQ(charge_for(Decimal(1.5e-9), 1), 2);
  EXPECT_EQ(charge_for(Decimal(1.5e-9), 2), 3);
  EXPECT_EQ(charge_for(Decimal(1.0000000001), 1), 1'000'000'001);
  EXPECT_EQ(limit_amount(1.9999999999), 1'999'999'999);
  EXPECT_EQ(limit_amount(1e-9), 1);
  EXPECT_EQ(limit_amount(kLargestLimit), 9'000'000'000'000'000'000);
}

// Against long double arithmetic, which is exact to 64 bits: never less than ε times the tokens, up to the
// half unit in the last place that separates the double from its decimal, and never a nano-ε more.
TEST(NanoEpsilon, ChargesBoundTheProduct) {
  std::mt19937_64 draw(1);
  for (int i = 0; i < 100'000; ++i) {
    const double epsilon = std::exp(std::uniform_real_distribution(std::log(1e-9), std::log(1e6))(draw));
    const std::uint64_t tokens = draw() % 1000;
    const long double exact = static_cast<long double>(epsilon) * tokens * 1e9L;
    const auto charge = static_cast<long double>(charge_for(Decimal(epsilon), tokens));
    const long double slack = exact * 2.3e-16L;
    ASSERT_GE(charge, exact - slack) << epsilon << " " << tokens;
    ASSERT_LT(charge, exact + slack + 1) << epsilon << " " << tokens;
  }
}

TEST(NanoEpsilon, WhatIsTooLargeSaturates) {
  EXPECT_EQ(charge_for(Decimal(1e6), 16'000'000), kLargestAmount);
  EXPECT_EQ(charge_for(Decimal(1e6), ~0ULL), kLargestAmount);
  EXPECT_EQ(saturating_sum(kLargestAmount - 1, 5), kLargestAmount);
  EXPECT_EQ(saturating_sum(2, 3), 5);
}

TEST(NanoEpsilon, DecimalsAreExact) {
  EXPECT_EQ(to_decimal(0), "0");
  EXPECT_EQ(to_decimal(1), "0.000000001");
  EXPECT_EQ(to_decimal(1'500'000'000), "1.5");
  EXPECT_EQ(to_decimal(20'000'000'000), "20");
  EXPECT_EQ(to_decimal(kLargestAmount), "9223372036.854775807");
  EXPECT_EQ(to_decimal(-1'500'000'000), "-1.5");
}

}  // namespace
}  // namespace sotto

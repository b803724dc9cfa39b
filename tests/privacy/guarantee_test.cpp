#include <gtest/gtest.h>

#include <sotto/guarantee.hpp>

namespace sotto {
namespace {

TEST(ReadableMetric, LongNumbersAreRoundedUpAndTheRestStays) {
  EXPECT_EQ(readable_metric("Euclidean distance, at most 2.8876709408783166"),
            "Euclidean distance, at most 2.88768");
  EXPECT_EQ(readable_metric("34.6520512905398 of model e420df25b28f78cbdd3d"),
            "34.6521 of model e420df25b28f78cbdd3d");
  EXPECT_EQ(readable_metric("0.00012345678, 99.99999999, 123456.7 and 9999999.5"),
            "0.000123457, 100, 123457 and 1e+07");
  for (const char* const same : {"", "pure", "at most 3.5", "at most 2.88767", "0.5", "1234567", "12.", ".5",
                                 "0.000000000", "exp(12 d), d", "0.00000001"})
    EXPECT_EQ(readable_metric(same), same);
}

TEST(ReadableMetric, NumbersBeyondDoublesStay) {
  const std::string tiny = "0." + std::string(400, '0') + "1234567";
  const std::string huge = std::string(400, '9') + ".5";
  EXPECT_EQ(readable_metric(tiny), tiny);
  EXPECT_EQ(readable_metric(huge), huge);
}

}  // namespace
}  // namespace sotto

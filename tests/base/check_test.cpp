// Checks that a promise rests on are active in the build under test, whichever build that is.
#include "base/check.hpp"

#include <gtest/gtest.h>

namespace sotto::testing {
namespace {

TEST(CheckDeathTest, EndsTheProgramInEveryBuild) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const int words = 3;
  EXPECT_EXIT(SOTTO_CHECK(words == 4), ::testing::KilledBySignal(SIGABRT),
              "^sotto: a bug: words == 4 does not hold in TestBody\n$");
}

TEST(CheckDeathTest, LooksOnceAndGoesOn) {
  int looked = 0;
  SOTTO_CHECK(++looked == 1);
  EXPECT_EQ(looked, 1);
}

}  // namespace
}  // namespace sotto::testing

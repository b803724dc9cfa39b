#include "cli/validate.hpp"

#include <array>
#include <limits>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sotto::cli {
namespace {

using ::testing::HasSubstr;

TEST(Validate, EpsilonAcceptsOnlyWhatCanBeHonoured) {
  for (const char* good : {"1", "0.5", "1e-9", "1e6", "10.25"})
    EXPECT_TRUE(parse_epsilon("--epsilon", good)) << good;
  for (const char* bad :
       {"", "0", "-1", "nan", "inf", "-inf", "1e400", "1e-10", "1000001", "1,5", "0x1", "1 ", " 1", "one"}) {
    const auto result = parse_epsilon("--epsilon", bad);
    ASSERT_FALSE(result) << bad;
    EXPECT_EQ(result.error().code, Errc::invalid_argument);
    EXPECT_THAT(result.error().message, HasSubstr("--epsilon"));
    EXPECT_THAT(result.error().message, HasSubstr("1e-09 to 1e+06"));
  }
  EXPECT_FALSE(validate_epsilon("--epsilon", std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(validate_epsilon("--epsilon", std::numeric_limits<double>::infinity()));
}

TEST(Validate, IntegersKeepToTheirRange) {
  EXPECT_EQ(parse_integer("--n", "7", 1, 10).value(), 7U);
  for (const char* bad : {"0", "11", "-1", "1.5", "", "7x", "99999999999999999999999"})
    EXPECT_FALSE(parse_integer("--n", bad, 1, 10)) << bad;
}

TEST(Validate, SizesHaveUnits) {
  EXPECT_EQ(parse_size("--memory", "4096").value(), 4096U);
  EXPECT_EQ(parse_size("--memory", "64M").value(), 64ULL << 20);
  EXPECT_EQ(parse_size("--memory", "1.5g").value(), 3ULL << 29);
  for (const char* bad : {"", "M", "-1M", "0", "5X", "1e30", "nan"})
    EXPECT_FALSE(parse_size("--memory", bad)) << bad;
}

TEST(Validate, ChoicesListWhatIsAllowed) {
  constexpr std::array<std::string_view, 2> kAllowed = {"text", "csv"};
  EXPECT_EQ(parse_choice("--format", "csv", kAllowed).value(), 1U);
  const auto result = parse_choice("--format", "xml", kAllowed);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "--format: 'xml' is not allowed; give text or csv");
}

}  // namespace
}  // namespace sotto::cli

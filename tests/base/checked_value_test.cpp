#include "base/checked_value.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using testing::expect_error;

TEST(CheckedValue, EpsilonIsWhatCanBeHonoured) {
  for (const double good : {1e-9, 0.5, 1.0, 1e6}) EXPECT_EQ(check_epsilon("epsilon", good), good);
  for (const double bad : {0.0, -1.0, 1e-10, 1.1e6, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()})
    expect_error(check_epsilon("document_epsilon", bad), Errc::invalid_argument, "document_epsilon",
                 {"1e-9 to 1e6"});
  EXPECT_EQ(check_epsilon("epsilon", -1).error().value, "-1");
}

TEST(CheckedValue, NumbersAreWholeTexts) {
  EXPECT_EQ(read_integer("k", "7", 1, 10), 7U);
  for (const char* bad : {"0", "11", "-1", "1.5", "", "7x", "99999999999999999999999"})
    expect_error(read_integer("k", bad, 1, 10), Errc::invalid_argument, "k",
                 {"whole number from 1 to 10", std::string("'") + bad + "'"});
  EXPECT_EQ(read_number("share", "0.25", 0, 1), 0.25);
  for (const char* bad : {"", "nan", "inf", "1e400", "0x1", "1 ", " 1", "1,5", "2"})
    expect_error(read_number("share", bad, 0, 1), Errc::invalid_argument, "share", {"number from 0 to 1"});
}

TEST(CheckedValue, ChoicesListWhatIsAllowed) {
  EXPECT_EQ(read_choice("format", "csv", {"text", "csv"}), 1U);
  const auto result = read_choice("format", "xml", {"text", "csv"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().parameter, "format");
  EXPECT_EQ(result.error().value, "xml");
  EXPECT_EQ(result.error().message, "'xml' is not allowed; give text or csv");
}

}  // namespace
}  // namespace sotto

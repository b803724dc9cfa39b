#include "base/json_numbers.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::base;
using Json = nlohmann::ordered_json;

TEST(JsonNumbers, WholeNumbersThatFitAreTaken) {
  EXPECT_EQ(whole_number<std::uint32_t>(Json::parse("4294967295")), 4294967295U);
  EXPECT_EQ(whole_number<std::uint64_t>(Json::parse("18446744073709551615")), ~std::uint64_t{0});
  EXPECT_EQ(whole_number<int>(Json::parse("-7")), -7);
}

TEST(JsonNumbers, OthersAreRefusedAndNeverCast) {
  for (const char* text :
       {"4294967296", "-1", "0.5", "1.0", "1e300", "-1e300", "\"1\"", "null", "[]", "true"})
    EXPECT_THROW(whole_number<std::uint32_t>(Json::parse(text)), nlohmann::json::exception) << text;
  EXPECT_THROW(whole_number<int>(Json::parse("4294967297")), nlohmann::json::exception);
}

}  // namespace
}  // namespace sotto

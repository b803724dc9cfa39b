#include "base/json.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::base;

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(ParseJson, ReadsWhatIsJson) {
  EXPECT_EQ(parse_json("{\"a\": [1, \"]}[\\\"{\"]}")["a"][1], "]}[\"{");
  EXPECT_EQ(parse_json<nlohmann::ordered_json>("{\"b\":1,\"a\":2}").dump(), "{\"b\":1,\"a\":2}");
  for (const char* bad : {"", "{", "[1,]", "]", "\"\\", "{\"a\":1} x"})
    EXPECT_TRUE(parse_json(bad).is_discarded()) << bad;
}

// Printing, copying and comparing a tree recurse once per level.
TEST(ParseJson, DepthHasALimit) {
  EXPECT_EQ(parse_json(nested(kDeepestJson)).dump(), nested(kDeepestJson));
  EXPECT_TRUE(parse_json(nested(kDeepestJson + 1)).is_discarded());
  EXPECT_TRUE(parse_json(nested(5'000'000)).is_discarded());
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_TRUE(parse_json(objects).is_discarded());
  // Brackets side by side or inside strings add no depth.
  std::string flat = "[";
  for (int i = 0; i < 1000; ++i) flat += "[],\"[[[[\\\"[[[\",";
  EXPECT_EQ(parse_json(flat + "1]").size(), 2001U);
}

}  // namespace
}  // namespace sotto

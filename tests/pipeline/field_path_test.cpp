#include "pipeline/records/field_path.hpp"

#include <gtest/gtest.h>

#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::pipeline;
using testing::expect_error;
using Steps = std::vector<std::string>;

FieldPath path(std::string_view text) {
  return FieldPath::parse("field", text).value();
}

TEST(FieldPath, IsANameOrAJsonPointer) {
  const std::vector<std::pair<std::string, Steps>> cases = {
      {"text", {"text"}},
      {"a/b", {"a/b"}},
      {"a~b", {"a~b"}},
      {"", {""}},
      {"*", {"*"}},
      {"/text", {"text"}},
      {"/", {""}},
      {"//", {"", ""}},
      {"/user/bio", {"user", "bio"}},
      {"/a~1b", {"a/b"}},
      {"/a~0b", {"a~b"}},
      {"/~01", {"~1"}},  // RFC 6901, section 4
      {"/~1~0", {"/~"}},
      {"/m/*/b", {"m", "*", "b"}},
      {"/m/0", {"m", "0"}},
      {"/é/\x01", {"é", "\x01"}},
  };
  for (const auto& [text, steps] : cases) {
    EXPECT_EQ(path(text).steps(), steps) << text;
    EXPECT_EQ(path(text).text(), text);
  }
  for (const std::string bad : {"/~", "/a~2", "/a/b~", "/~a/b"})
    expect_error(FieldPath::parse("id_field", bad), Errc::invalid_argument, "id_field",
                 {"'" + bad + "'", "JSON Pointer"});
}

TEST(FieldPath, OfAMemberLeadsBackToIt) {
  for (const std::string name : {"text", "", "/", "/a", "a/b", "~", "/~1", "*", "a~0"}) {
    EXPECT_EQ(path(member_path(name)).steps(), Steps{name});
    std::string pointer;
    append_step(pointer, name);
    EXPECT_EQ(path(pointer).steps(), Steps{name});
  }
}

TEST(FieldPath, OverlapsWhatItContainsAndWhatContainsIt) {
  const auto overlap = [](std::string_view a, std::string_view b) {
    EXPECT_EQ(path(a).overlaps(path(b)), path(b).overlaps(path(a)));
    return path(a).overlaps(path(b));
  };
  EXPECT_TRUE(overlap("a", "/a"));
  EXPECT_TRUE(overlap("/a", "/a/b"));
  EXPECT_TRUE(overlap("/a/*", "/a/0"));
  EXPECT_TRUE(overlap("/a/*/c", "/a/b"));
  EXPECT_FALSE(overlap("/a/b", "/a/c"));
  EXPECT_FALSE(overlap("/a/*/b", "/a/0/c"));
  EXPECT_FALSE(overlap("*", "a")) << "a record is an object, where * is a name";
  EXPECT_TRUE(path("/a/*").has_wildcard());
  EXPECT_FALSE(path("/*").has_wildcard());
  EXPECT_FALSE(path("/a*/b").has_wildcard());
}

}  // namespace
}  // namespace sotto

#include "base/yaml.hpp"

#include <gtest/gtest.h>

#include <sotto/config_file.hpp>

#include "support/folder_test.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::base;
using testing::expect_error;

TEST(ParseYaml, ReadsOneDocument) {
  const YAML::Node node = parse_yaml("a: [1, {b: c}]\n", "f").value();
  EXPECT_EQ(node["a"][1]["b"].Scalar(), "c");
  EXPECT_TRUE(parse_yaml("", "f").value().IsNull());
  EXPECT_TRUE(parse_yaml("--- {a: 1}\n...\n", "f").value().IsMap());
  expect_error(parse_yaml("--- {a: 1}\n--- {a: 2}\n", "f"), Errc::invalid_argument, {"f: ", "more than one"});
  expect_error(parse_yaml("a: [1\n", "f"), Errc::invalid_argument, {"f: line "});
}

// An alias can make a tree that contains itself, or one of 10^9 nodes from ten lines.
TEST(ParseYaml, AliasesAreRefused) {
  for (const char* text :
       {"a: &x\n  b: *x\n", "a: &x [*x]\n", "a: &x {b: 1}\nc: *x\n", "&x [*x]", "? &x [*x]\n: 1\n"})
    expect_error(parse_yaml(text, "f"), Errc::invalid_argument, {"f: line ", "alias"});
  EXPECT_TRUE(parse_yaml("a: &x 1\n", "f"));
}

TEST(ParseYaml, DepthHasALimit) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_yaml(nested(64), "f"));
  for (const std::size_t depth : {65, 1000, 100'000})
    expect_error(parse_yaml(nested(depth), "f"), Errc::invalid_argument, {"f: line 1", "deeper"});
  std::string maps;
  for (int i = 0; i < 300; ++i) maps += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  expect_error(parse_yaml(maps + std::string(300, ' ') + "b: 1\n", "f"), Errc::invalid_argument, {"deeper"});
}

class ConfigFileTest : public testing::FolderTest {};

TEST_F(ConfigFileTest, ReadsValuesListsAndMaps) {
  const auto entries = read_config_file(write("c.yaml", "a: 1\nb: [x, y]\nset: {k: v, l: w}\n")).value();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].key, "a");
  EXPECT_EQ(entries[1].values, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(entries[2].values, (std::vector<std::string>{"k=v", "l=w"}));
  EXPECT_TRUE(entries[2].is_map);
  EXPECT_EQ(entries[2].line, 3);
}

TEST_F(ConfigFileTest, RefusesTheRest) {
  for (const char* text : {"- a\n", "a: 1\na: 2\n", "a: {b: [1]}\n", "a: [[1]]\n", "a:\n", "? [a]\n: 1\n",
                           "a: &x [*x]\n", "a: {[b]: c}\n"})
    expect_error(read_config_file(write("c.yaml", text)), Errc::invalid_argument, {"c.yaml"});
}

}  // namespace
}  // namespace sotto

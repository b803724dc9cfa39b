#include "text/printable.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::text;

TEST(Printable, KeepsNamesOfAnyLanguage) {
  EXPECT_EQ(printable("größe 大きさ"), "größe 大きさ");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, WhatDoesNotPrintIsSpelledOut) {
  EXPECT_EQ(printable("a\r\n\x1B[2J"), "a\\x0D\\x0A\\x1B[2J");
  EXPECT_EQ(printable("\xFF\xC3"), "\\xFF\\xC3");
  EXPECT_EQ(printable("a\u202Eb"), "a\\xE2\\x80\\xAEb");  // reverses the direction of what follows
}

TEST(Printable, ControlCharactersAreFound) {
  for (const std::string name : {"a\x1E"
                                 "b",
                                 "\v", "\f", "a\x85", "a\u0085", "\u2028", "\u2029", "\x7F"})
    EXPECT_EQ(has_control_characters(name), name != "a\x85") << printable(name);  // not a character
  EXPECT_TRUE(has_control_characters(std::string_view("a\0", 2)));
  EXPECT_FALSE(has_control_characters("größe\t大きさ \u00A0"));
}

TEST(Printable, LongNamesAndLongListsAreCut) {
  EXPECT_EQ(printable(std::string(33, 'x')), std::string(32, 'x') + "…");
  EXPECT_EQ(list_names({"a", "b"}), "a, b");
  const std::string list = list_names(std::vector<std::string>(25, "x"));
  EXPECT_EQ(list, "x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x and 5 more");
}

}  // namespace
}  // namespace sotto

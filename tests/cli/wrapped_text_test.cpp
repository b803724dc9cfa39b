#include "cli/wrapped_text.hpp"

#include <gtest/gtest.h>

#include <sotto/terminal_text.hpp>

namespace sotto::cli {
namespace {

std::string joined(const std::vector<ShownLine>& lines) {
  std::string text;
  for (const ShownLine& line : lines) {
    for (const ShownWord& word : line) text += word.text + ' ';
    text += '/';
  }
  return text;
}

TEST(WrappedText, WordsFillLines) {
  const struct {
    const char* text;
    std::size_t width;
    const char* lines;
  } cases[] = {
      {"", 10, "/"},
      {"  \n ", 10, "/"},
      {"a b", 3, "a b /"},
      {"a bc", 3, "a /bc /"},
      {"abcdef", 3, "abc /def /"},
      {"abcdefg h", 3, "abc /def /g h /"},
      {"大きさ", 4, "大き /さ /"},
      {"大", 1, "大 /"},
      {"a\nb\tc", 10, "a b c /"},
      {"\x1B[31mred", 20, "␛[31mred /"},
  };
  for (const auto& c : cases) EXPECT_EQ(joined(wrap_words(shown_words(c.text), c.width)), c.lines) << c.text;
}

TEST(WrappedText, NoLineIsWiderThanAsked) {
  const std::string text =
      "a 大きさ \U0001F600\U0001F600\U0001F600 e\u0301e\u0301e\u0301e\u0301 \u202E longerthananyline "
      "\xFF\xFE b";
  std::string all;
  for (const ShownWord& word : shown_words(text)) all += word.text;
  for (std::size_t width = 2; width < 40; ++width) {
    std::string put;
    for (const ShownLine& line : wrap_words(shown_words(text), width)) {
      EXPECT_LE(line_width(line), width);
      for (const ShownWord& word : line) put += word.text;
    }
    EXPECT_EQ(put, all) << "nothing is lost at width " << width;
  }
}

TEST(WrappedText, LaterLinesAreIndentedToo) {
  EXPECT_EQ(wrapped("aa bb cc", 7, "- ", "  "), "- aa bb\n  cc\n");
  EXPECT_EQ(wrapped("", 7, "- ", "  "), "- \n");
}

}  // namespace
}  // namespace sotto::cli

// What a document or a receipt contains never reaches a terminal as a command.
#include <gtest/gtest.h>

#include <sotto/terminal_text.hpp>
#include <sotto/tokenizer.hpp>

namespace sotto {
namespace {

TEST(TerminalText, LanguagesStayAsTheyAre) {
  for (const std::string text : {"", "plain", "größe 大きさ", "e\u0301", "\U0001F600", "\u00A0"})
    EXPECT_EQ(visible_text(text), text);
}

TEST(TerminalText, WhatATerminalObeysOrHidesBecomesVisible) {
  const std::pair<std::string, std::string> cases[] = {
      {"\x1B[2J", "␛[2J"},
      {"\x1B]0;title\x07", "␛]0;title␇"},
      {"a\r\nb\tc", "a␍␊b␉c"},
      {std::string("\0", 1), "␀"},
      {"\x7F", "␡"},
      {"\u009B2J", "<U+009B>2J"},  // an escape sequence in one character
      {"a\u202Eb", "a<U+202E>b"},
      {"\u200B", "<U+200B>"},
      {"\u2028", "<U+2028>"},
      {"\U000E0041", "<U+E0041>"},
      {"\xFF\xC3", "\uFFFD\uFFFD"},
      {"\x9B", "\uFFFD"},
  };
  for (const auto& [text, shown] : cases) EXPECT_EQ(visible_text(text), shown);
}

TEST(TerminalText, NoByteSequenceGetsThrough) {
  for (unsigned first = 0; first < 256; ++first)
    for (unsigned second = 0; second < 256; ++second) {
      const std::string bytes = {static_cast<char>(first), static_cast<char>(second)};
      const std::string shown = visible_text(bytes);
      EXPECT_TRUE(is_valid_utf8(shown));
      for (const char byte : shown) EXPECT_FALSE(static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F);
      EXPECT_EQ(shown.find("\xC2\x9B"), std::string::npos);
    }
}

TEST(TerminalText, ColumnsAreCountedAsTerminalsCount) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("soup"), 4U);
  EXPECT_EQ(display_width("大きさ"), 6U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("\U0001F600"), 2U);
}

TEST(TerminalText, CountsAgreeWithTheirNouns) {
  EXPECT_EQ(counted(0, "word"), "0 words");
  EXPECT_EQ(counted(1, "word"), "1 word");
  EXPECT_EQ(counted(2, "word"), "2 words");
}

}  // namespace
}  // namespace sotto

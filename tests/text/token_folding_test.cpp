#include "text/token_folding.hpp"

#include <random>

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::text;

std::string letters_of(std::string_view token) {
  const auto folded = fold_token(token);
  return folded ? folded->letters : "(none)";
}

struct Case {
  const char* token;
  const char* letters;
};

TEST(TokenFolding, Letters) {
  const Case cases[] = {
      {"Word", "word"},
      {"CAFÉ", "cafe"},
      {"Cafe\u0301", "cafe"},
      {"Stra\u00DFe", "strasse"},
      {"\u00C6on", "aeon"},
      {"\u0141\u00F3d\u017A", "lodz"},
      {"\u00D8ystein", "oystein"},
      {"I\u0307stanbul", "istanbul"},
      {"\uFB01sh", "fish"},
      {"\uFF28\uFF45\uFF4C\uFF4C\uFF4F", "hello"},
      {"\U0001D421\U0001D41E\U0001D425\U0001D425\U0001D428", "hello"},
      {"h\u0336e\u0336l\u0336l\u0336o\u0336", "hello"},
      {"he\u00ADllo", "hello"},
      {"he\u200Dllo\u200B", "hello"},
      {"Don\u2019t", "don't"},
      {"Well\u2011Known", "well-known"},
      {"#Love", "love"},
      {"##love", "love"},
      {"__init__", "init"},
      {"'tis-", "tis"},
      {"a--b", "a-b"},
      {"soooooo", "sooo"},
      {"SoOoOo", "sooo"},
      {"hahahahaha", "haha"},
      {"hahahahah", "hahah"},
      {"coooooooool", "coool"},
      {"p.m.", "pm"},
      {"U.S.A.", "usa"},
      {"\u00E9.\u00E0.", "ea"},
      {"#e.g.", "eg"},
  };
  for (const Case& c : cases) EXPECT_EQ(letters_of(c.token), c.letters) << c.token;
}

TEST(TokenFolding, NoLetters) {
  for (const char* token : {"",
                            "#",
                            "_",
                            "---",
                            "'",
                            "@jack",
                            "me@example.com",
                            "http://t.co/abc",
                            "www.foo.com",
                            "gr8",
                            "2nd",
                            "b\u0664",
                            "привет",
                            "日本語",
                            "h\u0435llo",
                            "नमस्ते",
                            "😀",
                            "❤\uFE0F",
                            "\u0301",
                            "\u200D",
                            "a\uFFFD",
                            "\u2122",
                            "a.b",
                            "Mr.",
                            "a.",
                            ".a.b.",
                            "a.b.c",
                            "a.b..",
                            "ph.d.",
                            "a\xFF",
                            "\xC3",
                            "\xED\xA0\x80",
                            "a b",
                            "a\nb"})
    EXPECT_EQ(letters_of(token), "(none)") << token;
  EXPECT_EQ(letters_of(std::string_view("a\0b", 3)), "(none)");
}

TEST(TokenFolding, DottedAbbreviations) {
  EXPECT_TRUE(fold_token("U.S.")->dotted);
  EXPECT_TRUE(fold_token("P.m.")->part_begins.empty());
  EXPECT_FALSE(fold_token("US")->dotted);
  EXPECT_FALSE(fold_token("#us")->dotted);
}

TEST(TokenFolding, Parts) {
  const auto parts = [](const char* token) {
    const auto folded = fold_token(token).value();
    std::string shown = folded.letters;
    for (auto begin = folded.part_begins.rbegin(); begin != folded.part_begins.rend(); ++begin)
      shown.insert(*begin, "|");
    return shown;
  };
  EXPECT_EQ(parts("ThrowbackThursday"), "throwback|thursday");
  EXPECT_EQ(parts("HTMLParser"), "html|parser");
  EXPECT_EQ(parts("iPhone"), "i|phone");
  EXPECT_EQ(parts("snake_case"), "snake|case");
  EXPECT_EQ(parts("snake__Case_"), "snake|case");
  EXPECT_EQ(parts("LOUD"), "loud");
  EXPECT_EQ(parts("Word"), "word");
  EXPECT_EQ(parts("cafÉcito"), "caf|ecito");
}

TEST(TokenFolding, LengthIsBounded) {
  EXPECT_EQ(letters_of(std::string(1 << 20, 'o')), "ooo");
  EXPECT_EQ(letters_of("z" + std::string(1 << 20, '\'') + "a"), "z'a");
  std::string word;
  for (std::size_t i = 0; i < kMostFoldedLetters; ++i) word += static_cast<char>('a' + i % 26);
  EXPECT_EQ(letters_of(word), word);
  EXPECT_EQ(letters_of(word + "x"), "(none)");
  EXPECT_EQ(letters_of(word + "\u00E6"), "(none)");
}

TEST(TokenFolding, WhateverComesOutIsLettersAndParts) {
  std::mt19937 random(1);
  const std::string_view pieces[] = {"a",  "B", "aa", "xy",     "_",      "-", "'",
                                     "a.", "É", "ß",  "\u0301", "\u200D", "#", "ﬁ"};
  for (int round = 0; round < 20'000; ++round) {
    std::string token;
    for (auto i = random() % 40; i > 0; --i) token += pieces[random() % std::size(pieces)];
    const auto folded = fold_token(token);
    if (!folded) continue;
    ASSERT_FALSE(folded->letters.empty());
    ASSERT_LE(folded->letters.size(), kMostFoldedLetters) << token;
    ASSERT_EQ(folded->letters.find_first_not_of("abcdefghijklmnopqrstuvwxyz'-"), std::string::npos) << token;
    std::size_t before = 0;
    for (const std::uint8_t begin : folded->part_begins) {
      ASSERT_LT(before, begin) << token;
      ASSERT_LT(begin, folded->letters.size()) << token;
      before = begin;
    }
  }
}

}  // namespace
}  // namespace sotto

// Which runs of punctuation pass as punctuation, and which are words outside the vocabulary.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sotto/tokenizer.hpp>

#include "text/token_listing.hpp"
#include "text/token_scanner.hpp"

namespace sotto {
namespace {

using namespace sotto::text;
using Lines = std::vector<std::string>;

/// The number of tokens of each class.
struct Classes {
  int words = 0;
  int punctuation = 0;
  int others = 0;
  bool operator==(const Classes&) const = default;
};

Classes classes_of(const std::string& text) {
  std::vector<Token> slow;
  tokenize_by_code_point(text, slow);
  EXPECT_EQ(listing(text, slow, true), tokens_of(text, true)) << text;
  Classes classes;
  for (const Token& token : slow) {
    classes.words += token.token_class == TokenClass::word || token.token_class == TokenClass::number;
    classes.punctuation += token.token_class == TokenClass::punctuation;
    classes.others += token.token_class == TokenClass::other;
  }
  return classes;
}

// Between blanks, after a word and between words.
TEST(PunctuationRun, EmoticonsAndStringsOfSymbolsAreWordsOutsideTheVocabulary) {
  for (const std::string run :
       {":)",    ":(",  ":-)", ":-(",  ";)",  ";-)",   ":'(", ":]",  ":[", ":/",  ":|",   ":*", ":@",
        "=)",    "=(",  "(:",  "(-:",  "^_^", "-_-",   "*_*", ">:(", "</", "/>",  "/><",  "<>", "#$%^&*",
        "@#$%!", "***", "**",  "$$",   "++",  "##",    "&&",  "||",  "~~", "==",  "^^",   "{}", "=>",
        "->",    "<-",  "<--", ":::",  ",,",  ";;",    "::",  "(.)", "()", "[]",  ":--)", "-)", ":..(",
        "%%",    "%$",  "//",  "\\\\", "://", "(^_^)", "({",  ".:.", "!(", "»:(", "€€"}) {
    EXPECT_EQ(classes_of(" " + run + " "), (Classes{0, 0, 1})) << run;
    EXPECT_EQ(classes_of("nice " + run + " day"), (Classes{2, 0, 1})) << run;
    EXPECT_EQ(classes_of("nice" + run), (Classes{1, 0, 1})) << run;
  }
  // After a word these close something; standing alone they do not.
  for (const std::string run :
       {"--)", "})", "):", ");", "),", ").", ")))", "]:", ",\"", ";\"", ":\"", "...,"}) {
    EXPECT_EQ(classes_of("sad " + run + " day"), (Classes{2, 0, 1})) << run;
  }
  EXPECT_EQ(classes_of("lol)))"), (Classes{1, 0, 1}));
}

TEST(PunctuationRun, OrdinaryPunctuationStaysPunctuation) {
  for (const std::string run : {"...", "?!", "!!!", "--", "---", "\"\"", "''", "``", "....", "?..", "!?!",
                                ".\"", "?'", "(...)", "[...]", "(!)", "(?)", "-----"}) {
    const int size = static_cast<int>(run.size());
    EXPECT_EQ(classes_of("well " + run + " then"), (Classes{2, size, 0})) << run;
    EXPECT_EQ(classes_of("well" + run + " then"), (Classes{2, size, 0})) << run;
  }
  for (const std::string run :
       {"),",  ").",   ");", "):", ".)",  ".\")",  "\").", "!\"", ",\"", ",'\"", "'\"",
        "\"'", "...,", ".,", "))", ")]",  ";--",   ":--",  ",--", "%.",  "%)",   "%),",
        "*,",  "_.",   ">,", "-,", ":\"", "--?\"", ".).",  "!).", "\":", "+,"}) {
    EXPECT_EQ(classes_of("well" + run + " then"), (Classes{2, static_cast<int>(run.size()), 0})) << run;
  }
  for (const std::string run :
       {"(\"", "\"(", "('", "($", "\"$", "(#", "\"#", "(@", ".@", "((", "[(", "(-", "(+", "\"_"}) {
    EXPECT_EQ(classes_of("well " + run + "then"), (Classes{2, static_cast<int>(run.size()), 0})) << run;
  }
  for (const std::string run : {"\"-", ")-", ".-", "-\"", "--\"", "\"--", ")--(", ",\"--", ":$", ".("}) {
    EXPECT_EQ(classes_of("well" + run + "then"), (Classes{2, static_cast<int>(run.size()), 0})) << run;
  }
  EXPECT_EQ(tokens_of("“Yes…”, she said—“no.”"), (Lines{"p:“", "w:Yes", "p:…", "p:”", "p:,", "w:she",
                                                        "w:said", "p:—", "p:“", "w:no", "p:.", "p:”"}));
  EXPECT_EQ(tokens_of("the \"dog\"'s 5€, Brand™."), (Lines{"w:the", "p:\"", "w:dog", "p:\"", "p:'", "w:s",
                                                           "n:5", "p:€", "p:,", "w:Brand", "p:™", "p:."}));
}

TEST(PunctuationRun, HeartsAreWordsAndComparisonsAreNot) {
  EXPECT_EQ(tokens_of("I <3 you"), (Lines{"w:I", "o:<3", "w:you"}));
  EXPECT_EQ(tokens_of("<3."), (Lines{"o:<3", "p:."}));
  EXPECT_EQ(tokens_of("<3_"), (Lines{"o:<3", "p:_"}));
  EXPECT_EQ(tokens_of("<3 <3"), (Lines{"o:<3", "o:<3"}));
  EXPECT_EQ(tokens_of("x<3 <30 <3.5 <3rd <3_a"),
            (Lines{"w:x", "p:<", "n:3", "p:<", "n:30", "p:<", "n:3.5", "p:<", "o:3rd", "p:<", "o:3_a"}));
  EXPECT_EQ(tokens_of("<3@x.com"), (Lines{"p:<", "o:3@x.com"}));
}

TEST(PunctuationRun, OffsetsAreThoseOfTheRun) {
  const std::string text = "ab :-) é:)z ...";
  std::vector<Token> tokens;
  tokenize(text, tokens);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> borders;
  for (const Token& token : tokens) borders.emplace_back(token.begin, token.end);
  EXPECT_EQ(borders, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                         {0, 2}, {3, 6}, {7, 9}, {9, 11}, {11, 12}, {13, 14}, {14, 15}, {15, 16}}));
  EXPECT_EQ(tokens_of(text), (Lines{"w:ab", "o::-)", "w:é", "o::)", "w:z", "p:.", "p:.", "p:."}));
  EXPECT_TRUE(tokens[1].ascii);
}

// Such a run is not punctuation: it neither ends a sentence nor lets one end before it, but it begins one.
TEST(PunctuationRun, SentencesSeeAWord) {
  EXPECT_EQ(tokens_of("Hi. :) you", true), (Lines{"*w:Hi", "p:.", "*o::)", "w:you"}));
  EXPECT_EQ(tokens_of("Hi :). You", true), (Lines{"*w:Hi", "o::).", "w:You"}));
  EXPECT_EQ(tokens_of("Hi!!! You", true), (Lines{"*w:Hi", "p:!", "p:!", "p:!", "*w:You"}));
}

}  // namespace
}  // namespace sotto

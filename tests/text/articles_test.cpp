#include "text/articles.hpp"

#include <vector>

#include <gtest/gtest.h>

#include <sotto/tokenizer.hpp>

namespace sotto {
namespace {

using namespace sotto::text;

TEST(Articles, WordsThatTakeAn) {
  for (const char* word :
       {"apple",   "Apple",      "old",         "hour",         "Hours",    "honest", "honorable", "heir",
        "heiress", "uncle",      "unimportant", "unidentified", "umbrella", "utter",  "usher",     "only",
        "onion",   "onerous",    "FBI",         "NBA",          "MTV",      "HTML",   "x-ray",     "s",
        "F",       "\u00e9lite", "\u00c9tude",  "us",           "\u00fcber"})
    EXPECT_TRUE(takes_an(word)) << word;
}

TEST(Articles, WordsThatTakeA) {
  for (const char* word :
       {"dog",      "house", "hotel", "university", "union", "unit", "use",     "useful",    "usual",
        "European", "euro",  "one",   "one-way",    "once",  "ewe",  "utility", "Ukrainian", "UFO",
        "UK",       "USA",   "NASA",  "TV",         "DVD",   "u",    "B",       "EU's"})
    EXPECT_FALSE(takes_an(word)) << word;
}

TEST(Articles, Numbers) {
  for (const char* number : {"8", "80", "85", "800", "8,000", "8.5", "11", "18", "11.5", "11,000", "18000",
                             "1856", "1100", "11-year"})
    EXPECT_TRUE(takes_an(number)) << number;
  for (const char* number : {"1", "7", "10", "12", "110", "118", "1,800", "180", "0.8", "900", "1956"})
    EXPECT_FALSE(takes_an(number)) << number;
}

std::string agreed(const std::string& text) {
  std::vector<Token> tokens;
  tokenize(text, tokens);
  std::vector<std::size_t> ends;
  for (const Token& token : tokens)
    if (ends_in_article(std::string_view(text).substr(token.begin, token.end - token.begin)))
      ends.push_back(token.end);
  OutputBuffer out;
  out.append(text);
  agree_articles(out, ends);
  return std::string(out.view());
}

TEST(Articles, Agree) {
  EXPECT_EQ(agreed("a apple, an dog and a  old cat; An dog. A apple"),
            "an apple, a dog and an  old cat; A dog. An apple");
  EXPECT_EQ(agreed("a apple an dog"), "an apple a dog");
  EXPECT_EQ(agreed("an a old a"), "an an old a") << "the next word as it was drawn";
  EXPECT_EQ(agreed("a 8, an 7"), "an 8, a 7");
  EXPECT_EQ(agreed("an U.S. a e.g. an p.m. a F.B.I. an u.k. a a.m."),
            "a U.S. an e.g. a p.m. an F.B.I. a u.k. an a.m.");
  EXPECT_EQ(agreed("AN DOG"), "A DOG");
}

TEST(Articles, StayWhereNoWordFollows) {
  for (const char* text :
       {"a", "an", "an.", "a, old", "an\ndog", "a\nold", "an \"dog\"", "a (old)", "an ", "a-old",
        "an \xE2\x80\x94 dog", "a \xF0\x9F\x98\x80", "an \xE5\x8C\x97", "b an\r\ndog"})
    EXPECT_EQ(agreed(text), text);
}

TEST(Articles, AreFoundAtTheEndOfPhrases) {
  for (const char* text : {"a", "An", "AN", "such a", "it was an"})
    EXPECT_TRUE(ends_in_article(text)) << text;
  for (const char* text : {"", "at", "ban", "a lot", "and", "n", "a ", "pizza"})
    EXPECT_FALSE(ends_in_article(text)) << text;
}

}  // namespace
}  // namespace sotto

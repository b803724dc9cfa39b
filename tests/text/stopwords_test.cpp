#include <string>

#include <gtest/gtest.h>

#include <sotto/tokenizer.hpp>

namespace sotto {
namespace {

TEST(Stopwords, FunctionWordsAreStopwords) {
  for (const char* word : {"i", "a", "the", "of", "and", "is", "not", "you", "themselves", "yourselves",
                           "don't", "isn't", "shouldn't", "it's", "they're", "with", "because", "just"})
    EXPECT_TRUE(is_stopword(word)) << word;
}

TEST(Stopwords, OthersAreNot) {
  for (const char* word : {"", "dog", "pizza", "The", "DON'T", "themselvess", "th", "thee", "don’t", "'", "t",
                           "dont", "a very long word indeed"})
    EXPECT_FALSE(is_stopword(word)) << word;
}

TEST(Stopwords, ABoundedNumberOfShortStrings) {
  // All strings of one and two letters: the list has no accidental members.
  std::string found;
  for (char a = 'a'; a <= 'z'; ++a) {
    if (is_stopword(std::string{a})) found += std::string{a} + ' ';
    for (char b = 'a'; b <= 'z'; ++b)
      if (is_stopword(std::string{a, b})) found += std::string{a, b} + ' ';
  }
  EXPECT_EQ(found, "a am an as at be by do he i if in is it me my no of on or so to up us we ");
}

}  // namespace
}  // namespace sotto

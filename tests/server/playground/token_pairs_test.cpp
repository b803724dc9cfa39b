#include "playground/token_pairs.hpp"

#include <string>

#include <gtest/gtest.h>

namespace sotto::server {
namespace {

std::optional<std::vector<std::string>> matched(std::string_view input, std::string_view output) {
  return matching_tokens(input, text_tokens(input), output);
}

TEST(TextTokens, CountsInUtf16CodeUnits) {
  const std::string text = "Ünï \U0001F600 x";
  const auto tokens = text_tokens(text);
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[0].end, 3U);
  EXPECT_EQ(tokens[1].begin, 4U);
  EXPECT_EQ(tokens[1].end, 6U);  // a surrogate pair
  EXPECT_EQ(tokens[2].begin, 7U);
}

TEST(TextTokens, KnowTheirSentences) {
  const auto tokens = text_tokens("One. Two three.");
  ASSERT_EQ(tokens.size(), 5U);
  EXPECT_EQ(tokens[0].sentence, 0U);
  EXPECT_EQ(tokens[3].sentence, 1U);
}

TEST(MatchingTokens, PairsEveryTokenWithItsOutput) {
  const auto outputs = matched("The doctor met Anna, twice.", "In physician met Maria, once.");
  ASSERT_TRUE(outputs);
  EXPECT_EQ(*outputs, (std::vector<std::string>{"In", "physician", "met", "Maria", ",", "once", "."}));
}

TEST(MatchingTokens, RefusesAnOutputOfAnotherShape) {
  EXPECT_FALSE(matched("one two", "one"));
  EXPECT_FALSE(matched("one two three", "one, two"));  // as many tokens, but others
  EXPECT_FALSE(matched("one two\nthree", "one\ntwo three"));
  EXPECT_FALSE(matched("one. Two!", "one! Two."));
}

TEST(MatchingTokens, AcceptsWordsThatWereSeparated) {
  const auto outputs = matched("</b", "lobbyist Gomez");
  ASSERT_TRUE(outputs);
  EXPECT_EQ(outputs->front(), "lobbyist");
}

TEST(Folded, IgnoresCaseAndTypographicApostrophes) {
  EXPECT_EQ(folded("Don\u2019t"), "don't");
  EXPECT_EQ(folded("\u00DCNI"), folded("\u00FCni"));
  EXPECT_EQ(folded(""), "");
}

}  // namespace
}  // namespace sotto::server

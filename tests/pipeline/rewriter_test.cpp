// GCC 12 with sanitizers mistakes std::regex's own states for uninitialized.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "support/pipeline_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

using Rewriter = PipelineTest;

std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST_F(Rewriter, StrictLetsNoWordThrough) {
  Counts counts;
  const std::string text =
      "Zanzibar 4929123412341234 jane@example.com https://x.org/a?b caf\u00e9 \U0001F600 B2B \u5317\u4eac";
  const std::string out = rewrite(text, options(), &counts);
  EXPECT_EQ(split(out).size(), 8U) << out;
  for (const std::string& word : split(text)) EXPECT_EQ(out.find(word), std::string::npos) << out;
  EXPECT_EQ(counts.statistics.outside(), 7U);
  EXPECT_GE(counts.statistics.uniform, 5U)
      << "an address, a link, an emoji, letters and digits, another script";
  EXPECT_EQ(counts.statistics.bottom, 0U);
  EXPECT_EQ(counts.privatized, 7U);
  EXPECT_EQ(counts.randomized_numbers, 1U);
  EXPECT_EQ(counts.clear_oov + counts.clear_numbers + counts.clear_stopwords, 0U);
}

TEST_F(Rewriter, BottomIsOneInputForAllOfThem) {
  PrivatizeOptions bottom = options(1e6);
  bottom.policy.oov = OovPolicy::bottom;
  Counts counts;
  const std::vector<std::string> words =
      split(rewrite("the caf\u00e9 jane@example.com B2B \u5317\u4eac zzqxkjv", bottom, &counts));
  EXPECT_LE(std::set<std::string>(words.begin() + 1, words.end()).size(), 2U) << "the middle of either list";
  EXPECT_EQ(counts.statistics.bottom, 5U);
  EXPECT_EQ(counts.statistics.uniform, 0U);
}

TEST_F(Rewriter, CapitalisedWordsAreInTheVocabulary) {
  Counts counts;
  rewrite("Soup SOUP soup Don\u2019t", options(), &counts);
  EXPECT_EQ(counts.statistics.outside(), 0U);
  EXPECT_EQ(counts.words, 4U);
}

TEST_F(Rewriter, OutputsAreVocabularyWordsAndTheSkeletonStays) {
  const std::string out = rewrite("  The soup,\twas (cold) - 12.5%!  ", options(0.1));
  EXPECT_TRUE(std::regex_match(
      out, std::regex("  [A-Z][a-z']+ [a-z']+,\t[a-z']+ \\([a-z']+\\) - [0-9]{2}\\.[0-9]%!  ")))
      << out;
  for (const char* word : {"soup,", "(cold)"}) EXPECT_EQ(out.find(word), std::string::npos) << out;
}

TEST_F(Rewriter, CapitalsFollowThePosition) {
  const std::string out = rewrite("THE Soup. was COLD? Waiter", options(0.1));
  EXPECT_TRUE(
      std::regex_match(out, std::regex("[A-Z][a-z']* [a-z'I]+\\. [A-Z][a-z']* [a-z'I]+\\? [A-Z][a-z']*")))
      << out;
  PrivatizeOptions keep = options(0.1);
  keep.policy.letter_case = CasePolicy::keep;
  EXPECT_TRUE(std::regex_match(rewrite("THE Soup was", keep), std::regex("[A-Z']+ [A-Z][a-z']* [a-z']+")));
  PrivatizeOptions lower = options(0.1);
  lower.policy.letter_case = CasePolicy::lower;
  EXPECT_TRUE(std::regex_match(rewrite("THE Soup was", lower), std::regex("[a-z']+ [a-z']+ [a-z']+")));
}

TEST_F(Rewriter, ThePronounIsACapital) {
  const std::string out = rewrite("was i i i", options(1e6));  // so little noise that words stay
  EXPECT_EQ(out, "Was I I I");
}

TEST_F(Rewriter, PaperKeepsWhatThePapersKeepAndCountsIt) {
  PrivatizeOptions paper = options(0.1);
  paper.policy = Policy::paper();
  Counts counts;
  const std::string out = rewrite("the Zanzibar soup 42!", paper, &counts);
  EXPECT_TRUE(std::regex_match(out, std::regex("the Zanzibar [a-z']+ 42!"))) << out;
  EXPECT_EQ(counts.clear_stopwords, 1U);
  EXPECT_EQ(counts.clear_oov, 1U);
  EXPECT_EQ(counts.clear_numbers, 1U);
  EXPECT_EQ(counts.clear_punctuation, 1U);
  EXPECT_EQ(counts.privatized, 1U);
}

TEST_F(Rewriter, DroppedTokensAreGoneAndCounted) {
  PrivatizeOptions drop = options(0.1);
  drop.policy.oov = OovPolicy::drop;
  drop.policy.numbers = NumberPolicy::drop;
  drop.policy.punctuation = PunctuationPolicy::drop;
  Counts counts;
  const std::string out = rewrite("Zanzibar soup, 42 cold!", drop, &counts);
  EXPECT_TRUE(std::regex_match(out, std::regex("[A-Za-z']+ [a-z']+"))) << out;
  EXPECT_EQ(counts.dropped, 4U);
}

TEST_F(Rewriter, InvalidUtf8IsReplacedAndCounted) {
  Counts counts;
  const std::string out = rewrite("soup \xff\xfe cold", options(), &counts);
  EXPECT_EQ(counts.statistics.invalid_utf8, 2U);
  EXPECT_EQ(out.find('\xff'), std::string::npos);
  EXPECT_EQ(split(out).size(), 3U);
}

TEST_F(Rewriter, NumbersGetFreshDigits) {
  const std::string out = rewrite("1111111111111111111111111111111111111111", options());
  EXPECT_EQ(out.size(), 40U);
  EXPECT_NE(out, std::string(40, '1'));
  EXPECT_EQ(out.find_first_not_of("0123456789"), std::string::npos);
}

TEST_F(Rewriter, LimitsAndBinaryAreRefused) {
  PrivatizeOptions small = options();
  small.max_document_bytes = 4;
  const auto privatizer = Privatizer::make(small).value();
  Counts counts;
  EXPECT_EQ(privatizer->privatize({"", "1", ""}, "12345", counts).error().code, Errc::limit);
  EXPECT_EQ(privatizer->privatize({"", "1", ""}, std::string_view("a\0b", 3), counts).error().code,
            Errc::bad_format);
}

TEST_F(Rewriter, EmptyAndBlankTextsPassThrough) {
  EXPECT_EQ(rewrite("", options()), "");
  EXPECT_EQ(rewrite(" \t ", options()), " \t ");
}

}  // namespace
}  // namespace sotto

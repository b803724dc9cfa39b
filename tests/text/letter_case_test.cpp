#include "text/letter_case.hpp"

#include <string>

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::text;

std::string in_case(std::string_view word, CasePattern pattern) {
  OutputBuffer out;
  append_in_case(out, word, pattern);
  return std::string(out.view());
}

TEST(LetterCase, Lower) {
  EXPECT_EQ(to_lower(""), "");
  EXPECT_EQ(to_lower("DON'T Stop-NOW 42"), "don't stop-now 42");
  EXPECT_EQ(to_lower("ÀÉÎ ŁÓDŹ ΑΒΓ ЖУК 日本"), "àéî łódź αβγ жук 日本");
  std::string all;
  std::string expected;
  for (int c = 0; c < 128; ++c) {
    all += static_cast<char>(c);
    expected += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  for (std::size_t from = 0; from < 9; ++from) EXPECT_EQ(to_lower(all.substr(from)), expected.substr(from));
}

TEST(LetterCase, LookupForm) {
  EXPECT_EQ(lookup_form("Don't"), "don't");
  EXPECT_EQ(lookup_form("DON’T"), "don't");
  EXPECT_EQ(lookup_form("Well\u2011Known\u2010Man"), "well-known-man");
  EXPECT_EQ(lookup_form("Cafe\u0301"), "café");
  EXPECT_EQ(lookup_form("CAFÉ"), "café");
  EXPECT_EQ(lookup_form("\xFF"), "\uFFFD");
}

TEST(LetterCase, Patterns) {
  EXPECT_EQ(case_pattern("word"), CasePattern::lower);
  EXPECT_EQ(case_pattern("Word"), CasePattern::capitalized);
  EXPECT_EQ(case_pattern("WORD"), CasePattern::upper);
  EXPECT_EQ(case_pattern("I"), CasePattern::capitalized);
  EXPECT_EQ(case_pattern("I'M"), CasePattern::upper);
  EXPECT_EQ(case_pattern("iPhone"), CasePattern::lower);
  EXPECT_EQ(case_pattern("McDonald"), CasePattern::capitalized);
  EXPECT_EQ(case_pattern("42"), CasePattern::lower);
  EXPECT_EQ(case_pattern("3D"), CasePattern::capitalized);
  EXPECT_EQ(case_pattern("Éclair"), CasePattern::capitalized);
  EXPECT_EQ(case_pattern("ÉTÉ"), CasePattern::upper);
  EXPECT_EQ(case_pattern(""), CasePattern::lower);
  EXPECT_EQ(case_pattern("日本"), CasePattern::lower);
}

TEST(LetterCase, PatternsAreApplied) {
  EXPECT_EQ(in_case("dog", CasePattern::lower), "dog");
  EXPECT_EQ(in_case("dog", CasePattern::capitalized), "Dog");
  EXPECT_EQ(in_case("dog", CasePattern::upper), "DOG");
  EXPECT_EQ(in_case("élan", CasePattern::capitalized), "Élan");
  EXPECT_EQ(in_case("élan", CasePattern::upper), "ÉLAN");
  EXPECT_EQ(in_case("ǆep", CasePattern::capitalized), "ǅep");
  EXPECT_EQ(in_case("", CasePattern::capitalized), "");
  EXPECT_EQ(in_case("'s", CasePattern::capitalized), "'s");
  EXPECT_EQ(in_case("3d", CasePattern::upper), "3D");
}

}  // namespace
}  // namespace sotto

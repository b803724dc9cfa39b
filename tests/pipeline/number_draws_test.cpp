// Numbers: what an observer could try to read from their digits, and whether they read as numbers.
#include "pipeline/rewrite/number_draws.hpp"

#include <set>

#include <gtest/gtest.h>

#include "random/bit_sources.hpp"
#include "support/pipeline_fixture.hpp"
#include "support/scripted_bit_source.hpp"
#include "support/statistics.hpp"

namespace sotto {
namespace {

using namespace sotto::pipeline;
using namespace sotto::testing;

/// The text with other digits, everything else kept.
std::string drawn(const std::string& text, BitSource& bits) {
  PlannedText planned;
  planned.text = text;
  tokenize(text, planned.tokens);
  Counts counts;
  for (std::size_t i = 0; i < planned.tokens.size(); ++i)
    if (planned.tokens[i].token_class == TokenClass::number) plan_number({}, planned, i, counts);
  draw_numbers(bits, planned);
  std::string result = text;
  const char* digit = planned.digits.data();
  for (const std::uint32_t number : planned.numbers)
    for (std::size_t at = planned.tokens[number].begin; at < planned.tokens[number].end; ++at)
      if (is_digit(result[at])) result[at] = *digit++;
  EXPECT_EQ(digit, planned.digits.data() + planned.digits.size());
  return result;
}

std::string drawn(const std::string& text, std::uint64_t seed) {
  random::ChaChaBitSource bits(random::key_from_seed(seed));
  return drawn(text, bits);
}

/// All outputs for a text that draws one integer below `bound`, which makes each of them equally likely.
std::set<std::string> all_outputs(const std::string& text, std::uint64_t bound) {
  std::set<std::string> outputs;
  const unsigned __int128 all = static_cast<unsigned __int128>(1) << 64;
  for (std::uint64_t i = 0; i < bound; ++i) {
    // The middle of the words that give i.
    ScriptedBitSource bits({static_cast<std::uint64_t>((all * i + all / 2) / bound)});
    outputs.insert(drawn(text, bits));
    EXPECT_EQ(bits.words_drawn(), 1U);
  }
  EXPECT_EQ(outputs.size(), bound) << text;
  return outputs;
}

int value(const std::string& text, std::size_t begin, std::size_t size) {
  return std::stoi(text.substr(begin, size));
}

bool is_valid_date(int year, int month, int day) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year == 2000);
  return year >= 1900 && year <= 2099 && month >= 1 && month <= 12 && day >= 1 &&
         day <= kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

TEST(NumberDraws, OnlyTheShapeMatters) {
  // Values that no time or date has, leading zeros, real dates: one shape, one output.
  const std::vector<std::vector<std::string>> shapes = {
      {"7:30", "0:00", "9:99", "1:61"},
      {"12:30", "00:00", "99:99", "24:60"},
      {"12:30:15", "00:00:00", "77:88:99"},
      {"2024-02-29", "2023-02-31", "0000-00-00", "9999-99-99"},
      {"31/12/1999", "12/31/1999", "00/00/0000", "99/99/9999"},
      {"1.5.2020", "0.0.0000", "9.9.9999"},
      {"10", "01", "00", "99"},
      {"3.14", "0.00", "0.99"},
      {"1,234,567", "0,000,000"},
      {"9-12:30", "0-99:99"},
  };
  for (const auto& inputs : shapes)
    for (std::uint64_t seed = 0; seed < 50; ++seed)
      for (const std::string& input : inputs)
        EXPECT_EQ(drawn(input, seed), drawn(inputs.front(), seed)) << input;
}

TEST(NumberDraws, NeighbouringWordsDoNotMatter) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::string april = drawn("on 34 april 0528 at 7:80 pm", seed);
    const std::string other = drawn("on 12 zebra 1999 at 3:15 xx", seed);
    EXPECT_EQ(april.substr(0, 5), other.substr(0, 5));
    EXPECT_EQ(april.substr(12, 12), other.substr(12, 12)) << april << " | " << other;
  }
}

TEST(NumberDraws, TimesAreUniform) {
  struct TimeShape {
    std::string text;
    std::size_t hour_digits;
    std::uint64_t count;
  };
  for (const auto& [text, hour_digits, count] :
       {TimeShape{"9:99", 1, 600}, {"99:99", 2, 1440}, {"9:99:99", 1, 36000}, {"99:99:99", 2, 86400}})
    for (const std::string& time : all_outputs(text, count)) {
      EXPECT_LT(value(time, 0, hour_digits), 24) << time;
      EXPECT_LT(value(time, hour_digits + 1, 2), 60) << time;
      EXPECT_LT(value(time, time.size() - 2, 2), 60) << time;
    }
}

TEST(NumberDraws, DatesAreUniform) {
  constexpr std::uint64_t kDays = 200 * 365 + 49;  // 1900 is no leap year, 2000 is
  for (const std::string separator : {"-", "/", "."})
    for (const std::string& date : all_outputs("9999" + separator + "99" + separator + "99", kDays))
      EXPECT_TRUE(is_valid_date(value(date, 0, 4), value(date, 5, 2), value(date, 8, 2))) << date;
  for (const std::string& date : all_outputs("99/99/9999", kDays))
    EXPECT_TRUE(is_valid_date(value(date, 6, 4), value(date, 3, 2), value(date, 0, 2))) << date;
}

TEST(NumberDraws, DatesWithOneDigitFit) {
  for (const std::string& date : all_outputs("9/99/9999", 200 * 12 * 9))
    EXPECT_TRUE(is_valid_date(value(date, 5, 4), value(date, 2, 2), value(date, 0, 1))) << date;
  for (const std::string& date : all_outputs("9.9.9999", 200 * 9 * 9))
    EXPECT_TRUE(is_valid_date(value(date, 4, 4), value(date, 2, 1), value(date, 0, 1))) << date;
  constexpr std::uint64_t kToSeptember = 200 * (365 - 92) + 49;
  for (const std::string& date : all_outputs("99/9/9999", kToSeptember))
    EXPECT_TRUE(is_valid_date(value(date, 5, 4), value(date, 3, 1), value(date, 0, 2))) << date;
  for (const std::string& date : all_outputs("9999-9-99", kToSeptember))
    EXPECT_TRUE(is_valid_date(value(date, 0, 4), value(date, 5, 1), value(date, 7, 2))) << date;
  for (const std::string& date : all_outputs("9999-9-9", 200 * 9 * 9))
    EXPECT_TRUE(is_valid_date(value(date, 0, 4), value(date, 5, 1), value(date, 7, 1))) << date;
}

// Chains that are longer, mixed or interrupted by blanks are numbers by themselves.
TEST(NumberDraws, WhatIsNoTimeOrDate) {
  const random::Key key = random::key_from_seed(1);
  for (const std::string text : {"12:30:45:50", "1:2", "123:45", "12/12/12", "12-34-5678-9", "1.2.3.2020",
                                 "12: 30", "12 :30", "2020-12-1,5", "10.12:2020", "12/12-2020"}) {
    random::ChaChaBitSource first(key), second(key);
    std::string alone = drawn(text, first);
    std::string expected = text;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (expected[i] == ':' || expected[i] == '-' || expected[i] == '/') expected[i] = ' ';
    expected = drawn(expected, second);
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (!is_digit(expected[i])) expected[i] = text[i];
    EXPECT_EQ(alone, expected) << text;
  }
}

// n = 200,000 numbers of three digits; α = 1e-6 for each of the three tests.
TEST(NumberDraws, OtherNumbersBeginWithoutZero) {
  constexpr int kNumbers = 200'000;
  std::string text;
  for (int i = 0; i < kNumbers; ++i) text += "0.00 ";
  const std::string output = drawn(text, 7);
  std::vector<std::uint64_t> first(9), second(10), third(10);
  for (std::size_t i = 0; i < output.size(); i += 5) {
    ++first.at(static_cast<std::size_t>(output[i] - '1'));
    ++second.at(static_cast<std::size_t>(output[i + 2] - '0'));
    ++third.at(static_cast<std::size_t>(output[i + 3] - '0'));
  }
  SOTTO_EXPECT_PASSES(chi_squared_test(first, std::vector<double>(9, 1.0 / 9), 1e-6));
  SOTTO_EXPECT_PASSES(chi_squared_test(second, std::vector<double>(10, 0.1), 1e-6));
  SOTTO_EXPECT_PASSES(chi_squared_test(third, std::vector<double>(10, 0.1), 1e-6));
}

TEST(NumberDraws, OneDigitMayBeZero) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 400; ++seed) seen.insert(drawn("5", seed));
  EXPECT_EQ(seen.size(), 10U);
}

}  // namespace
}  // namespace sotto

#include "text/utf8.hpp"

#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <sotto/tokenizer.hpp>

namespace sotto {
namespace {

using namespace sotto::text;

std::string repaired(std::string_view text, std::uint64_t expected_count) {
  std::uint64_t count = 0;
  std::string result = replace_invalid_utf8(text, count);
  EXPECT_EQ(count, expected_count) << text;
  EXPECT_TRUE(is_valid_utf8(result));
  return result;
}

/// All scalar values as UTF-8, encoded without the code under test.
std::set<std::string> encodings(char32_t first, char32_t last) {
  std::set<std::string> result;
  for (char32_t v = first; v <= last; ++v) {
    if (v >= 0xD800 && v <= 0xDFFF) continue;
    std::string s;
    if (v >= 0x10000) {
      s += static_cast<char>(0xF0 + v / 0x40000);
      s += static_cast<char>(0x80 + v / 0x1000 % 0x40);
    } else if (v >= 0x800) {
      s += static_cast<char>(0xE0 + v / 0x1000);
    }
    if (v >= 0x800) s += static_cast<char>(0x80 + v / 0x40 % 0x40);
    if (v >= 0x80 && v < 0x800) s += static_cast<char>(0xC0 + v / 0x40);
    s += static_cast<char>(v < 0x80 ? v : 0x80 + v % 0x40);
    result.insert(s);
  }
  return result;
}

TEST(Utf8, TwoByteSequencesExhaustively) {
  const std::set<std::string> valid = encodings(0x80, 0x7FF);
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b) {
      const std::string s{static_cast<char>(a), static_cast<char>(b)};
      ASSERT_EQ(is_valid_utf8(s), (a < 0x80 && b < 0x80) || valid.contains(s)) << a << ' ' << b;
    }
}

TEST(Utf8, ThreeByteSequencesExhaustively) {
  const std::set<std::string> valid = encodings(0x800, 0xFFFF);
  std::size_t count = 0;
  for (int a = 0xE0; a < 0x100; ++a)
    for (int b = 0; b < 256; ++b)
      for (int c = 0; c < 256; ++c) {
        const std::string s{static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)};
        if (!is_valid_utf8(s)) continue;
        ++count;
        ASSERT_TRUE(valid.contains(s)) << a << ' ' << b << ' ' << c;
      }
  EXPECT_EQ(count, valid.size());
}

TEST(Utf8, FourByteSequencesAtTheEdges) {
  const std::set<std::string> valid = encodings(0x10000, 0x10FFFF);
  EXPECT_EQ(valid.size(), 0x100000U);
  for (const int a : {0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFF})
    for (int b = 0; b < 256; ++b)
      for (const int c : {0x00, 0x7F, 0x80, 0x9C, 0xBF, 0xC0, 0xFF})
        for (const int d : {0x00, 0x7F, 0x80, 0xA5, 0xBF, 0xC0, 0xFF}) {
          const std::string s{static_cast<char>(a), static_cast<char>(b), static_cast<char>(c),
                              static_cast<char>(d)};
          const bool three_and_ascii =
              d < 0x80 && a == 0xEF && b >= 0x80 && b < 0xC0 && c >= 0x80 && c < 0xC0;
          ASSERT_EQ(is_valid_utf8(s), valid.contains(s) || three_and_ascii)
              << a << ' ' << b << ' ' << c << ' ' << d;
        }
}

TEST(Utf8, EncodingAndDecodingAreInverse) {
  for (char32_t v = 0; v <= 0x10FFFF; ++v) {
    if (v >= 0xD800 && v <= 0xDFFF) continue;
    const EncodedCodePoint encoded = encode_utf8(v);
    const CodePoint decoded = decode_utf8(encoded.view(), 0);
    ASSERT_TRUE(decoded.valid);
    ASSERT_EQ(decoded.value, v);
    ASSERT_EQ(decoded.size, encoded.size);
  }
}

TEST(Utf8, InvalidBytesAreFoundAtEveryDistanceFromTheEnd) {
  for (std::size_t size = 1; size < 100; ++size)
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'x');
      ASSERT_TRUE(is_valid_utf8(text));
      ASSERT_EQ(ascii_prefix(text, 0), size);
      text[at] = '\xBF';
      ASSERT_FALSE(is_valid_utf8(text));
      ASSERT_EQ(ascii_prefix(text, 0), at);
      ASSERT_EQ(repaired(text, 1), std::string(at, 'x') + "\uFFFD" + std::string(size - at - 1, 'x'));
    }
}

TEST(Utf8, EachMaximalSubpartIsReplacedOnce) {
  EXPECT_EQ(repaired("plain, naïve and 😀", 0), "plain, naïve and 😀");
  EXPECT_EQ(repaired("", 0), "");
  EXPECT_EQ(repaired("a\xE1\xA0 b", 1), "a\uFFFD b");            // cut short
  EXPECT_EQ(repaired("a\xF0\x9F\x98", 1), "a\uFFFD");            // cut short by the end
  EXPECT_EQ(repaired("\xC0\xAF", 2), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(repaired("\xE0\x80\xAF", 3), "\uFFFD\uFFFD\uFFFD");  // overlong: the second byte cannot follow
  EXPECT_EQ(repaired("\xED\xA0\x80", 3), "\uFFFD\uFFFD\uFFFD");  // surrogate
  EXPECT_EQ(repaired("\xF4\x90\x80\x80", 4), "\uFFFD\uFFFD\uFFFD\uFFFD");  // above U+10FFFF
  EXPECT_EQ(repaired("\xFE\xFF", 2), "\uFFFD\uFFFD");
  // The example of the Unicode Standard, table 3-11.
  EXPECT_EQ(repaired("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", 4), "\uFFFD\uFFFD\uFFFD\uFFFDA");
  EXPECT_EQ(repaired("\xC2\xC3\xA9", 1), "\uFFFDé");
}

TEST(Utf8, TheCountIsIncreased) {
  std::uint64_t count = 5;
  replace_invalid_utf8("\xFF", count);
  EXPECT_EQ(count, 6U);
}

TEST(Utf8, RandomBytesBecomeValid) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 3 == 0 ? random() % 128 : random());
    std::uint64_t count = 0;
    const std::string text = replace_invalid_utf8(bytes, count);
    ASSERT_TRUE(is_valid_utf8(text));
    ASSERT_EQ(count == 0, is_valid_utf8(bytes));
    if (count == 0) {
      ASSERT_EQ(text, bytes);
    }
    ASSERT_EQ(replace_invalid_utf8(text, count), text);
  }
}

}  // namespace
}  // namespace sotto

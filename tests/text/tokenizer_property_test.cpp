// Properties on random text, from fixed seeds: nothing slips between tokens, and both code paths find the
// same tokens.
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sotto/tokenizer.hpp>

#include "text/byte_masks.hpp"
#include "text/token_listing.hpp"
#include "text/token_scanner.hpp"

namespace sotto {
namespace {

using namespace sotto::text;
using Pieces = std::vector<std::string>;

/// An independent list of what may separate tokens.
const Pieces kWhitespace = {" ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u00A0", "\u1680",
                            "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007",
                            "\u2008", "\u2009", "\u200A", "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"};

bool is_whitespace(std::string_view gap) {
  while (!gap.empty()) {
    const auto blank = std::find_if(kWhitespace.begin(), kWhitespace.end(),
                                    [gap](const std::string& s) { return gap.starts_with(s); });
    if (blank == kWhitespace.end()) return false;
    gap.remove_prefix(blank->size());
  }
  return true;
}

void expect_complete(std::string_view text, const std::vector<Token>& tokens) {
  std::size_t position = 0;
  for (const Token& token : tokens) {
    ASSERT_LE(position, token.begin) << text;
    ASSERT_LT(token.begin, token.end) << text;
    ASSERT_LE(token.end, text.size()) << text;
    ASSERT_TRUE(is_whitespace(text.substr(position, token.begin - position))) << text;
    const std::string_view bytes = text.substr(token.begin, token.end - token.begin);
    ASSERT_EQ(token.ascii, std::all_of(bytes.begin(), bytes.end(), [](char c) { return (c & 0x80) == 0; }))
        << text;
    for (const std::string& blank : kWhitespace) ASSERT_EQ(bytes.find(blank), std::string_view::npos) << text;
    ASSERT_FALSE(token.token_class == TokenClass::punctuation && token.starts_sentence) << text;
    position = token.end;
  }
  ASSERT_TRUE(is_whitespace(text.substr(position))) << text;
}

void expect_both_paths_agree(std::string_view text) {
  static std::vector<Token> fast;  // reused on purpose
  std::vector<Token> slow;
  tokenize(text, fast);
  tokenize_by_code_point(text, slow);
  ASSERT_EQ(listing(text, fast, true), listing(text, slow, true)) << text;
  for (std::size_t i = 0; i < fast.size(); ++i) ASSERT_EQ(fast[i].begin, slow[i].begin) << text;
  expect_complete(text, fast);
}

std::string random_text(std::mt19937_64& random, const Pieces& pieces, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += pieces[random() % pieces.size()];
  return text;
}

const Pieces kAsciiPieces = {"a",    "B",    "z",   "Z",    "w",     "www.",  "word",     "longer", "0",
                             "9",    "12",   " ",   " ",    "  ",    "\n",    "\t",       "'",      "-",
                             ".",    ",",    "!",   "?",    "\"",    ")",     "(",        "]",      ":",
                             ";",    "/",    "://", "_",    "@",     "...",   ". ",       ".) ",    "!\" ",
                             "\n\n", "\r\n", "&",   "\x01", "it's ", "e.g. ", "1,234.5 ", "b."};

const Pieces kPlainPieces = {"a",  "word", "the ", "of ",  "longer", "12",   "3.5 ", " ",   " ",
                             ", ", ". ",   "! ",   ".\" ", "'",      "-",    "--",   "'s ", ") ",
                             " (", "\n",   "\n\n", "?",    ";",      "p.m.", "U.S. "};

const Pieces kUnicodePieces = {
    "a",      "Word",   " ",      " ",      ". ",     "\n",     "é",  "e\u0301",  "ß",  "ж",      "日本",
    "م",      "\u200D", "\u200C", "\u200B", "\uFE0F", "\u20E3", "😀",  "👍🏽", "🇩🇪", "\u00A0", "\u2003",
    "\u3000", "\u2029", "’",      "“",      "”",      "…",      "—",  "‑",        "©",  "1",      "2.5",
    "½",      "٣",      "@",      "_",      "://",    "www.",   ".",  "'",        "-",  "\uFFFD", "\uE000",
    "\x7F",   "\u0085", "\u0301", "(",      ")",      "#",      "a.", "é."};

TEST(TokenizerProperty, PathsAgreeOnRandomAscii) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 30000; ++round)
    ASSERT_NO_FATAL_FAILURE(expect_both_paths_agree(random_text(random, kAsciiPieces, random() % 60)));
}

TEST(TokenizerProperty, PathsAgreeOnPlainEnglishPunctuation) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 20000; ++round)
    ASSERT_NO_FATAL_FAILURE(expect_both_paths_agree(random_text(random, kPlainPieces, random() % 150)));
}

TEST(TokenizerProperty, PathsAgreeOnRandomUnicode) {
  std::mt19937_64 random(13);
  for (int round = 0; round < 30000; ++round)
    ASSERT_NO_FATAL_FAILURE(expect_both_paths_agree(random_text(random, kUnicodePieces, random() % 50)));
}

const Pieces kSymbolPieces = {"a", "word", "3", " ", " ", "\n", ".", ",", ":", ";",  "!",  "?", "\"", "'",
                              "`", "-",    "(", ")", "[", "]",  "{", "}", "<", ">",  "#",  "$", "%",  "^",
                              "&", "*",    "_", "+", "=", "|",  "~", "/", "@", "\\", "<3", ":)"};

TEST(TokenizerProperty, PathsAgreeOnRunsOfSymbols) {
  std::mt19937_64 random(16);
  for (int round = 0; round < 30000; ++round)
    ASSERT_NO_FATAL_FAILURE(expect_both_paths_agree(random_text(random, kSymbolPieces, random() % 140)));
}

// A text may be cut at any blank, as when records are read in chunks.
TEST(TokenizerProperty, TokensAreThoseOfThePartsBetweenBlanks) {
  std::mt19937_64 random(17);
  std::vector<Token> whole;
  std::vector<Token> part;
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random_text(random, kSymbolPieces, random() % 140);
    tokenize(text, whole);
    Pieces expected = listing(text, whole, false);
    Pieces parts;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
      const std::string stretch = text.substr(begin, end - begin);
      tokenize(stretch, part);
      for (const std::string& line : listing(stretch, part, false)) parts.push_back(line);
      begin = end + 1;
    }
    ASSERT_EQ(parts, expected) << text;
  }
}

TEST(TokenizerProperty, PathsAgreeOnAllShortRunsOfSymbols) {
  const std::string alphabet = "a3 .!\"),(:-%$";
  for (std::size_t length = 1; length <= 4; ++length) {
    std::vector<std::size_t> digits(length, 0);
    for (bool done = false; !done;) {
      std::string text(61, ' ');  // so that some runs cross the border of a block
      for (const std::size_t digit : digits) text += alphabet[digit];
      ASSERT_NO_FATAL_FAILURE(expect_both_paths_agree(text));
      std::size_t i = 0;
      while (i < length && ++digits[i] == alphabet.size()) digits[i++] = 0;
      done = i == length;
    }
  }
}

TEST(TokenizerProperty, PathsAgreeOnAllShortAsciiTexts) {
  const std::string alphabet = "a1 '.,\n_@/\"";
  for (std::size_t length = 1; length <= 5; ++length) {
    std::vector<std::size_t> digits(length, 0);
    for (bool done = false; !done;) {
      std::string text;
      for (const std::size_t digit : digits) text += alphabet[digit];
      ASSERT_NO_FATAL_FAILURE(expect_both_paths_agree(text));
      std::size_t i = 0;
      while (i < length && ++digits[i] == alphabet.size()) digits[i++] = 0;
      done = i == length;
    }
  }
}

TEST(TokenizerProperty, BordersDoNotDependOnTheBlockOfBytes) {
  const Pieces tricky = {"don't",      "3.14",
                         "a.b",        "end.) x",
                         "x\n\ny",     "foo.bar@example.com",
                         "http://x.y", "é",
                         "B2B",        "well-known--no",
                         ".\"  z",     "a_b",
                         "1,2,",       "p.m.",
                         "e.g.,",      "a.b.c",
                         "www.a.b",    ":-) x",
                         "x), y",      "#$%^&*",
                         "...\"",      "<3"};
  for (const std::string& piece : tricky)
    for (std::size_t shift = 0; shift < 200; ++shift) {
      ASSERT_NO_FATAL_FAILURE(expect_both_paths_agree(std::string(shift, ' ') + piece));
      ASSERT_NO_FATAL_FAILURE(expect_both_paths_agree(std::string(shift, 'q') + piece + " end"));
      ASSERT_NO_FATAL_FAILURE(expect_both_paths_agree("Go. " + std::string(shift, ';') + piece + ". On"));
      ASSERT_NO_FATAL_FAILURE(expect_both_paths_agree(piece + std::string(shift, '\n') + piece));
    }
}

TEST(TokenizerProperty, NothingSlipsBetweenTokensOfRandomBytes) {
  std::mt19937_64 random(14);
  std::vector<Token> tokens;
  for (int round = 0; round < 30000; ++round) {
    std::string bytes(random() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 4 != 0 ? random() % 128 : random());
    std::uint64_t replaced = 0;
    const std::string text = replace_invalid_utf8(bytes, replaced);
    tokenize(text, tokens);
    ASSERT_NO_FATAL_FAILURE(expect_complete(text, tokens));
    tokenize(bytes, tokens);  // violates its contract, but nothing may be lost here either
    ASSERT_NO_FATAL_FAILURE(expect_complete(bytes, tokens));
  }
}

TEST(TokenizerProperty, NothingSlipsBetweenTokensForAnyCodePoint) {
  std::vector<Token> tokens;
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    std::string text = "a ";
    if (value < 0x80) {
      text += static_cast<char>(value);
    } else {
      if (value >= 0x10000) text += static_cast<char>(0xF0 | value >> 18);
      if (value >= 0x800)
        text += static_cast<char>(value >= 0x10000 ? 0x80 | (value >> 12 & 0x3F) : 0xE0 | value >> 12);
      text += static_cast<char>(value >= 0x800 ? 0x80 | (value >> 6 & 0x3F) : 0xC0 | value >> 6);
      text += static_cast<char>(0x80 | (value & 0x3F));
    }
    tokenize(text, tokens);
    ASSERT_NO_FATAL_FAILURE(expect_complete(text, tokens));
  }
}

TEST(TokenizerProperty, VectorAndPortableMasksAreEqual) {
  std::mt19937_64 random(15);
  for (int round = 0; round < 2000; ++round) {
    std::array<char, kBlockBytes> bytes{};
    for (std::size_t i = 0; i < kBlockBytes; ++i)
      bytes[i] = static_cast<char>(round < 4 ? static_cast<std::size_t>(round) * 64 + i : random());
    const ByteMasks a = byte_masks(bytes.data());
    const ByteMasks b = byte_masks_portable(bytes.data());
    ASSERT_EQ(a.letter, b.letter);
    ASSERT_EQ(a.digit, b.digit);
    ASSERT_EQ(a.space, b.space);
    ASSERT_EQ(a.newline, b.newline);
    ASSERT_EQ(a.joiner, b.joiner);
    ASSERT_EQ(a.dot, b.dot);
    ASSERT_EQ(a.comma, b.comma);
    ASSERT_EQ(a.exclamation, b.exclamation);
    ASSERT_EQ(a.slash, b.slash);
    ASSERT_EQ(a.rare, b.rare);
  }
}

// Each of these takes minutes if any search restarts from every token.
TEST(TokenizerProperty, HostileTextTakesLinearTime) {
  std::vector<Token> tokens;
  for (const std::string piece :
       {"a.",     "a@",  "a-", "_",  "a_",     "a://",  "/",     "\"",       ".)",     "\n",
        "\u00A0", "a+",  "(",  "é.", "\u0301", "www.",  "1,",    "a._",      "\u200D", "é@",
        ":)",     "\"(", "-.", "<3", "()",     "a.b.-", "a.b. ", "a\u0301.", "a.b._"}) {
    std::string text;
    while (text.size() < 1000000) text += piece;
    // What makes the searches for e-mail addresses and URLs worthwhile comes only at the very end.
    for (const char* end : {"", "\"@", "\"://", " \n"}) {
      tokenize(text + end, tokens);
      EXPECT_EQ(tokens.empty(), is_whitespace(text + end));
    }
  }
}

}  // namespace
}  // namespace sotto

#include "text/render.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::text;
using Step = std::function<void(Renderer&, const Token&, std::string_view)>;

/// Calls `step` for each token of `text`.
std::string rendered(std::string_view text, const Step& step) {
  std::vector<Token> tokens;
  tokenize(text, tokens);
  OutputBuffer out;
  out.append("before\n");
  Renderer renderer(text, out);
  for (const Token& token : tokens) step(renderer, token, text.substr(token.begin, token.end - token.begin));
  renderer.finish();
  EXPECT_TRUE(out.view().starts_with("before\n"));
  return std::string(out.view().substr(7));
}

std::string without(std::string_view text, std::string_view dropped) {
  return rendered(text, [dropped](Renderer& r, const Token& token, std::string_view word) {
    word == dropped ? r.drop(token) : r.keep(token);
  });
}

TEST(Render, KeptTextIsReproducedByteForByte) {
  const auto keep = [](Renderer& r, const Token& token, std::string_view) { r.keep(token); };
  const std::vector<std::string> pieces = {"word",
                                           " ",
                                           "  ",
                                           "\n",
                                           "\t",
                                           ". ",
                                           "é",
                                           "😀",
                                           "日本",
                                           "12",
                                           "a1",
                                           "’s",
                                           "\u00A0",
                                           "\x01",
                                           "(",
                                           "www.a.b",
                                           "@",
                                           "\r\n",
                                           "averylongwordthatislongerthanthepaddingofthebuffer"};
  std::mt19937_64 random(21);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t i = random() % 40; i > 0; --i) text += pieces[random() % pieces.size()];
    ASSERT_EQ(rendered(text, keep), text);
  }
}

TEST(Render, ReplacedWords) {
  const std::string padding(kTextPadding, '#');
  const std::string x = "x" + padding;
  const auto to_x = [&](Renderer& r, const Token& token, std::string_view) {
    token.token_class == TokenClass::punctuation ? r.keep(token)
                                                 : r.replace_padded(token, std::string_view(x).substr(0, 1));
  };
  EXPECT_EQ(rendered("  One, two\n\n(three) 4.5!\t", to_x), "  x, x\n\n(x) x!\t");
  EXPECT_EQ(rendered("", to_x), "");
  EXPECT_EQ(rendered("a", to_x), "x");
}

TEST(Render, AllWaysToReplaceAreEqual) {
  std::mt19937_64 random(22);
  for (std::size_t size = 1; size < 100; ++size) {
    std::string word(size, 'a');
    for (char& c : word) c = static_cast<char>('a' + random() % 26);
    const std::string padded = word + std::string(kTextPadding, '#');
    const std::string_view view = std::string_view(padded).substr(0, size);
    std::string capitalized = word;
    capitalized[0] = static_cast<char>(capitalized[0] - 0x20);
    const std::string text = "one " + std::string(size, 'q') + " two";
    const auto middle = [](const Step& step) -> Step {
      return [step](Renderer& r, const Token& token, std::string_view original) {
        original[0] == 'q' ? step(r, token, original) : r.keep(token);
      };
    };
    const auto with = [&](const Step& step) { return rendered(text, middle(step)); };
    EXPECT_EQ(with([&](Renderer& r, const Token& t, auto) { r.replace(t, word); }), "one " + word + " two");
    EXPECT_EQ(with([&](Renderer& r, const Token& t, auto) { r.replace_padded(t, view); }),
              "one " + word + " two");
    EXPECT_EQ(with([&](Renderer& r, const Token& t, auto) {
                std::copy(word.begin(), word.end(), r.replace_in_place(t));
              }),
              "one " + word + " two");
    EXPECT_EQ(with([&](Renderer& r, const Token& t, auto) { r.replace_padded_capitalized(t, view); }),
              "one " + capitalized + " two");
    EXPECT_EQ(with([&](Renderer& r, const Token& t, auto) {
                r.replace_in_case(t, word, CasePattern::capitalized);
              }),
              "one " + capitalized + " two");
  }
}

TEST(Render, CapitalizesBeyondAscii) {
  const std::string word = "élan" + std::string(kTextPadding, '#');
  EXPECT_EQ(rendered("a b",
                     [&](Renderer& r, const Token& token, auto) {
                       r.replace_padded_capitalized(token, std::string_view(word).substr(0, 5));
                     }),
            "Élan Élan");
}

TEST(Render, DroppedTokensTakeTheirBlanksWithThem) {
  EXPECT_EQ(without("I have 3 cats", "3"), "I have cats");
  EXPECT_EQ(without("3 cats", "3"), "cats");
  EXPECT_EQ(without("3 3 cats", "3"), "cats");
  EXPECT_EQ(without("I have 3 3, cats", "3"), "I have, cats");
  EXPECT_EQ(without("I have  \t3\tcats 3", "3"), "I have\tcats");
  EXPECT_EQ(without("cats 3\n3 dogs\n  3\nx", "3"), "cats\ndogs\n\nx");
  EXPECT_EQ(without("3", "3"), "");
  EXPECT_EQ(without("3 \n", "3"), "\n");
  EXPECT_EQ(without(" 3 \t", "3"), "");
  EXPECT_EQ(without("a\n\n 3 b", "3"), "a\n\nb");
  EXPECT_EQ(without("well, yes", ","), "well yes");
}

TEST(Render, WordsDoNotGrowTogether) {
  EXPECT_EQ(without("one😀two", "😀"), "one two");
  EXPECT_EQ(without("one 😀two", "😀"), "one two");
  EXPECT_EQ(without("one/two", "/"), "one two");
  EXPECT_EQ(without("one😀, two", "😀"), "one, two");
  EXPECT_EQ(without("(😀two)", "😀"), "(two)");
  const auto to_x = [](Renderer& r, const Token& token, std::string_view) {
    token.token_class == TokenClass::punctuation ? r.keep(token) : r.replace(token, "x");
  };
  EXPECT_EQ(rendered("one😀two, 20😀", to_x), "x x x, x x");
  EXPECT_EQ(rendered("20-year-old", to_x), "x-x");
  const auto only_words = [](Renderer& r, const Token& token, std::string_view) {
    token.token_class == TokenClass::word ? r.replace(token, "x") : r.keep(token);
  };
  EXPECT_EQ(rendered("one😀two 20😀", only_words), "x😀x 20😀");
}

TEST(Render, AFullStopDoesNotFollowAnother) {
  const auto at_night = [](std::string_view text, std::string_view word) {
    return rendered(text, [word](Renderer& r, const Token& token, std::string_view original) {
      original == "night" ? r.replace(token, word) : r.keep(token);
    });
  };
  EXPECT_EQ(at_night("At night. Then", "p.m."), "At p.m. Then");
  EXPECT_EQ(at_night("night.", "p.m."), "p.m.");
  EXPECT_EQ(at_night("(night.) \"night.\"", "p.m."), "(p.m.) \"p.m.\"");
  EXPECT_EQ(at_night("night... night.. night?", "p.m."), "p.m... p.m.. p.m.?");
  EXPECT_EQ(at_night("night, night! night", "p.m."), "p.m., p.m.! p.m.");
  EXPECT_EQ(at_night("night . night).", "p.m."), "p.m. . p.m.).") << "only directly after the word";
  EXPECT_EQ(at_night("p.m.. night.", "x"), "p.m.. x.") << "what is kept stays as it is";
  EXPECT_EQ(at_night(". night.", ""), ". .");
}

}  // namespace
}  // namespace sotto

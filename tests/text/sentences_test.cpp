#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sotto/tokenizer.hpp>

namespace sotto {
namespace {

std::vector<std::string> sentences_of(std::string_view text) {
  std::vector<Token> tokens;
  tokenize(text, tokens);
  std::vector<std::string> sentences;
  std::uint32_t expected = 0;
  for (const auto [first, last] : split_sentences(text, tokens)) {
    EXPECT_EQ(first, expected);
    EXPECT_LT(first, last);
    sentences.emplace_back(text.substr(tokens[first].begin, tokens[last - 1].end - tokens[first].begin));
    expected = last;
  }
  EXPECT_EQ(expected, tokens.size());
  return sentences;
}

using Sentences = std::vector<std::string>;

TEST(Sentences, OrdinaryText) {
  EXPECT_EQ(sentences_of(""), Sentences{});
  EXPECT_EQ(sentences_of("  "), Sentences{});
  EXPECT_EQ(sentences_of("one sentence"), Sentences{"one sentence"});
  EXPECT_EQ(sentences_of("One. Two!  Three?\nFour"), (Sentences{"One.", "Two!", "Three?", "Four"}));
  EXPECT_EQ(sentences_of("First line\nsame\n\nnext"), (Sentences{"First line\nsame", "next"}));
}

TEST(Sentences, PunctuationGoesWhereItBelongs) {
  EXPECT_EQ(sentences_of("He left. “Why?” (He knew.) Ok"),
            (Sentences{"He left.", "“Why?”", "(He knew.)", "Ok"}));
  EXPECT_EQ(sentences_of("Fine. - Good. "), (Sentences{"Fine.", "- Good."}));
  EXPECT_EQ(sentences_of("it was good . i liked it ! ! yes"),
            (Sentences{"it was good .", "i liked it ! !", "yes"}));
  EXPECT_EQ(sentences_of("(“So it is.”) ) x"), (Sentences{"(“So it is.”)", ") x"}));
  EXPECT_EQ(sentences_of("End. ) --"), Sentences{"End. ) --"});
  EXPECT_EQ(sentences_of("... !"), Sentences{"... !"});
  EXPECT_EQ(sentences_of("... And so on"), Sentences{"... And so on"});
}

TEST(Sentences, AbbreviationsEndNone) {
  EXPECT_EQ(sentences_of("He left at 5 p.m. She stayed. The U.S.! Yes"),
            (Sentences{"He left at 5 p.m. She stayed.", "The U.S.!", "Yes"}));
  EXPECT_EQ(sentences_of("at 5 p.m.\n\nNext"), (Sentences{"at 5 p.m.", "Next"}));
}

TEST(Sentences, BeyondAscii) {
  EXPECT_EQ(sentences_of("Ça va… «Oui.» 😀 1st.\u00A0Ende"),
            (Sentences{"Ça va…", "«Oui.»", "😀 1st.", "Ende"}));
}

}  // namespace
}  // namespace sotto

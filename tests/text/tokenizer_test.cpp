#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sotto/tokenizer.hpp>

#include "text/token_listing.hpp"

namespace sotto {
namespace {

using Lines = std::vector<std::string>;

TEST(Tokenizer, EmptyAndBlank) {
  EXPECT_EQ(tokens_of(""), Lines{});
  EXPECT_EQ(tokens_of(" \t\n\v\f\r"), Lines{});
  EXPECT_EQ(tokens_of("\u00A0\u1680\u2000\u200A\u2028\u2029\u202F\u205F\u3000"), Lines{});
}

TEST(Tokenizer, Words) {
  EXPECT_EQ(tokens_of("Hello, world!"), (Lines{"w:Hello", "p:,", "w:world", "p:!"}));
  EXPECT_EQ(tokens_of("don't don’t"), (Lines{"w:don't", "w:don’t"}));
  EXPECT_EQ(tokens_of("rock'n'roll"), (Lines{"w:rock'n'roll"}));
  EXPECT_EQ(tokens_of("well-known non\u2011stop re\u2010do"),
            (Lines{"w:well-known", "w:non\u2011stop", "w:re\u2010do"}));
  EXPECT_EQ(tokens_of("'tis the dogs' bone"), (Lines{"p:'", "w:tis", "w:the", "w:dogs", "p:'", "w:bone"}));
  EXPECT_EQ(tokens_of("escape--accidentally"), (Lines{"w:escape", "p:-", "p:-", "w:accidentally"}));
  EXPECT_EQ(tokens_of("a'-b"), (Lines{"w:a", "p:'", "p:-", "w:b"}));
  EXPECT_EQ(tokens_of("-a- ’b’"), (Lines{"p:-", "w:a", "p:-", "p:’", "w:b", "p:’"}));
  EXPECT_EQ(tokens_of("and/or AT&T"), (Lines{"w:and", "p:/", "w:or", "w:AT", "p:&", "w:T"}));
  EXPECT_EQ(tokens_of("One.Two end.\nNext"), (Lines{"w:One", "p:.", "w:Two", "w:end", "p:.", "w:Next"}));
}

TEST(Tokenizer, DottedAbbreviations) {
  EXPECT_EQ(tokens_of("5 p.m. e.g. U.S. U.S.A. J.R.R. Tolkien"),
            (Lines{"n:5", "w:p.m.", "w:e.g.", "w:U.S.", "w:U.S.A.", "w:J.R.R.", "w:Tolkien"}));
  EXPECT_EQ(tokens_of("(i.e., a.m./p.m.) 'U.S.' U.S.-led U.S.'s"),
            (Lines{"p:(", "w:i.e.", "p:,", "w:a.m.", "p:/", "w:p.m.", "p:)", "p:'", "w:U.S.", "p:'", "w:U.S.",
                   "p:-", "w:led", "w:U.S.", "p:'", "w:s"}));
  EXPECT_EQ(tokens_of("é.à. e\u0301.a. \uFF41.\uFF42."),
            (Lines{"w:é.à.", "w:e\u0301.a.", "w:\uFF41.\uFF42."}));
  EXPECT_EQ(tokens_of("9-a.m. _e.g._ — U.K.— \"a.k.a.\""),
            (Lines{"n:9", "p:-", "w:a.m.", "p:_", "w:e.g.", "p:_", "p:—", "w:U.K.", "p:—", "p:\"", "w:a.k.a.",
                   "p:\""}));
}

TEST(Tokenizer, FullStopsThatEndNoAbbreviation) {
  EXPECT_EQ(tokens_of("Mr. etc. I. plan B."),
            (Lines{"w:Mr", "p:.", "w:etc", "p:.", "w:I", "p:.", "w:plan", "w:B", "p:."}));
  EXPECT_EQ(tokens_of("a.b U.S.A Ph.D."),
            (Lines{"w:a", "p:.", "w:b", "w:U", "p:.", "w:S", "p:.", "w:A", "w:Ph", "p:.", "w:D", "p:."}));
  EXPECT_EQ(tokens_of("x.y.com"), (Lines{"w:x", "p:.", "w:y", "p:.", "w:com"}));
  EXPECT_EQ(tokens_of("a.b.1 a.b.ж"),
            (Lines{"w:a", "p:.", "w:b", "p:.", "n:1", "w:a", "p:.", "w:b", "p:.", "o:ж"}));
  EXPECT_EQ(tokens_of("1.a.b. ...a.b."), (Lines{"n:1", "p:.", "w:a", "p:.", "w:b", "p:.", "p:.", "p:.", "p:.",
                                                "w:a", "p:.", "w:b", "p:."}));
  EXPECT_EQ(tokens_of("7p.m. pro-U.S. x_a.b."), (Lines{"o:7p", "p:.", "w:m", "p:.", "w:pro-U", "p:.", "w:S",
                                                       "p:.", "o:x_a", "p:.", "w:b", "p:."}));
  EXPECT_EQ(tokens_of("www.x.y. me@a.b. http://a.b."),
            (Lines{"o:www.x.y", "p:.", "o:me@a.b", "p:.", "o:http://a.b", "p:."}));
  EXPECT_EQ(tokens_of("А.Б. a..b."), (Lines{"o:А", "p:.", "o:Б", "p:.", "w:a", "p:.", "p:.", "w:b", "p:."}));
  EXPECT_EQ(tokens_of("a.b.\uFE0F"), (Lines{"w:a", "p:.", "w:b", "o:.\uFE0F"}));
}

TEST(Tokenizer, LatinBeyondAscii) {
  EXPECT_EQ(tokens_of("naïve Ærøskøbing Łódź Tiếng ﬁn"),
            (Lines{"w:naïve", "w:Ærøskøbing", "w:Łódź", "w:Tiếng", "w:ﬁn"}));
  EXPECT_EQ(tokens_of("cafe\u0301 cafe\u0301's cafe\u0301-bar"),
            (Lines{"w:cafe\u0301", "w:cafe\u0301's", "w:cafe\u0301-bar"}));
  EXPECT_EQ(tokens_of("1ª nº"), (Lines{"o:1ª", "w:nº"}));
}

TEST(Tokenizer, Numbers) {
  EXPECT_EQ(tokens_of("3 3.14 1,234.56 3.14.15"), (Lines{"n:3", "n:3.14", "n:1,234.56", "n:3.14.15"}));
  EXPECT_EQ(tokens_of("3. 3, .5 5.,5 1..2"), (Lines{"n:3", "p:.", "n:3", "p:,", "p:.", "n:5", "n:5", "p:.",
                                                    "p:,", "n:5", "n:1", "p:.", "p:.", "n:2"}));
  EXPECT_EQ(tokens_of("-5 +5 5-6 10:30 1/2 50% $9.99"),
            (Lines{"p:-", "n:5", "p:+", "n:5", "n:5", "p:-", "n:6", "n:10", "p::", "n:30", "n:1", "p:/",
                   "n:2", "n:50", "p:%", "p:$", "n:9.99"}));
  EXPECT_EQ(tokens_of("20-year-old covid-19"),
            (Lines{"n:20", "p:-", "w:year-old", "w:covid", "p:-", "n:19"}));
}

TEST(Tokenizer, LettersMixedWithDigits) {
  EXPECT_EQ(tokens_of("B2B 90s 1st covid19 v1.2 mp3s"),
            (Lines{"o:B2B", "o:90s", "o:1st", "o:covid19", "o:v1.2", "o:mp3s"}));
  EXPECT_EQ(tokens_of("1st-class '90s x² 1½ ½"),
            (Lines{"o:1st-class", "p:'", "o:90s", "o:x²", "o:1½", "o:½"}));
}

TEST(Tokenizer, Underscores) {
  EXPECT_EQ(tokens_of("snake_case a__b x_1 1_000"), (Lines{"o:snake_case", "o:a__b", "o:x_1", "o:1_000"}));
  EXPECT_EQ(tokens_of("_emphasis_ __init__ a_ _"),
            (Lines{"p:_", "w:emphasis", "p:_", "o:__", "w:init", "o:__", "w:a", "p:_", "p:_"}));
}

TEST(Tokenizer, PunctuationWhitelist) {
  const std::string ascii = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
  std::string text;
  Lines expected;
  for (const char c : ascii) {
    text += std::string(" ") + c;
    expected.push_back(std::string("p:") + c);
  }
  EXPECT_EQ(tokens_of(text), expected);
  const Lines beyond = {"–", "—", "―", "…", "“", "”", "‘", "’", "«", "»",      "‹",     "›",
                        "„", "‚", "•", "·", "°", "§", "¶", "†", "‡", "€",      "£",     "¥",
                        "¢", "©", "®", "™", "¡", "¿", "×", "÷", "±", "\u2010", "\u2011"};
  text.clear();
  expected.clear();
  for (const std::string& c : beyond) {
    text += " " + c;
    expected.push_back("p:" + c);
  }
  EXPECT_EQ(tokens_of(text), expected);
  EXPECT_EQ(tokens_of("Brand™ 20°C “Yes…”"),
            (Lines{"w:Brand", "p:™", "n:20", "p:°", "w:C", "p:“", "w:Yes", "p:…", "p:”"}));
}

TEST(Tokenizer, Urls) {
  EXPECT_EQ(tokens_of("see http://example.com/a?b=c#d, ok"),
            (Lines{"w:see", "o:http://example.com/a?b=c#d", "p:,", "w:ok"}));
  EXPECT_EQ(tokens_of("(https://example.com)."), (Lines{"p:(", "o:https://example.com", "p:)", "p:."}));
  EXPECT_EQ(tokens_of("https://example.com/a_(b)) x"), (Lines{"o:https://example.com/a_(b)", "p:)", "w:x"}));
  EXPECT_EQ(tokens_of("www.example.com! WWW.3com.com/"),
            (Lines{"o:www.example.com", "p:!", "o:WWW.3com.com/"}));
  EXPECT_EQ(tokens_of("\"file:///etc/passwd\""), (Lines{"p:\"", "o:file:///etc/passwd", "p:\""}));
  EXPECT_EQ(tokens_of("<a href=\"http://x.y/\">"),
            (Lines{"p:<", "w:a", "w:href", "o:=\"", "o:http://x.y/", "o:\">"}));
  EXPECT_EQ(tokens_of("http://exämple.de/straße—und"), (Lines{"o:http://exämple.de/straße", "p:—", "w:und"}));
  EXPECT_EQ(tokens_of("http:// www. a//b"), (Lines{"w:http", "o:://", "w:www", "p:.", "w:a", "o://", "w:b"}));
  EXPECT_EQ(tokens_of("https://joe@host:80/x_"), (Lines{"o:https://joe@host:80/x", "p:_"}));
}

TEST(Tokenizer, EmailAddresses) {
  EXPECT_EQ(tokens_of("Mail foo.bar@example.com."), (Lines{"w:Mail", "o:foo.bar@example.com", "p:."}));
  EXPECT_EQ(tokens_of("<o'neil+x@a-b.co.uk>, me@host"),
            (Lines{"p:<", "o:o'neil+x@a-b.co.uk", "p:>", "p:,", "o:me@host"}));
  EXPECT_EQ(tokens_of("josé@exämple.de"), (Lines{"o:josé@exämple.de"}));
  EXPECT_EQ(tokens_of("@joe meet @ 5 a@ @b"),
            (Lines{"p:@", "w:joe", "w:meet", "p:@", "n:5", "w:a", "p:@", "p:@", "w:b"}));
  EXPECT_EQ(tokens_of("x,foo@bar.com"), (Lines{"w:x", "p:,", "o:foo@bar.com"}));
}

TEST(Tokenizer, Emoji) {
  EXPECT_EQ(tokens_of("hi😀 👍🏽 👩‍👩‍👧 🇩🇪 ❤️"),
            (Lines{"w:hi", "o:😀", "o:👍🏽", "o:👩‍👩‍👧", "o:🇩🇪", "o:❤️"}));
  EXPECT_EQ(tokens_of("1️⃣ #️⃣ ©️ ©"), (Lines{"o:1️⃣", "o:#️⃣", "o:©️", "p:©"}));
  EXPECT_EQ(tokens_of("😀😀!"), (Lines{"o:😀😀", "p:!"}));
}

TEST(Tokenizer, OtherScripts) {
  EXPECT_EQ(tokens_of("Привет, мир"), (Lines{"o:Привет", "p:,", "o:мир"}));
  EXPECT_EQ(tokens_of("日本語です。"), (Lines{"o:日本語です", "o:。"}));
  EXPECT_EQ(tokens_of("مرحبا ١٢٣ हिन्दी"), (Lines{"o:مرحبا", "o:١٢٣", "o:हिन्दी"}));
  EXPECT_EQ(tokens_of("می\u200Cخواهم"), (Lines{"o:می\u200Cخواهم"}));
  EXPECT_EQ(tokens_of("Pаypal iPhoneで α-Test"), (Lines{"o:Pаypal", "o:iPhoneで", "o:α-Test"}));
}

TEST(Tokenizer, InvisibleAndControlCharacters) {
  const std::string nul("a\0b", 3);
  EXPECT_EQ(tokens_of(nul), (Lines{"w:a", std::string("o:\0", 3), "w:b"}));
  EXPECT_EQ(tokens_of("a\x01\x02\x7F z"), (Lines{"w:a", "o:\x01\x02\x7F", "w:z"}));
  EXPECT_EQ(tokens_of("a\u200Bb \uFEFFx \u00AD \u0085"),
            (Lines{"w:a", "o:\u200B", "w:b", "o:\uFEFF", "w:x", "o:\u00AD", "o:\u0085"}));
  EXPECT_EQ(tokens_of("\uE000\uE001 \uFFFD\uFFFD \U000E0041"),
            (Lines{"o:\uE000\uE001", "o:\uFFFD\uFFFD", "o:\U000E0041"}));
  EXPECT_EQ(tokens_of("\u0301 .\u0301"), (Lines{"o:\u0301", "o:.\u0301"}));
  EXPECT_EQ(tokens_of("a\u00A0b\u3000c"), (Lines{"w:a", "w:b", "w:c"}));
}

TEST(Tokenizer, AsciiFlag) {
  std::vector<Token> tokens;
  tokenize("plain naïve a1 é1 www.x.y 😀 ! …", tokens);
  std::vector<bool> ascii;
  for (const Token& token : tokens) ascii.push_back(token.ascii);
  EXPECT_EQ(ascii, (std::vector<bool>{true, false, true, false, true, false, true, false}));
}

TEST(Tokenizer, TheVectorIsReplaced) {
  std::vector<Token> tokens(1000, Token{7, 9, TokenClass::other, false, true});
  tokenize("One two", tokens);
  EXPECT_EQ(listing("One two", tokens, true), (Lines{"*w:One", "w:two"}));
  tokenize("", tokens);
  EXPECT_TRUE(tokens.empty());
}

TEST(Tokenizer, SentenceStarts) {
  EXPECT_EQ(tokens_of("hello you. bye! so?", true),
            (Lines{"*w:hello", "w:you", "p:.", "*w:bye", "p:!", "*w:so", "p:?"}));
  EXPECT_EQ(tokens_of("“Wow!” (he said.) [3] Go…", true),
            (Lines{"p:“", "*w:Wow", "p:!", "p:”", "p:(", "*w:he", "w:said", "p:.", "p:)", "p:[", "*n:3",
                   "p:]", "w:Go", "p:…"}));
  EXPECT_EQ(tokens_of("well... ok.then 3.5 a, b", true),
            (Lines{"*w:well", "p:.", "p:.", "p:.", "*w:ok", "p:.", "w:then", "n:3.5", "w:a", "p:,", "w:b"}));
  EXPECT_EQ(tokens_of("he said \"no.\" \"yes\" .' x", true),
            (Lines{"*w:he", "w:said", "p:\"", "w:no", "p:.", "p:\"", "p:\"", "*w:yes", "p:\"", "p:.", "p:'",
                   "*w:x"}));
}

TEST(Tokenizer, SentenceStartsNeverDependOnWords) {
  EXPECT_EQ(tokens_of("Mr. Smith", true), (Lines{"*w:Mr", "p:.", "*w:Smith"}));
  EXPECT_EQ(tokens_of("xx. yyyyy", true), (Lines{"*w:xx", "p:.", "*w:yyyyy"}));
}

// An abbreviation is a word, so whether one stood somewhere does not show in the capitals either.
TEST(Tokenizer, AbbreviationsEndNoSentence) {
  EXPECT_EQ(tokens_of("at 5 p.m. then (p.m.) x", true),
            (Lines{"*w:at", "n:5", "w:p.m.", "w:then", "p:(", "w:p.m.", "p:)", "w:x"}));
  EXPECT_EQ(tokens_of("the U.S.. So p.m.? e.g. p.m.\" a", true),
            (Lines{"*w:the", "w:U.S.", "p:.", "*w:So", "w:p.m.", "p:?", "*w:e.g.", "w:p.m.", "p:\"", "w:a"}));
  EXPECT_EQ(tokens_of("U.S.\n\nthen", true), (Lines{"*w:U.S.", "*w:then"}));
}

TEST(Tokenizer, BlankLinesStartSentences) {
  EXPECT_EQ(tokens_of("a\nb\n\nc\r\n\r\nd\n \t\ne", true), (Lines{"*w:a", "w:b", "*w:c", "*w:d", "*w:e"}));
  EXPECT_EQ(tokens_of("a\n\u00A0\nb\n😀\nc", true), (Lines{"*w:a", "*w:b", "o:😀", "w:c"}));
  EXPECT_EQ(tokens_of("a\n\n- b\u2029c", true), (Lines{"*w:a", "p:-", "*w:b", "*w:c"}));
}

TEST(Tokenizer, SentenceStartsAroundOtherTokens) {
  EXPECT_EQ(tokens_of("See www.x.y. 😀 no.\u00A0Yes… 1st!” (é", true),
            (Lines{"*w:See", "o:www.x.y", "p:.", "*o:😀", "w:no", "p:.", "*w:Yes", "p:…", "*o:1st", "p:!",
                   "p:”", "p:(", "*w:é"}));
  // Punctuation inside a URL is not punctuation.
  EXPECT_EQ(tokens_of("http://x.y/(a.) b", true), (Lines{"*o:http://x.y/(a.)", "w:b"}));
}

}  // namespace
}  // namespace sotto

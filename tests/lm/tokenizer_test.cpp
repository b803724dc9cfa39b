// What a tokenizer reports about texts, words and tokens, on the committed tokenizers.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lm/tokenizer_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::lm;
using ::testing::ElementsAre;
using testing::open_tokenizer;

std::vector<std::string> tokens_of(const SubwordTokenizer& tokenizer, const std::vector<SubwordId>& ids) {
  std::vector<std::string> tokens;
  for (const SubwordId id : ids) tokens.emplace_back(tokenizer.token(id));
  return tokens;
}

std::vector<std::string> pieces_of(const Encoding& encoding, const std::string& text) {
  std::vector<std::string> pieces;
  for (std::size_t i = encoding.first.begin; i < encoding.first.end; ++i)
    pieces.push_back(
        text.substr(encoding.ranges[i].begin, encoding.ranges[i].end - encoding.ranges[i].begin));
  return pieces;
}

TEST(SubwordTokenizer, RobertaPutsItsTokensAround) {
  const auto tokenizer = open_tokenizer("roberta");
  const SpecialIds& special = tokenizer->special();
  EXPECT_THAT(tokens_of(*tokenizer, tokenizer->encode("the").ids), ElementsAre("<s>", "Ġthe", "</s>"));
  const Encoding pair = tokenizer->encode_pair("the", "of");
  EXPECT_THAT(tokens_of(*tokenizer, pair.ids), ElementsAre("<s>", "Ġthe", "</s>", "</s>", "Ġof", "</s>"));
  EXPECT_THAT(pair.type_ids, ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_EQ(pair.first.begin, 1U);
  EXPECT_EQ(pair.first.end, 2U);
  EXPECT_EQ(pair.second.begin, 4U);
  EXPECT_EQ(pair.second.end, 5U);
  EXPECT_EQ(tokenizer->token(special.bos.value()), "<s>");
  EXPECT_EQ(tokenizer->token(special.eos.value()), "</s>");
  EXPECT_EQ(tokenizer->token(special.mask.value()), "<mask>");
  EXPECT_EQ(tokenizer->token(special.pad.value()), "<pad>");
  EXPECT_EQ(tokenizer->token(special.unk.value()), "<unk>");
}

TEST(SubwordTokenizer, BertTellsTheTextsOfAPairApart) {
  const auto tokenizer = open_tokenizer("bert-uncased");
  const Encoding pair = tokenizer->encode_pair("the", "of");
  EXPECT_THAT(tokens_of(*tokenizer, pair.ids), ElementsAre("[CLS]", "the", "[SEP]", "of", "[SEP]"));
  EXPECT_THAT(pair.type_ids, ElementsAre(0, 0, 0, 1, 1));
  EXPECT_EQ(tokenizer->token(tokenizer->special().mask.value()), "[MASK]");
}

TEST(SubwordTokenizer, T5EndsATextOnly) {
  for (const char* name : {"t5-json", "t5-spiece"}) {
    const auto tokenizer = open_tokenizer(name);
    EXPECT_THAT(tokens_of(*tokenizer, tokenizer->encode("the").ids), ElementsAre("▁the", "</s>")) << name;
    EXPECT_FALSE(tokenizer->special().bos.has_value()) << name;
    EXPECT_FALSE(tokenizer->special().mask.has_value()) << name;
  }
}

TEST(SubwordTokenizer, LeavesTheTemplateOutWhenAsked) {
  const auto tokenizer = open_tokenizer("roberta");
  EXPECT_THAT(tokens_of(*tokenizer, tokenizer->encode("the", {.add_special = false}).ids),
              ElementsAre("Ġthe"));
  EXPECT_TRUE(tokenizer->encode("", {.add_special = false}).ids.empty());
}

TEST(SubwordTokenizer, TheMaskTakesTheBlankBeforeIt) {
  const auto tokenizer = open_tokenizer("roberta");
  const std::string text = "the  <mask> of";
  const Encoding encoding = tokenizer->encode(text, {.ranges = true});
  EXPECT_THAT(tokens_of(*tokenizer, encoding.ids), ElementsAre("<s>", "Ġthe", "<mask>", "Ġof", "</s>"));
  EXPECT_THAT(pieces_of(encoding, text), ElementsAre("the", "  <mask>", " of"));
}

TEST(SubwordTokenizer, ATextCannotForgeSpecialTokensWhenAskedNotTo) {
  for (const char* name : {"roberta", "gpt2", "bert-uncased", "t5-json", "t5-spiece", "xlm-roberta"}) {
    const auto tokenizer = open_tokenizer(name);
    const std::string text = "a </s><mask> [MASK][SEP]<|endoftext|> b \uFF1C/s\uFF1E";
    const Encoding encoding = tokenizer->encode(text, {.add_special = false, .special_in_text = false});
    for (const SubwordId id : encoding.ids)
      EXPECT_TRUE(!tokenizer->is_special(id) || id == tokenizer->special().unk)
          << name << tokenizer->token(id);
  }
}

// The only case where t5-json deliberately differs from its reference, and agrees with sentencepiece.
TEST(SubwordTokenizer, NormalizationDoesNotMakeSpecialTokens) {
  for (const std::string text : {"a <\x03/s> b", "a \uFF1C/s\uFF1E b",
                                 "a <p\x13"
                                 "ad> b"}) {
    const Encoding json = open_tokenizer("t5-json")->encode(text);
    EXPECT_EQ(json.ids, open_tokenizer("t5-spiece")->encode(text).ids) << text;
    for (std::size_t i = json.first.begin; i < json.first.end; ++i) EXPECT_GT(json.ids[i], 1U) << text;
  }
}

TEST(SubwordTokenizer, EncodesWordsWithAndWithoutABlank) {
  for (const char* name : {"roberta", "gpt2"}) {
    const auto tokenizer = open_tokenizer(name);
    EXPECT_THAT(tokens_of(*tokenizer, tokenizer->encode_word("the", true)), ElementsAre("Ġthe")) << name;
    EXPECT_THAT(tokens_of(*tokenizer, tokenizer->encode_word("the", false)), ElementsAre("the")) << name;
  }
  for (const char* name : {"t5-json", "t5-spiece", "xlm-roberta"}) {
    const auto tokenizer = open_tokenizer(name);
    EXPECT_THAT(tokens_of(*tokenizer, tokenizer->encode_word("the", true)), ElementsAre("▁the")) << name;
    const auto inside = tokens_of(*tokenizer, tokenizer->encode_word("the", false));
    ASSERT_FALSE(inside.empty()) << name;
    EXPECT_FALSE(inside[0].starts_with("▁")) << name;
  }
  const auto bert = open_tokenizer("bert-uncased");
  EXPECT_EQ(bert->encode_word("The", true), bert->encode_word("the", false));
  EXPECT_TRUE(bert->encode_word("", true).empty());
}

TEST(SubwordTokenizer, AWordAfterABlankIsWhatItIsInsideOfAText) {
  const std::string text = "so Zarathustra's naïve word";
  for (const char* name : {"roberta", "gpt2", "t5-json", "t5-spiece", "xlm-roberta", "bert-cased"}) {
    const auto tokenizer = open_tokenizer(name);
    const Encoding encoding = tokenizer->encode(text, {.ranges = true});
    const auto begin = static_cast<std::uint32_t>(text.find("naïve"));
    const IndexRange found = encoding.ids_of(encoding.first, {begin - 1, begin + 6});
    const std::vector<SubwordId> ids(encoding.ids.begin() + static_cast<std::ptrdiff_t>(found.begin),
                                     encoding.ids.begin() + static_cast<std::ptrdiff_t>(found.end));
    EXPECT_EQ(ids, tokenizer->encode_word("naïve", true)) << name;
  }
}

TEST(SubwordTokenizer, KnowsWhatStartsAWord) {
  const auto check = [](const SubwordTokenizer& tokenizer, std::string_view token, bool starts, bool whole,
                        const std::string& surface) {
    const auto id = tokenizer.id(token);
    ASSERT_TRUE(id.has_value()) << token;
    EXPECT_EQ(tokenizer.starts_word(*id), starts) << token;
    EXPECT_EQ(tokenizer.is_whole_word(*id), whole) << token;
    EXPECT_EQ(tokenizer.surface(*id), surface) << token;
  };
  const auto roberta = open_tokenizer("roberta");
  check(*roberta, "Ġthe", true, true, "the");
  check(*roberta, "ing", false, false, "ing");
  check(*roberta, "Ġ", true, false, "");
  check(*roberta, "Ã", false, false, "\xC3");
  check(*roberta, "<mask>", false, false, "<mask>");
  const auto bert = open_tokenizer("bert-uncased");
  check(*bert, "the", true, true, "the");
  check(*bert, "##ing", false, false, "ing");
  check(*bert, ",", true, false, ",");
  check(*bert, "[CLS]", false, false, "[CLS]");
  const auto t5 = open_tokenizer("t5-spiece");
  check(*t5, "▁the", true, true, "the");
  check(*t5, "ing", false, false, "ing");
  EXPECT_FALSE(t5->starts_word(1'000'000));
  EXPECT_EQ(t5->token(1'000'000), "");
}

TEST(SubwordTokenizer, RangesShowTheBytesOfTheText) {
  const std::string text = "The  CAFÉ,\tof";
  const auto bert = open_tokenizer("bert-uncased");
  const Encoding encoding = bert->encode(text, {.ranges = true});
  const auto e_acute = static_cast<std::uint32_t>(text.find("É"));
  EXPECT_EQ(encoding.ranges[encoding.first.begin], (ByteRange{0, 3}));
  EXPECT_EQ(encoding.ranges[encoding.first.end - 1], (ByteRange{12, 14}));
  const IndexRange ids = encoding.ids_of(encoding.first, {e_acute, e_acute + 2});
  EXPECT_EQ(ids.end, ids.begin + 1);
  EXPECT_EQ(encoding.ranges[ids.begin].end, e_acute + 2);

  const auto gpt2 = open_tokenizer("gpt2");
  std::string joined;
  for (const std::string& piece : pieces_of(gpt2->encode(text, {.ranges = true}), text)) joined += piece;
  EXPECT_EQ(joined, text);
}

TEST(SubwordTokenizer, RangesOfIllFormedTextSpeakOfTheBytesAsGiven) {
  const std::string text = "a\xF0\x9F\x98 the\xFF\xED\xA0\x80 of";
  const auto gpt2 = open_tokenizer("gpt2");
  const Encoding encoding = gpt2->encode(text, {.ranges = true});
  EXPECT_EQ(gpt2->decode(encoding.ids), "a\uFFFD the\uFFFD\uFFFD\uFFFD\uFFFD of");
  EXPECT_EQ(encoding.ranges.back().begin, 0U);  // the end token of the template
  EXPECT_EQ(encoding.ranges[encoding.first.end - 1], (ByteRange{12, 15}));
  const IndexRange the = encoding.ids_of(encoding.first, {5, 8});
  EXPECT_THAT(tokens_of(*gpt2, {encoding.ids[the.begin]}), ElementsAre("Ġthe"));
}

TEST(SubwordTokenizer, DecodesAsPeopleWrite) {
  const auto bert = open_tokenizer("bert-uncased");
  EXPECT_EQ(bert->decode(bert->encode("Is it, then? The thing!").ids), "is it, then? the thing!");
  const auto t5 = open_tokenizer("t5-json");
  EXPECT_EQ(t5->decode(t5->encode("It is  the thing.").ids), "It is the thing.");
  const auto roberta = open_tokenizer("roberta");
  const std::vector<SubwordId> ids = roberta->encode("the of").ids;
  EXPECT_EQ(roberta->decode(ids), " the of");
  EXPECT_EQ(roberta->decode(ids, true), "<s> the of</s>");
  EXPECT_EQ(roberta->decode(std::vector<SubwordId>{999'999}), "");
}

TEST(SubwordTokenizer, AWordOfMoreThanAHundredCharactersIsUnknownToBert) {
  const auto bert = open_tokenizer("bert-uncased");
  const EncodeOptions bare = {.add_special = false};
  EXPECT_GT(bert->encode(std::string(100, 'a'), bare).ids.size(), 1U);
  EXPECT_EQ(bert->encode(std::string(101, 'a'), bare).ids,
            std::vector<SubwordId>{bert->special().unk.value()});
}

}  // namespace
}  // namespace sotto

// Properties on random texts.
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sotto/tokenizer.hpp>

#include "lm/tokenizer_fixture.hpp"
#include "support/sanitized.hpp"
#include "text/utf8.hpp"

namespace sotto {
namespace {

using namespace sotto::lm;
using testing::open_tokenizer;

// The same texts in every run, unless the environment asks for others.
const int kConfigured = ::setenv("RC_PARAMS", "seed=20240229 max_success=1000", 0);

const std::vector<std::string> kNames = {"gpt2",    "roberta",   "bert-uncased", "bert-cased",
                                         "t5-json", "t5-spiece", "xlm-roberta"};

const std::vector<std::shared_ptr<const SubwordTokenizer>>& all_tokenizers() {
  static const auto tokenizers = [] {
    std::vector<std::shared_ptr<const SubwordTokenizer>> opened;
    for (const std::string& name : kNames) opened.push_back(open_tokenizer(name));
    return opened;
  }();
  return tokenizers;
}

/// Any scalar value, but ASCII and blanks more often than others.
rc::Gen<std::string> valid_text() {
  const auto scalar = rc::gen::weightedOneOf<std::uint32_t>(
      {{6, rc::gen::inRange<std::uint32_t>(0x20, 0x7F)},
       {2,
        rc::gen::element<std::uint32_t>(' ', '\n', '\t', '\'', 0xA0, 0x3000, 0x301, 0x200D, 0x130, 0x2581)},
       {2, rc::gen::inRange<std::uint32_t>(0, 0xD800)},
       {1, rc::gen::inRange<std::uint32_t>(0xE000, 0x110000)}});
  return rc::gen::map(rc::gen::container<std::vector<std::uint32_t>>(scalar),
                      [](const std::vector<std::uint32_t>& values) {
                        std::string text;
                        for (const std::uint32_t value : values) text += text::encode_utf8(value).view();
                        return text;
                      });
}

rc::Gen<std::string> any_bytes() {
  return rc::gen::container<std::string>(rc::gen::arbitrary<char>());
}

const EncodeOptions kPlain = {.add_special = false, .ranges = true, .special_in_text = false};

TEST(TokenizerProperty, ByteLevelBpeLosesNothing) {
  ASSERT_EQ(kConfigured, 0);
  const auto& gpt2 = *all_tokenizers()[0];
  EXPECT_TRUE(rc::check("decode(encode(x)) == x", [&gpt2] {
    const std::string text = *valid_text();
    RC_ASSERT(gpt2.decode(gpt2.encode(text, kPlain).ids) == text);
  }));
}

TEST(TokenizerProperty, ByteLevelRangesAreTheBytesOfTheTokens) {
  const auto& gpt2 = *all_tokenizers()[0];
  EXPECT_TRUE(rc::check("ranges join up to the text", [&gpt2] {
    const std::string text = *valid_text();
    const Encoding encoding = gpt2.encode(text, kPlain);
    std::uint32_t position = 0;
    for (const ByteRange& range : encoding.ranges) {
      RC_ASSERT(range.begin == position);
      RC_ASSERT(range.end > range.begin);
      position = range.end;
    }
    RC_ASSERT(position == text.size());
  }));
}

/// Ranges advance and stay inside the text, and ids are in the vocabulary.
void check_encoding(const SubwordTokenizer& tokenizer, const std::string& text) {
  const Encoding encoding = tokenizer.encode(text, kPlain);
  RC_ASSERT(encoding.ranges.size() == encoding.ids.size());
  RC_ASSERT(encoding.type_ids.size() == encoding.ids.size());
  ByteRange last;
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    const ByteRange range = encoding.ranges[i];
    RC_ASSERT(range.begin <= range.end);
    RC_ASSERT(range.begin >= last.begin);
    RC_ASSERT(range.end >= last.end);
    RC_ASSERT(range.end <= text.size());
    RC_ASSERT(!tokenizer.token(encoding.ids[i]).empty());
    last = range;
  }
  RC_ASSERT(is_valid_utf8(tokenizer.decode(encoding.ids, true)));
}

TEST(TokenizerProperty, RangesGoForwardOnAnyText) {
  EXPECT_TRUE(rc::check("on valid UTF-8", [] {
    const std::string text = *valid_text();
    for (const auto& tokenizer : all_tokenizers()) check_encoding(*tokenizer, text);
  }));
  EXPECT_TRUE(rc::check("on any bytes", [] {
    const std::string text = *any_bytes();
    for (const auto& tokenizer : all_tokenizers()) check_encoding(*tokenizer, text);
  }));
}

TEST(TokenizerProperty, AskingForRangesDoesNotChangeIds) {
  EXPECT_TRUE(rc::check("ids are the same", [] {
    const std::string text = *rc::gen::oneOf(valid_text(), any_bytes());
    for (const auto& tokenizer : all_tokenizers())
      RC_ASSERT(tokenizer->encode(text).ids == tokenizer->encode(text, {.ranges = true}).ids);
  }));
}

TEST(TokenizerProperty, ThreadsShareATokenizer) {
  const std::vector<std::string> lines = testing::read_reference_lines();
  for (const char* name : {"gpt2", "bert-uncased", "t5-json"}) {
    const auto expected_from = open_tokenizer(name);
    const auto shared = open_tokenizer(name);
    std::vector<std::thread> threads;
    std::vector<int> wrong(4);
    for (std::size_t t = 0; t < wrong.size(); ++t)
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < 1000; ++i) {
          const std::string& line = lines[(i * (t + 1)) % lines.size()];
          if (shared->encode(line).ids != expected_from->encode(line).ids) ++wrong[t];
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(4)) << name;
  }
}

// These take minutes if any step returns to the beginning for each token.
TEST(TokenizerProperty, HostileTextTakesAboutLinearTime) {
  constexpr std::size_t kBytes = testing::kSanitized ? 30'000 : 300'000;
  for (const std::string piece :
       {"a", "ab", " ", "\n", "'", "é", "e\u0301", "日", "<mask", "\u0301", "1", "\xFF"}) {
    std::string text;
    while (text.size() < kBytes) text += piece;
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const Encoding encoding = all_tokenizers()[i]->encode(text, kPlain);
      EXPECT_EQ(encoding.ids.size(), encoding.ranges.size()) << kNames[i];
    }
  }
}

}  // namespace
}  // namespace sotto

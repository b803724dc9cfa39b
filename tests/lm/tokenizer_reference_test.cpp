// Ids equal those of the Hugging Face tokenizers and sentencepiece libraries on 10,000 lines, and classes and
// normalization agree on every code point.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "lm/tokenizer/bert_normalizer.hpp"
#include "lm/tokenizer/unicode_classes.hpp"
#include "lm/tokenizer_fixture.hpp"
#include "text/utf8.hpp"

namespace sotto {
namespace {

using namespace sotto::lm;
using testing::kTokenizerData;
using testing::open_tokenizer;

using Tokenizers = std::vector<std::shared_ptr<const SubwordTokenizer>>;

/// Compares the ids of the first `count` lines with those of a file; shows a few of the differences.
void expect_reference_ids(const std::vector<std::string>& names, const std::string& file, std::size_t count) {
  Tokenizers tokenizers;
  for (const std::string& name : names) tokenizers.push_back(open_tokenizer(name));
  const std::vector<std::string> lines = testing::read_reference_lines();
  ASSERT_EQ(lines.size(), 10000U);
  testing::PackedReader reference(testing::read_unpacked(kTokenizerData / file));
  std::vector<int> wrong(names.size());
  for (std::size_t line = 0; line < count; ++line)
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::vector<SubwordId> expected = reference.ids();
      const std::vector<SubwordId> found = tokenizers[i]->encode(lines[line]).ids;
      if (found == expected || ++wrong[i] > 3) continue;
      ADD_FAILURE() << names[i] << " on '" << lines[line] << "': " << ::testing::PrintToString(found)
                    << " instead of " << ::testing::PrintToString(expected);
    }
  EXPECT_TRUE(reference.at_end());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(wrong[i], 0) << names[i];
}

TEST(TokenizerReference, IdsOfAllLines) {
  expect_reference_ids({"gpt2", "roberta", "bert-uncased", "bert-cased", "t5-json", "t5-spiece"}, "ids.zst",
                       10000);
}

TEST(TokenizerReference, IdsOfXlmRoberta) {
  expect_reference_ids({"xlm-roberta"}, "xlm-ids.zst", 500);
}

std::string normalized(const std::string& text, const BertNormalization& settings) {
  NormalizedText out;
  normalize_bert(text, settings, false, out);
  return std::string(out.view());
}

std::string class_name(char32_t value) {
  switch (pattern_class(value)) {
    case PatternClass::letter:
      return "letter";
    case PatternClass::number:
      return "number";
    case PatternClass::other:
      return "other";
    case PatternClass::space:
      return "space";
  }
  return {};
}

std::string word_count(const std::string& character) {
  const std::string text = "a" + character + "a";
  int count = 0;
  for (IndexRange word = next_bert_word(text, 0); word.begin < word.end;
       word = next_bert_word(text, word.end))
    ++count;
  return std::to_string(count);
}

/// The columns of blocks.txt for one code point.
std::vector<std::string> describe(char32_t value) {
  const std::string character(text::encode_utf8(value).view());
  return {class_name(value), normalized(character, {}),
          normalized(character, {.strip_accents = false, .lowercase = false}),
          normalized(character, {.strip_accents = false}), word_count(character)};
}

TEST(TokenizerReference, ClassesOfAllCodePoints) {
  std::ifstream file(kTokenizerData / "blocks.txt");
  std::size_t blocks = 0;
  for (std::string line; std::getline(file, line); ++blocks) {
    std::istringstream fields(line);
    std::string start;
    fields >> start;
    const auto first = static_cast<char32_t>(std::stoul(start, nullptr, 16));
    std::vector<std::string> columns(5);
    for (char32_t value = first; value < first + 4096; ++value) {
      if (value >= 0xD800 && value < 0xE000) continue;
      const std::vector<std::string> parts = describe(value);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (value > first) columns[i] += '\n';
        columns[i] += parts[i];
      }
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::string expected;
      fields >> expected;
      EXPECT_EQ(base::to_hex(base::sha256(columns[i])).substr(0, 8), expected)
          << "column " << i + 1 << " from U+" << start;
    }
  }
  EXPECT_EQ(blocks, 272U);
}

}  // namespace
}  // namespace sotto

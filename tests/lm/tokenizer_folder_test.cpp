// The files of a folder, and the settings next to them.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lm/tokenizer_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::lm;
using ::testing::ElementsAre;
using testing::TemporaryFolder;
using testing::unpack_tokenizer;
using testing::value_or_throw;
using testing::write_file;

std::vector<std::string> encoded(const SubwordTokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> tokens;
  for (const SubwordId id : tokenizer.encode(text).ids) tokens.emplace_back(tokenizer.token(id));
  return tokens;
}

TEST(TokenizerFolder, TokenizerJsonComesFirst) {
  const TemporaryFolder folder;
  unpack_tokenizer("gpt2", folder.path());
  unpack_tokenizer("bert-uncased", folder.path());
  EXPECT_THAT(encoded(*value_or_throw(SubwordTokenizer::open(folder.path())), "the"),
              ElementsAre("[CLS]", "the", "[SEP]"));
}

TEST(TokenizerFolder, BpeFilesUnderTheirFirstNames) {
  const TemporaryFolder folder;
  unpack_tokenizer("gpt2", folder.path());
  const auto expected = value_or_throw(SubwordTokenizer::open(folder.path()));
  std::filesystem::rename(folder.path() / "vocab.json", folder.path() / "encoder.json");
  std::filesystem::rename(folder.path() / "merges.txt", folder.path() / "vocab.bpe");
  const auto found = value_or_throw(SubwordTokenizer::open(folder.path()));
  EXPECT_EQ(found->encode("some text, don't").ids, expected->encode("some text, don't").ids);
}

TEST(TokenizerFolder, PrefixSpaceIsASetting) {
  const TemporaryFolder folder;
  unpack_tokenizer("gpt2", folder.path());
  EXPECT_THAT(encoded(*value_or_throw(SubwordTokenizer::open(folder.path())), "the"),
              ElementsAre("<s>", "the", "</s>"));
  write_file(folder.path() / "tokenizer_config.json", R"({"add_prefix_space": true})");
  EXPECT_THAT(encoded(*value_or_throw(SubwordTokenizer::open(folder.path())), "the"),
              ElementsAre("<s>", "Ġthe", "</s>"));
}

TEST(TokenizerFolder, GptHasNothingAroundTheText) {
  const TemporaryFolder folder;
  unpack_tokenizer("gpt2", folder.path());
  auto vocabulary = nlohmann::json::parse(std::ifstream(folder.path() / "vocab.json"));
  for (const char* name : {"<s>", "</s>", "<pad>", "<unk>", "<mask>"}) vocabulary.erase(name);
  vocabulary["<|endoftext|>"] = 0;
  write_file(folder.path() / "vocab.json", vocabulary.dump());
  const auto tokenizer = value_or_throw(SubwordTokenizer::open(folder.path()));
  EXPECT_THAT(encoded(*tokenizer, "the<|endoftext|>"), ElementsAre("the", "<|endoftext|>"));
  EXPECT_EQ(tokenizer->special().bos, 0U);
  EXPECT_EQ(tokenizer->special().eos, 0U);
  EXPECT_FALSE(tokenizer->special().mask.has_value());
}

TEST(TokenizerFolder, BertSettings) {
  const TemporaryFolder folder;
  write_file(folder.path() / "vocab.txt",
             "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ncafe\ncafé\nCafé\r\n日\n##本\n日本\n");
  const auto open = [&folder](const std::string& config) {
    write_file(folder.path() / "tokenizer_config.json", config);
    return value_or_throw(SubwordTokenizer::open(folder.path()));
  };
  EXPECT_THAT(encoded(*open("{}"), "Café 日本"), ElementsAre("[CLS]", "cafe", "日", "[UNK]", "[SEP]"));
  EXPECT_THAT(encoded(*open(R"({"do_lower_case": false})"), "Café"), ElementsAre("[CLS]", "Café", "[SEP]"));
  EXPECT_THAT(encoded(*open(R"({"strip_accents": false})"), "Café"), ElementsAre("[CLS]", "café", "[SEP]"));
  EXPECT_THAT(encoded(*open(R"({"tokenize_chinese_chars": false})"), "日本"),
              ElementsAre("[CLS]", "日本", "[SEP]"));
}

TEST(TokenizerFolder, TokensThatSomebodyAdded) {
  const TemporaryFolder folder;
  unpack_tokenizer("bert-cased", folder.path());
  const auto plain = value_or_throw(SubwordTokenizer::open(folder.path()));
  const std::size_t size = plain->size();
  write_file(folder.path() / "added_tokens.json", nlohmann::json{{"<new>", size}}.dump());
  nlohmann::json config = {{"do_lower_case", false}};
  config["added_tokens_decoder"][std::to_string(size + 1)] = {{"content", "<two>"}, {"rstrip", true}};
  write_file(folder.path() / "tokenizer_config.json", config.dump());
  const auto tokenizer = value_or_throw(SubwordTokenizer::open(folder.path()));
  EXPECT_EQ(tokenizer->size(), size + 2);
  EXPECT_THAT(encoded(*tokenizer, "the<new>the<two> the"),
              ElementsAre("[CLS]", "the", "<new>", "the", "<two>", "the", "[SEP]"));
  EXPECT_FALSE(tokenizer->starts_word(static_cast<SubwordId>(size)));
}

TEST(TokenizerFolder, SpecialTokensByTheirNamesInTheSettings) {
  const TemporaryFolder folder;
  unpack_tokenizer("roberta", folder.path());
  write_file(
      folder.path() / "special_tokens_map.json",
      R"({"mask_token": {"content": "<pad>", "lstrip": true}, "pad_token": "<unk>", "eos_token": null})");
  const auto tokenizer = value_or_throw(SubwordTokenizer::open(folder.path()));
  EXPECT_EQ(tokenizer->token(tokenizer->special().mask.value()), "<pad>");
  EXPECT_EQ(tokenizer->token(tokenizer->special().pad.value()), "<unk>");
  EXPECT_EQ(tokenizer->token(tokenizer->special().eos.value()), "</s>");
}

TEST(TokenizerFolder, T5CountsItsSentinelsDown) {
  const TemporaryFolder folder;
  unpack_tokenizer("t5-spiece", folder.path());
  const std::size_t pieces = value_or_throw(SubwordTokenizer::open(folder.path()))->size();
  write_file(folder.path() / "config.json", R"({"model_type": "t5"})");
  const auto tokenizer = value_or_throw(SubwordTokenizer::open(folder.path()));
  EXPECT_EQ(tokenizer->size(), pieces + 100);
  EXPECT_EQ(tokenizer->id("<extra_id_0>"), pieces + 99);
  EXPECT_EQ(tokenizer->id("<extra_id_99>"), pieces);
  EXPECT_THAT(encoded(*tokenizer, "the <extra_id_1> the"),
              ElementsAre("▁the", "<extra_id_1>", "▁the", "</s>"));
}

TEST(TokenizerFolder, XlmRobertaHasItsOwnFirstIds) {
  const auto tokenizer = testing::open_tokenizer("xlm-roberta");
  EXPECT_EQ(tokenizer->special().bos, 0U);
  EXPECT_EQ(tokenizer->special().pad, 1U);
  EXPECT_EQ(tokenizer->special().eos, 2U);
  EXPECT_EQ(tokenizer->special().unk, 3U);
  EXPECT_EQ(tokenizer->special().mask, tokenizer->size() - 1);
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("the thing").ids), "the thing");
}

}  // namespace
}  // namespace sotto

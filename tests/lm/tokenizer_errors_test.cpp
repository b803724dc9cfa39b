// Absent, damaged or unsupported folders are refused in one line that names the file and the field.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lm/tokenizer_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::lm;
using Json = nlohmann::json;
using testing::expect_error;
using testing::TemporaryFolder;
using testing::write_file;

void expect_refused(const std::filesystem::path& folder, const std::vector<std::string>& parts,
                    Errc code = Errc::bad_format) {
  expect_error(SubwordTokenizer::open(folder), code, parts);
}

/// Changes the tokenizer.json of a committed tokenizer and expects a refusal.
void expect_change_refused(const std::string& name, const std::function<void(Json&)>& change,
                           const std::vector<std::string>& parts) {
  const TemporaryFolder folder;
  testing::unpack_tokenizer(name, folder.path());
  const std::filesystem::path file = folder.path() / "tokenizer.json";
  Json json = Json::parse(std::ifstream(file));
  change(json);
  write_file(file, json.dump());
  std::vector<std::string> all = parts;
  all.push_back(file.string());
  expect_refused(folder.path(), all);
}

TEST(TokenizerErrors, AFolderWithoutATokenizer) {
  const TemporaryFolder folder;
  expect_refused(folder.path() / "absent", {"absent", "no such folder"}, Errc::not_found);
  expect_refused(folder.path(), {folder.path().string(), "tokenizer.json", "vocab.txt", "spiece.model"},
                 Errc::not_found);
}

TEST(TokenizerErrors, OneFileOfAPair) {
  const TemporaryFolder folder;
  write_file(folder.path() / "vocab.json", "{}");
  expect_refused(folder.path(), {"merges.txt: not found", "vocab.json"}, Errc::not_found);
  std::filesystem::rename(folder.path() / "vocab.json", folder.path() / "vocab.bpe");
  expect_refused(folder.path(), {"encoder.json: not found", "vocab.bpe"}, Errc::not_found);
}

TEST(TokenizerErrors, FilesThatAreNoJson) {
  const TemporaryFolder folder;
  for (const std::string content : {"", "{", "[1]", "\xFF\xFE", "{\"a\": \"\xFF\"}"}) {
    write_file(folder.path() / "tokenizer.json", content);
    expect_refused(folder.path(), {"tokenizer.json", "JSON"});
  }
  write_file(folder.path() / "tokenizer.json", "{}");
  expect_refused(folder.path(), {"tokenizer.json: model is missing"});
  write_file(folder.path() / "tokenizer_config.json", "nonsense");
  expect_refused(folder.path(), {"tokenizer_config.json", "JSON"});
}

TEST(TokenizerErrors, ModelsThatAreNotSupported) {
  const auto set = [](const char* path, const Json& value) {
    return [path, value](Json& json) { json[Json::json_pointer(path)] = value; };
  };
  expect_change_refused("roberta", set("/model/type", "WordLevel"), {"model: type 'WordLevel'"});
  expect_change_refused("roberta", set("/model/dropout", 0.1), {"model: dropout is 0.1"});
  expect_change_refused("roberta", set("/model/byte_fallback", true), {"byte_fallback is true"});
  expect_change_refused("roberta", set("/pre_tokenizer/type", "Whitespace"),
                        {"pre_tokenizer", "'Whitespace'"});
  expect_change_refused("roberta", set("/pre_tokenizer", nullptr),
                        {"pre_tokenizer is absent", "'ByteLevel'"});
  expect_change_refused("roberta", set("/pre_tokenizer/use_regex", false), {"use_regex is false"});
  expect_change_refused("roberta", set("/normalizer", Json{{"type", "NFC"}}),
                        {"normalizer", "'NFC'", "null"});
  expect_change_refused("roberta", set("/post_processor/type", "Other"), {"post_processor: type 'Other'"});
  expect_change_refused("bert-uncased", set("/normalizer/type", "NFKC"), {"normalizer", "'NFKC'"});
  expect_change_refused("bert-uncased", set("/pre_tokenizer/type", "Digits"), {"pre_tokenizer", "'Digits'"});
  expect_change_refused("t5-json", set("/model/byte_fallback", true), {"byte_fallback is true"});
  expect_change_refused("t5-json", set("/decoder/type", "Fuse"), {"decoder: type 'Fuse'"});
  expect_change_refused("t5-json", set("/normalizer/type", "NFD"), {"normalizer: type 'NFD'"});
  expect_change_refused("t5-json", set("/pre_tokenizer/pretokenizers/1/type", "Digits"), {"'Digits'"});
  expect_change_refused("t5-json", set("/pre_tokenizer/pretokenizers/1/prepend_scheme", "first"),
                        {"'first'"});
}

TEST(TokenizerErrors, FieldsThatAreDamaged) {
  const auto set = [](const char* path, const Json& value) {
    return [path, value](Json& json) { json[Json::json_pointer(path)] = value; };
  };
  expect_change_refused("roberta", set("/model/vocab", 3), {"model: vocab is not an object"});
  expect_change_refused("roberta", set("/model/vocab/a", -1), {"model: vocab: a is not a whole number"});
  expect_change_refused("roberta", set("/model/vocab/new", 99999999), {"id 99999999", "10000000"});
  expect_change_refused("roberta", set("/model/vocab/new", 7), {"the id 7 has two tokens"});
  expect_change_refused("roberta", set("/model/merges", "x"), {"model: merges is not a list"});
  expect_change_refused("roberta", set("/model/merges/1", "a b c"), {"merges has an entry 2"});
  expect_change_refused("roberta", set("/model/merges/0", Json{"zzz", "q"}), {"merge 1", "'zzz'"});
  expect_change_refused("roberta", set("/added_tokens/0/id", "x"), {"added_tokens[0]: id"});
  expect_change_refused("roberta", set("/added_tokens/0/content", ""),
                        {"added_tokens[0]: content is missing"});
  expect_change_refused("roberta", set("/added_tokens/0/lstrip", 1), {"lstrip is neither true nor false"});
  expect_change_refused("roberta", set("/post_processor/sep", Json{"</s>", 99999}),
                        {"sep has the unknown id"});
  expect_change_refused("bert-uncased", set("/model/unk_token", "[X]"), {"lacks the token '[X]'"});
  expect_change_refused("bert-uncased", set("/post_processor/single/0/SpecialToken/id", "[X]"),
                        {"[X] is missing"});
  expect_change_refused("bert-uncased", set("/post_processor/pair", nullptr), {"pair is not a list"});
  expect_change_refused("t5-json", set("/model/vocab/5", "x"), {"vocab has an entry 5"});
  expect_change_refused("t5-json", set("/model/unk_id", nullptr), {"unk_id is missing"});
  expect_change_refused("t5-json", set("/model/unk_id", 100000), {"unk_id 100000 is not in vocab"});
  expect_change_refused("t5-json", set("/normalizer/precompiled_charsmap", "?"),
                        {"charsmap is not valid base64"});
  expect_change_refused("t5-json", set("/normalizer/precompiled_charsmap", "/////w=="),
                        {"charsmap", "4 bytes"});
}

TEST(TokenizerErrors, OlderFilesThatAreDamaged) {
  const TemporaryFolder folder;
  write_file(folder.path() / "vocab.txt", "[PAD]\n[CLS]\n");
  expect_refused(folder.path(), {"vocab.txt", "lacks the token '[UNK]'"});
  write_file(folder.path() / "vocab.txt", "[UNK]\n[CLS]\n");
  expect_refused(folder.path(), {"vocab.txt", "lacks the token '[SEP]'"});
  write_file(folder.path() / "vocab.txt", "[UNK]\na\na\n");
  expect_refused(folder.path(), {"vocab.txt", "'a' has two ids, 1 and 2"});
  write_file(folder.path() / "vocab.txt", "[UNK]\n\xFF\n");
  expect_refused(folder.path(), {"vocab.txt", "not valid UTF-8"});
  write_file(folder.path() / "vocab.txt", "[UNK]\n[CLS]\n[SEP]\n");
  write_file(folder.path() / "tokenizer_config.json", R"({"do_lower_case": "yes"})");
  expect_refused(folder.path(), {"tokenizer_config.json: do_lower_case"});
  write_file(folder.path() / "tokenizer_config.json", R"({"added_tokens_decoder": {"x": {}}})");
  expect_refused(folder.path(), {"tokenizer_config.json", "'x' is not an id"});
}

TEST(TokenizerErrors, MergesThatAreDamaged) {
  const TemporaryFolder folder;
  testing::unpack_tokenizer("gpt2", folder.path());
  write_file(folder.path() / "merges.txt", "#version: 0.2\nt h\na\n");
  expect_refused(folder.path(), {"merges.txt: line 3"});
  write_file(folder.path() / "merges.txt", "#version: 0.2\nt zzz\n");
  expect_refused(folder.path(), {"merges.txt: merge 1", "'zzz'"});
  write_file(folder.path() / "vocab.json", R"({"abc": 0})");
  write_file(folder.path() / "merges.txt", "");
  expect_refused(folder.path(), {"no token for any single byte"});
}

TEST(TokenizerErrors, SentencePieceFilesThatAreDamaged) {
  const TemporaryFolder folder;
  testing::unpack_tokenizer("t5-spiece", folder.path());
  const std::filesystem::path file = folder.path() / "spiece.model";
  const std::string whole = testing::read_unpacked(file);
  std::string with_nul = whole;
  with_nul.at(with_nul.find("\u2581the")) = '\0';
  for (const std::string& content :
       {std::string(), std::string("no model"), whole.substr(0, whole.size() / 2), with_nul}) {
    write_file(file, content);
    expect_refused(folder.path(), {"spiece.model", "not a sentencepiece model"});
  }
  write_file(file, whole);
  write_file(folder.path() / "tokenizer_config.json", R"({"tokenizer_class": "AlbertTokenizer"})");
  expect_refused(folder.path(), {"tokenizer_class 'AlbertTokenizer'", "spiece.model", "T5Tokenizer"});
  std::filesystem::remove(folder.path() / "tokenizer_config.json");
  write_file(folder.path() / "config.json", R"({"model_type": "albert"})");
  expect_refused(folder.path(), {"model_type 'albert'", "t5"});
  std::filesystem::remove(folder.path() / "config.json");
  std::filesystem::rename(file, folder.path() / "sentencepiece.bpe.model");
  expect_refused(folder.path(), {"sentencepiece.bpe.model", "XLM-RoBERTa"});
}

// What the model does not know would become padding.
TEST(TokenizerErrors, TextsCannotBecomeSpecialTokens) {
  const TemporaryFolder folder;
  testing::unpack_tokenizer("t5-spiece", folder.path());
  const std::filesystem::path file = folder.path() / "spiece.model";
  std::string content = testing::read_unpacked(file);
  const std::size_t pad = content.find("<pad>");
  const std::size_t unknown = content.find("<unk>");
  ASSERT_TRUE(pad != std::string::npos && unknown != std::string::npos);
  content.replace(pad, 5, "<unk>").replace(unknown, 5, "<pad>");
  write_file(file, content);
  expect_refused(folder.path(), {folder.path().string(), "special token '<pad>'"});
}

}  // namespace
}  // namespace sotto

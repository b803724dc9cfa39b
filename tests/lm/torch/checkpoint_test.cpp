// Damaged, mismatched or hostile folders are refused with one line that names what is wrong.
#include <fstream>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/safetensors.hpp"
#include "lm/torch/plugin_fixture.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::lm;

class Checkpoints : public PluginTest {
 protected:
  /// A copy of a checkpoint, to be damaged.
  std::filesystem::path copy(const std::string& name) {
    const auto target = folder_.path() / name;
    std::filesystem::remove_all(target);
    std::filesystem::copy(checkpoint_folder(name), target, std::filesystem::copy_options::recursive);
    return target;
  }
  static void configure(const std::filesystem::path& folder, const std::string& key,
                        const nlohmann::json& value) {
    nlohmann::json config = nlohmann::json::parse(base::read_file(folder / "config.json").value());
    config[key] = value;
    std::ofstream(folder / "config.json") << config;
  }
  /// Changes the header of the weights; `change` gets its JSON.
  template <class Change>
  static void edit_header(const std::filesystem::path& folder, const Change& change,
                          std::size_t padding = 8) {
    const std::string file = base::read_file(folder / "model.safetensors").value();
    std::uint64_t length = 0;
    file.copy(reinterpret_cast<char*>(&length), 8);
    nlohmann::json header = nlohmann::json::parse(file.substr(8, length));
    change(header);
    std::string text = header.dump();
    while (text.size() % 8 != padding % 8) text += ' ';
    const std::uint64_t size = text.size();
    std::ofstream(folder / "model.safetensors", std::ios::binary)
        << base::as_bytes(std::span(&size, 1)) << text << file.substr(8 + length);
  }
  auto open(const std::filesystem::path& folder) { return backend().open_masked(folder, resources()); }

  TemporaryFolder folder_;
};

TEST_F(Checkpoints, MissingFolderAndFiles) {
  expect_error(open("/nowhere"), Errc::not_found, {"/nowhere", "config.json", "model.safetensors"});
  const auto folder = copy("bert");
  std::filesystem::remove(folder / "model.safetensors");
  expect_error(open(folder), Errc::not_found, {"model.safetensors"});
  std::filesystem::remove(folder / "config.json");
  expect_error(open(folder), Errc::not_found, {"config.json"});
}

TEST_F(Checkpoints, EveryTruncationIsRefused) {
  const auto folder = copy("distilroberta");
  const std::string whole = base::read_file(folder / "model.safetensors").value();
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    std::ofstream(folder / "model.safetensors", std::ios::binary) << whole.substr(0, size);
    EXPECT_FALSE(open(folder).has_value()) << size;
  }
  std::ofstream(folder / "model.safetensors", std::ios::binary) << whole.substr(0, whole.size() - 4);
  expect_error(open(folder), Errc::bad_format, {"tensor 'roberta.encoder.layer.0.output.dense.weight'"});
}

TEST_F(Checkpoints, WrongShapeNamesTensorAndShapes) {
  const auto folder = copy("bert");
  configure(folder, "intermediate_size", 20);
  expect_error(open(folder), Errc::bad_format,
               {"tensor 'bert.encoder.layer.0.intermediate.dense.bias'", "[24]", "[20]"});
}

TEST_F(Checkpoints, MissingTensorNamesIt) {
  const auto folder = copy("bert");
  configure(folder, "num_hidden_layers", 3);
  expect_error(open(folder), Errc::bad_format, {"bert.encoder.layer.2.", "[16"});
  configure(folder, "num_hidden_layers", 1024);
  expect_error(open(folder), Errc::bad_format, {"bert.encoder.layer.2."});
}

TEST_F(Checkpoints, HostileNumbersAreRefused) {
  for (const char* key : {"hidden_size", "vocab_size", "num_hidden_layers", "num_attention_heads",
                          "intermediate_size", "max_position_embeddings", "type_vocab_size"}) {
    for (const nlohmann::json& value :
         {nlohmann::json(-1), nlohmann::json(0), nlohmann::json(1e300),
          nlohmann::json(std::uint64_t{1} << 63), nlohmann::json(std::int64_t{1} << 40), nlohmann::json("16"),
          nlohmann::json::array({1}), nlohmann::json(1.5)}) {
      const auto folder = copy("bert");
      configure(folder, key, value);
      expect_error(open(folder), Errc::bad_format, {"config.json", key, "must be"});
    }
  }
  const auto folder = copy("bert");
  configure(folder, "num_attention_heads", 3);
  expect_error(open(folder), Errc::bad_format, {"num_attention_heads", "divisor"});
  const auto roberta = copy("distilroberta");
  configure(roberta, "pad_token_id", 13);
  expect_error(open(roberta), Errc::bad_format, {"max_position_embeddings"});
  const auto t5 = copy("t5");
  configure(t5, "decoder_start_token_id", 61);
  expect_error(backend().open_causal(t5, resources()), Errc::bad_format,
               {"decoder_start_token_id", "0 to 60"});
}

TEST_F(Checkpoints, ConfigThatIsNoJsonIsRefused) {
  const auto folder = copy("bert");
  for (const char* text : {"", "[1]", "{", "\xff\xfe"}) {
    std::ofstream(folder / "config.json") << text;
    expect_error(open(folder), Errc::bad_format, {"config.json", "not a JSON object"});
  }
}

TEST_F(Checkpoints, UnknownArchitecturesAreRefused) {
  expect_error(open(checkpoint_folder("gpt2")), Errc::bad_format, {"model_type", "gpt2", "roberta"});
  expect_error(backend().open_causal(checkpoint_folder("bert"), resources()), Errc::bad_format,
               {"model_type", "bert", "gpt2 or t5"});
  const auto folder = copy("bert");
  configure(folder, "model_type", "llama");
  expect_error(open(folder), Errc::bad_format, {"llama"});
  expect_error(backend().open_sentence(folder, resources()), Errc::bad_format, {"llama"});
  configure(folder, "model_type", "bert");
  configure(folder, "hidden_act", "tanh");
  expect_error(open(folder), Errc::bad_format, {"hidden_act", "tanh", "gelu"});
}

TEST_F(Checkpoints, ElementTypesThatAreNoNumbersAreRefused) {
  const auto folder = copy("bert");
  edit_header(folder,
              [](nlohmann::json& header) { header["bert.embeddings.LayerNorm.bias"]["dtype"] = "I32"; });
  expect_error(open(folder), Errc::bad_format, {"bert.embeddings.LayerNorm.bias", "I32", "F32, F16, BF16"});
}

// Files from before the format was padded.
TEST_F(Checkpoints, UnalignedFilesAreRead) {
  const auto folder = copy("bert");
  edit_header(
      folder, [](nlohmann::json&) {}, 3);
  const auto model = masked(folder);
  const auto aligned = masked(checkpoint_folder("bert"));
  ASSERT_NE(model, nullptr);
  const Sequence sequence{{5, 6, 7}, {}, {}, {}};
  const std::uint32_t place = 1;
  std::vector<float> a(61);
  std::vector<float> b(61);
  ASSERT_TRUE(model->logits({&sequence, 1}, {&place, 1}, a));
  ASSERT_TRUE(aligned->logits({&sequence, 1}, {&place, 1}, b));
  // Some libraries sum in a different order depending on alignment.
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << i;
}

TEST_F(Checkpoints, ShardsMustBeThereAndInTheFolder) {
  const auto folder = copy("roberta-sharded");
  const auto index = folder / "model.safetensors.index.json";
  nlohmann::json json = nlohmann::json::parse(base::read_file(index).value());
  auto changed = json;
  for (const char* const elsewhere : {"../roberta/model.safetensors", "model.weights"}) {
    changed["weight_map"]["lm_head.bias"] = elsewhere;
    std::ofstream(index) << changed;
    expect_error(open(folder), Errc::bad_format,
                 {"lm_head.bias", "not in a file *.safetensors of this folder"});
  }
  changed = json;
  changed["weight_map"]["another"] = json["weight_map"]["lm_head.bias"];
  std::ofstream(index) << changed;
  expect_error(open(folder), Errc::bad_format, {"tensor 'another'", "model-0000"});
  std::ofstream(index) << json;
  std::filesystem::remove(folder / "model-00002-of-00005.safetensors");
  expect_error(open(folder), Errc::not_found, {"model-00002-of-00005.safetensors"});
}

TEST_F(Checkpoints, ModulesThatWouldChangeAVectorAreRefused) {
  const auto folder = copy("bert-sentence");
  nlohmann::json pooling =
      nlohmann::json::parse(base::read_file(folder / "1_Pooling" / "config.json").value());
  pooling["pooling_mode_max_tokens"] = true;
  std::ofstream(folder / "1_Pooling" / "config.json") << pooling;
  expect_error(backend().open_sentence(folder, resources()), Errc::bad_format, {"1_Pooling", "mean"});
  nlohmann::json modules = nlohmann::json::parse(base::read_file(folder / "modules.json").value());
  modules[2]["type"] = "sentence_transformers.models.Dense";
  modules.erase(1);
  std::ofstream(folder / "modules.json") << modules;
  expect_error(backend().open_sentence(folder, resources()), Errc::bad_format, {"modules.json", "Dense"});
}

}  // namespace
}  // namespace sotto::testing

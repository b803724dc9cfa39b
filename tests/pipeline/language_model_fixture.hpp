// Language models in the pipeline, with the fake plugin of tests/support/fake_plugin.cpp.
#pragma once

#include <cstdlib>

#include <sotto/tokenizer.hpp>

#include "support/pipeline_fixture.hpp"

namespace sotto::testing {

// Must run before anything loads the plugin.
inline const int kFakePluginIsChosen = ::setenv("SOTTO_PLUGINS", SOTTO_FAKE_PLUGIN, 1);

class LanguageModels : public PipelineTest {
 protected:
  LanguageModels() {
    EXPECT_EQ(kFakePluginIsChosen, 0);
    make_masked("masked", R"("range": 10)");
  }

  /// A masked model over some words; "soup" has the id 13.
  void make_masked(const std::string& name, const std::string& settings) const {
    std::filesystem::create_directory(path(name));
    write(name + "/config.json", R"({"model_type": "bert", "vocab_size": 22, )" + settings + "}");
    write(name + "/vocab.txt",
          "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n.\n,\n!\n##a\n##b\n##c\n##d\n##x\nsoup\ncold\nwarm\nthe\nwas\n"
          "waiter\ni\ngood\nbad\n");
  }
  void make_causal(const std::string& name, const std::string& type) const {
    std::filesystem::create_directory(path(name));
    write(name + "/config.json", R"({"model_type": ")" + type + R"(", "vocab_size": 8})");
    write(name + "/vocab.json",
          R"({"<|endoftext|>": 0, "<|paraphrase|>": 1, "a": 2, "b": 3, "c": 4, "d": 5, "e": 6, "Ġ": 7})");
    write(name + "/merges.txt", "#version: 0.2\n");
  }

  PrivatizeOptions mlm(double epsilon, const std::string& model = "masked") const {
    PrivatizeOptions options;
    options.mechanism.name = "dp-mlm";
    options.mechanism.epsilon = epsilon;
    options.mechanism.model = path(model).string();
    options.key_file = path("key");
    return options;
  }
  static std::string configuration(const PrivatizeOptions& options) {
    return Privatizer::make(options).value()->receipt().configuration_digest;
  }
  static std::vector<std::string> words(std::string_view text) {
    std::vector<Token> tokens;
    std::string padded(text);
    padded.reserve(padded.size() + 64);
    tokenize(padded, tokens);
    std::vector<std::string> found;
    for (const Token& token : tokens)
      if (token.token_class == TokenClass::word)
        found.push_back(padded.substr(token.begin, token.end - token.begin));
    return found;
  }
};

}  // namespace sotto::testing

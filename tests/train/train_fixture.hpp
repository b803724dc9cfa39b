// A folder with a corpus, and shorthands for training on it.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <sotto/train.hpp>

#include "support/folder_test.hpp"
#include "support/opened_model.hpp"
#include "support/result_matchers.hpp"

namespace sotto::testing {

class TrainTest : public FolderTest {
 protected:
  static std::string read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::filesystem::path tokens_file() const { return path("out.safetensors.work") / "tokens.txt"; }

  /// Small and reproducible: one thread, few dimensions, no subsampling, every word counts.
  TrainOptions options(const std::vector<std::filesystem::path>& inputs) const {
    TrainOptions options;
    options.inputs = inputs;
    options.output = path("out.safetensors");
    options.threads = 1;
    options.dimension = 12;
    options.epochs = 2;
    options.min_count = 1;
    options.subsampling = 1;
    return options;
  }
  TrainOptions options(std::string_view corpus) const {
    return options(std::vector{write("corpus.txt", corpus)});
  }

  std::shared_ptr<const Model> train(const TrainOptions& options, TrainReport* report = nullptr) const {
    return opened_model(train_vectors(options), options.output, report);
  }

  /// What fastText reads: one sentence per line.
  std::string tokens_of(TrainOptions options) const {
    options.keep_work = true;
    train(options);
    std::string tokens = read(tokens_file());
    std::filesystem::remove_all(path("out.safetensors.work"));
    return tokens;
  }

  static std::map<std::string, std::uint64_t> counts_of(const Model& model) {
    std::map<std::string, std::uint64_t> counts;
    for (TokenId id = 0; id < model.size(); ++id) counts[std::string(model.word(id))] = model.counts()[id];
    return counts;
  }

  /// Eight topics of five words, axa to hxe; each line consists of words of one topic.
  static constexpr int kTopics = 8;
  static constexpr int kTopicWords = 5;
  static std::string topic_word(int topic, int word) {
    return {static_cast<char>('a' + topic), 'x', static_cast<char>('a' + word)};
  }
  static std::string topics(int lines, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::string corpus;
    for (int line = 0; line < lines; ++line) {
      const int topic = static_cast<int>(random() % kTopics);
      for (int i = 0; i < 8; ++i) corpus += topic_word(topic, static_cast<int>(random() % kTopicWords)) + ' ';
      corpus += '\n';
    }
    return corpus;
  }
};

}  // namespace sotto::testing

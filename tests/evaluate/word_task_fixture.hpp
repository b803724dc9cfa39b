// A small world for the tuning tests: the twelve-word model of four groups, its words labelled by group.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evaluate/tuning/word_task.hpp"
#include "mechanisms/noise_fixture.hpp"
#include "support/folder_test.hpp"
#include "support/tiny_model.hpp"

namespace sotto::testing {

class WordTaskTest : public FolderTest {
 protected:
  /// Function words, food, animals and cities; "soup" is both food and animal, to have a word with two
  /// labels.
  WordTaskOptions labelled() {
    WordTaskOptions options;
    options.outputs = "list";
    options.table =
        write("words.tsv",
              "the\tfunction\t7\na\tfunction\t5\nan\tfunction\npizza\tfood\t3\npasta\tfood\nsoup\tfood\n"
              "soup\tanimal\ndog\tanimal\ncat\tanimal\nhorse\tanimal\nparis\tcity\nlondon\tcity\n"
              "rome\tcity\t2\nunknown\tcity\n");
    return options;
  }

  evaluate::WordTask task(const WordTaskOptions& options) {
    auto read = evaluate::WordTask::read(model_, options);
    if (!read) throw std::runtime_error(read.error().message);
    return std::move(*read);
  }

  TokenId id(const std::string& word) const { return model_->find(word); }

  std::shared_ptr<const Model> model_ = write_tiny_model(folder_.path() / "tiny.safetensors");
};

}  // namespace sotto::testing

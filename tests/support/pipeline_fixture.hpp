// A folder with a list set and a key, and shorthands for running documents and files through the pipeline.
#pragma once

#include <gtest/gtest.h>

#include <sotto/error_text.hpp>
#include <sotto/privatize.hpp>
#include <sotto/receipt_description.hpp>

#include "base/file.hpp"
#include "support/folder_test.hpp"
#include "support/list_set.hpp"

namespace sotto::testing {

class PipelineTest : public FolderTest {
 protected:
  PipelineTest() {
    const std::vector<std::string> extra = {"the", "soup",  "was",  "cold", "waiter",
                                            "i",   "don't", "good", "bad"};
    words_ = letter_words(501);
    std::erase(words_, "was");
    words_.insert(words_.end(), extra.begin(), extra.end());
    model_ =
        write_list_set(path("lists.safetensors"), words_,
                       {{"a", stepping_order(words_.size(), 1)}, {"b", stepping_order(words_.size(), 7)}});
    write("key", std::string(32, 'k'));
  }

  std::string read(const std::string& name) const { return base::read_file(path(name)).value(); }
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }

  PrivatizeOptions options(double epsilon = 1) const {
    PrivatizeOptions options;
    options.mechanism.epsilon = epsilon;
    options.mechanism.model = path("lists.safetensors").string();
    options.key_file = path("key");
    return options;
  }

  /// One document through the in-memory path.
  std::string rewrite(std::string_view text, const PrivatizeOptions& with, Counts* counts = nullptr) const {
    const auto privatizer = Privatizer::make(with).value();
    Counts ignored;
    return privatizer->privatize({"set", "1", "text"}, text, counts ? *counts : ignored).value();
  }

  FileOptions files(const std::string& input, const std::string& output) const {
    FileOptions files;
    files.inputs = {path(input)};
    files.output = path(output);
    return files;
  }

  /// Whoever reads the receipt of a run believes it.
  static void expect_sound(const Receipt& receipt) {
    const auto description = describe_receipt(to_json(receipt));
    EXPECT_TRUE(description) << describe(description.error()) << '\n' << to_json(receipt);
  }

  /// Runs over a file and returns the output; the run must succeed.
  std::string run(const PrivatizeOptions& with, const FileOptions& files) const {
    const auto receipt = privatize_files(with, files);
    EXPECT_TRUE(receipt) << (receipt ? "" : receipt.error().message);
    if (receipt) expect_sound(*receipt);
    return receipt ? base::read_file(*files.output).value() : "";
  }

  std::string run_error(const PrivatizeOptions& with, const FileOptions& files) const {
    const auto receipt = privatize_files(with, files);
    EXPECT_FALSE(receipt);
    EXPECT_FALSE(files.output && std::filesystem::exists(*files.output));
    return receipt ? "" : describe(receipt.error());
  }

  bool in_vocabulary(std::string_view word) const { return model_->find(word) != model_->bottom(); }

  std::vector<std::string> words_;
  std::shared_ptr<const Model> model_;
};

}  // namespace sotto::testing

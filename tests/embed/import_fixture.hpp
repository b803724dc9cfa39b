// A folder with vector files, and shorthands for importing them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <sotto/model.hpp>

#include "support/folder_test.hpp"
#include "support/opened_model.hpp"
#include "support/result_matchers.hpp"

namespace sotto::testing {

class ImportTest : public FolderTest {
 protected:
  ImportOptions options(std::string_view content) const {
    ImportOptions options;
    options.vectors = write("vectors", content);
    options.output = path("out.safetensors");
    return options;
  }

  /// Imports, and opens the result.
  std::shared_ptr<const Model> import(const ImportOptions& options, ImportReport* report = nullptr) const {
    return opened_model(import_vectors(options), options.output, report);
  }
  std::shared_ptr<const Model> import(std::string_view content, ImportReport* report = nullptr) const {
    return import(options(content), report);
  }

  /// Expects a refusal whose message names the file and contains these parts, and no output.
  void expect_refused(const ImportOptions& options, const std::vector<std::string>& parts) const {
    std::vector<std::string> all = parts;
    all.push_back(path("v").string());  // "vectors" or "vocabulary"
    expect_error(import_vectors(options), Errc::bad_format, all);
    EXPECT_FALSE(std::filesystem::exists(options.output));
  }
  void expect_refused(std::string_view content, const std::vector<std::string>& parts) const {
    SCOPED_TRACE(parts.front());
    expect_refused(options(content), parts);
  }

  static std::vector<std::string> words_of(const Model& model) {
    std::vector<std::string> words;
    for (TokenId id = 0; id < model.size(); ++id) words.emplace_back(model.word(id));
    return words;
  }

  static double value(const Model& model, TokenId word, std::size_t coordinate) {
    const std::size_t at = std::size_t{word} * model.dimension() + coordinate;
    return model.scale() * (model.bits() == 8 ? model.vectors8()[at] : model.vectors16()[at]);
  }
};

/// The bytes of a number, as in binary vector files.
template <class T>
std::string bytes_of(T number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

}  // namespace sotto::testing

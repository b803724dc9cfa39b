// Small list sets, written as real model files.
#pragma once

#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "embed/model_file.hpp"

namespace sotto::testing {

struct TestList {
  std::string source;
  std::vector<TokenId> order;
};

inline std::shared_ptr<const Model> write_list_set(const std::filesystem::path& file,
                                                   const std::vector<std::string>& words,
                                                   const std::vector<TestList>& lists) {
  embed::ModelParts parts;
  std::string text;
  parts.offsets.push_back(0);
  for (const std::string& word : words) {
    text += word;
    parts.offsets.push_back(text.size());
  }
  parts.words = text;
  std::vector<std::string> sources;
  for (const TestList& list : lists) {
    parts.lists.push_back(list.order);
    sources.push_back(list.source);
  }
  parts.metadata[std::string(embed::kListSourcesKey)] = nlohmann::json(sources).dump();
  if (auto digest = embed::write_model(file, parts); !digest)
    throw std::runtime_error(digest.error().message);
  auto model = Model::open(file);
  if (!model) throw std::runtime_error(model.error().message);
  return *model;
}

/// `count` words "wa", "wb", … in that order.
inline std::vector<std::string> letter_words(std::size_t count) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < count; ++i) {
    std::string word = "w";
    for (std::size_t rest = i + 1; rest > 0; rest = (rest - 1) / 26)
      word += static_cast<char>('a' + (rest - 1) % 26);
    words.push_back(word);
  }
  return words;
}

/// A tour that visits every step-th word cyclically; step and count have no common factor.
inline std::vector<TokenId> stepping_order(std::size_t count, std::size_t step) {
  std::vector<TokenId> order;
  for (std::size_t i = 0; i < count; ++i) order.push_back(static_cast<TokenId>(i * step % count));
  return order;
}

}  // namespace sotto::testing

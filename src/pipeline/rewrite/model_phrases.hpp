// The phrases that are words of a model and that texts may be segmented into.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <sotto/collocations.hpp>
#include <sotto/model.hpp>

namespace sotto::pipeline {

/// Immutable, so safe to share between threads.
struct ModelPhrases {
  /// The phrases of `file`, or of the model's own file. Refuses a table if none of its phrases is a word of
  /// the model.
  static Result<std::shared_ptr<const ModelPhrases>> open(const Model& model,
                                                          const std::optional<std::filesystem::path>& file);

  std::shared_ptr<const PhraseTable> table;
  std::vector<bool> allowed;  ///< by phrase: whether it is a word of the model
  std::vector<TokenId> ids;   ///< by phrase: that word
  std::uint64_t count = 0;    ///< number of allowed phrases
};

/// The number of words that a model's word represents: one more than its joints.
std::uint8_t count_words(std::string_view word);

}  // namespace sotto::pipeline

// How probable texts are under a causal model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <sotto/language_models.hpp>

#include "lm/language_model.hpp"
#include "lm/tokenizer/subword_tokenizer.hpp"

namespace sotto::lm {

/// Immutable, so safe to share between threads.
class TextScorer {
 public:
  static Result<std::shared_ptr<const TextScorer>> make(std::shared_ptr<const CausalModel> model,
                                                        std::shared_ptr<const SubwordTokenizer> tokenizer);
  /// Opens a model folder through the plugin.
  static Result<std::shared_ptr<const TextScorer>> open(const std::filesystem::path& folder,
                                                        const LanguageModelResources& resources);

  /// One score per text. Every text starts after an end-of-text token. In a text too long for the model,
  /// every token beyond the first window is conditioned on at least half of the model's positions.
  Result<std::vector<TextScore>> score(std::span<const std::string> texts) const;

 private:
  TextScorer() = default;

  std::shared_ptr<const CausalModel> model_;
  std::shared_ptr<const SubwordTokenizer> tokenizer_;
  std::int32_t end_ = 0;
};

}  // namespace sotto::lm

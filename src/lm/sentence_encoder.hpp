// Texts as unit vectors, by a sentence encoder and its tokenizer.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lm/language_model.hpp"
#include "lm/tokenizer/subword_tokenizer.hpp"

namespace sotto::lm {

/// Immutable, so safe to share between threads.
class SentenceEncoder {
 public:
  /// Texts are truncated to `longest` tokens; 0: as many as the model takes.
  static Result<std::shared_ptr<const SentenceEncoder>> make(
      std::shared_ptr<const SentenceModel> model, std::shared_ptr<const SubwordTokenizer> tokenizer,
      std::size_t longest);
  /// Opens a model folder through the plugin; max_length of its config.json limits the texts.
  static Result<std::shared_ptr<const SentenceEncoder>> open(const std::filesystem::path& folder,
                                                             const LanguageModelResources& resources);

  std::size_t dimension() const { return model_->dimension(); }
  /// dimension() numbers per text, in order. Special tokens in a text are treated as plain characters.
  Result<std::vector<float>> encode(std::span<const std::string> texts) const;

 private:
  SentenceEncoder() = default;
  Sequence sequence(std::string_view text) const;

  std::shared_ptr<const SentenceModel> model_;
  std::shared_ptr<const SubwordTokenizer> tokenizer_;
  std::size_t longest_ = 0;
};

/// The dot product, which is the cosine for unit vectors.
double dot(std::span<const float> a, std::span<const float> b);

}  // namespace sotto::lm

// Similarity of texts before and after, by the shipped encoder.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lm/sentence_encoder.hpp"

namespace sotto::evaluate {

/// Texts and, once they were compared with others, their vectors.
struct EncodedTexts {
  std::vector<std::string> texts;
  std::vector<float> vectors = {};
};

/// Opens the encoder when it is first needed, and keeps it.
class SimilarityMeter {
 public:
  explicit SimilarityMeter(unsigned threads) : threads_(threads) {}

  /// The mean cosine; empty if the encoder is absent.
  std::optional<double> mean(EncodedTexts& before, std::span<const std::string> after);

  /// Why there are no figures; empty if there are.
  const std::string& absent() const { return absent_; }

 private:
  Result<double> measure(EncodedTexts& before, std::span<const std::string> after);

  unsigned threads_;
  std::shared_ptr<const lm::SentenceEncoder> encoder_;
  std::string absent_;
};

}  // namespace sotto::evaluate

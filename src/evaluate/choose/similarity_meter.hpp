// Similarity of texts before and after, by the shipped encoder.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <sotto/choose.hpp>

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

  /// Adds the mean cosine and its margin, unless the encoder is absent.
  void measure(EncodedTexts& before, std::span<const std::string> after, TextFigures& figures);

  /// Why there are no figures; empty if there are.
  const std::string& absent() const { return absent_; }

 private:
  Result<std::vector<double>> cosines(EncodedTexts& before, std::span<const std::string> after);

  unsigned threads_;
  std::shared_ptr<const lm::SentenceEncoder> encoder_;
  std::string absent_;
};

}  // namespace sotto::evaluate

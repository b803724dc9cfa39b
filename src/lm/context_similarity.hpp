// The α-weighted similarity of DP-MLM's appendix A: how well a word in a place preserves the text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/tokenizer.hpp>

#include "lm/language_model.hpp"
#include "lm/sentence_encoder.hpp"
#include "lm/word_filler.hpp"

namespace sotto::lm {

/// The score of a word becomes sim + α·score, where sim, from −1 to 1, is the cosine between the text around
/// the place as it was and with the word inserted. It is computed for the model's kCandidates best words; all
/// others count as the least similar of these. So the score remains a function of the text alone, and the law
/// that draws by it keeps its guarantee. Immutable, so safe to share between threads.
class ContextSimilarity {
 public:
  static constexpr std::size_t kCandidates = 32;
  static constexpr std::size_t kTokensAround = 16;  ///< on each side of the place

  ContextSimilarity(std::shared_ptr<const SentenceEncoder> encoder, double alpha)
      : encoder_(std::move(encoder)), alpha_(alpha) {}

  double alpha() const { return alpha_; }

  /// Changes the answers for the place of a token. With bounds, the law keeps logits p in [lowest, highest],
  /// so sim + α·p lies in [α·lowest − 1, α·highest + 1], which is mapped onto the bounds. Without, the law
  /// squashes any score z, so the score is z + sim/α.
  Result<void> apply(const WordFiller& filler, std::string_view text, std::span<const Token> tokens,
                     std::size_t token, const std::optional<LogitBounds>& bounds,
                     std::span<float> answers) const;

 private:
  Result<std::vector<float>> similarities(std::span<const std::string> texts) const;

  std::shared_ptr<const SentenceEncoder> encoder_;
  double alpha_;
};

}  // namespace sotto::lm

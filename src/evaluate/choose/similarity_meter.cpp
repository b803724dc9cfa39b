#include "evaluate/choose/similarity_meter.hpp"

#include <sotto/error_text.hpp>
#include <sotto/language_models.hpp>

namespace sotto::evaluate {

std::optional<double> SimilarityMeter::mean(EncodedTexts& before, std::span<const std::string> after) {
  if (!absent_.empty()) return std::nullopt;
  const auto cosine = measure(before, after);
  if (cosine) return *cosine;
  absent_ = describe(cosine.error());
  return std::nullopt;
}

Result<double> SimilarityMeter::measure(EncodedTexts& before, std::span<const std::string> after) {
  if (!encoder_) {
    SOTTO_ASSIGN(const auto folder, find_language_model(kDefaultEncoder));
    LanguageModelResources resources;
    resources.threads = threads_;
    SOTTO_ASSIGN(encoder_, lm::SentenceEncoder::open(folder, resources));
  }
  if (before.vectors.empty()) {
    SOTTO_ASSIGN(before.vectors, encoder_->encode(before.texts));
  }
  std::vector<std::string> changed;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i] == before.texts[i]) continue;
    changed.push_back(after[i]);
    places.push_back(i);
  }
  SOTTO_ASSIGN(const std::vector<float> vectors, encoder_->encode(changed));
  const std::size_t width = encoder_->dimension();
  auto sum = static_cast<double>(after.size() - changed.size());  // a text is like itself
  for (std::size_t i = 0; i < changed.size(); ++i)
    sum += lm::dot(std::span(before.vectors).subspan(places[i] * width, width),
                   std::span(vectors).subspan(i * width, width));
  return sum / static_cast<double>(after.size());
}

}  // namespace sotto::evaluate

#include "evaluate/choose/similarity_meter.hpp"

#include <cmath>
#include <numeric>

#include <sotto/error_text.hpp>
#include <sotto/language_models.hpp>

namespace sotto::evaluate {
namespace {

constexpr double kNormal95 = 1.96;

}  // namespace

void SimilarityMeter::measure(EncodedTexts& before, std::span<const std::string> after,
                              TextFigures& figures) {
  if (!absent_.empty()) return;
  const auto found = cosines(before, after);
  if (!found) {
    absent_ = describe(found.error());
    return;
  }
  const auto count = static_cast<double>(found->size());
  const double mean = std::accumulate(found->begin(), found->end(), 0.0) / count;
  double squares = 0;
  for (const double cosine : *found) squares += (cosine - mean) * (cosine - mean);
  figures.similarity = mean;
  // The spread of a single text is unknown; that of unit vectors is at most 1.
  figures.similarity_margin = count > 1 ? kNormal95 * std::sqrt(squares / (count - 1) / count) : 1;
}

Result<std::vector<double>> SimilarityMeter::cosines(EncodedTexts& before,
                                                     std::span<const std::string> after) {
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
  std::vector<double> cosines(after.size(), 1);  // a text is like itself
  for (std::size_t i = 0; i < changed.size(); ++i)
    cosines[places[i]] = lm::dot(std::span(before.vectors).subspan(places[i] * width, width),
                                 std::span(vectors).subspan(i * width, width));
  return cosines;
}

}  // namespace sotto::evaluate

#include "lm/context_similarity.hpp"

#include <algorithm>

namespace sotto::lm {
namespace {

/// The words with the highest answers, best first.
std::vector<std::uint32_t> best_words(const WordFiller& filler, std::span<const float> answers,
                                      std::size_t count) {
  std::vector<std::uint32_t> words(filler.logits().size());
  for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = i;
  count = std::min(count, words.size());
  const auto better = [&](std::uint32_t a, std::uint32_t b) {
    const float x = answers[filler.logits()[a]];
    const float y = answers[filler.logits()[b]];
    return x != y ? x > y : a < b;
  };
  std::partial_sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count), words.end(), better);
  words.resize(count);
  return words;
}

}  // namespace

/// The cosines between the first text and each of the others.
Result<std::vector<float>> ContextSimilarity::similarities(std::span<const std::string> texts) const {
  SOTTO_ASSIGN(const std::vector<float> vectors, encoder_->encode(texts));
  const std::size_t width = encoder_->dimension();
  const auto vector = [&](std::size_t i) { return std::span(vectors).subspan(i * width, width); };
  std::vector<float> cosines;
  for (std::size_t i = 1; i < texts.size(); ++i)
    cosines.push_back(static_cast<float>(std::clamp(dot(vector(0), vector(i)), -1.0, 1.0)));
  return cosines;
}

Result<void> ContextSimilarity::apply(const WordFiller& filler, std::string_view text,
                                      std::span<const Token> tokens, std::size_t token,
                                      const std::optional<LogitBounds>& bounds,
                                      std::span<float> answers) const {
  const Token& place = tokens[token];
  const std::size_t first = token - std::min(token, kTokensAround);
  const std::size_t last = std::min(token + kTokensAround, tokens.size() - 1);
  const std::string_view before = text.substr(tokens[first].begin, place.begin - tokens[first].begin);
  const std::string_view after = text.substr(place.end, tokens[last].end - place.end);
  const std::vector<std::uint32_t> words = best_words(filler, answers, kCandidates);
  std::vector<std::string> texts = {
      std::string(text.substr(tokens[first].begin, tokens[last].end - tokens[first].begin))};
  for (const std::uint32_t word : words)
    texts.push_back(std::string(before).append(filler.words()[word]).append(after));
  SOTTO_ASSIGN(const std::vector<float> cosines, similarities(texts));
  std::vector<float> similarity(answers.size(), *std::min_element(cosines.begin(), cosines.end()));
  for (std::size_t i = 0; i < words.size(); ++i) similarity[filler.logits()[words[i]]] = cosines[i];
  const auto alpha = static_cast<float>(alpha_);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!bounds) {
      answers[i] += similarity[i] / alpha;
      continue;
    }
    const float range = bounds->highest - bounds->lowest;
    const float score = similarity[i] + 1 +
                        alpha * (std::clamp(answers[i], bounds->lowest, bounds->highest) - bounds->lowest);
    answers[i] = bounds->lowest + range * score / (2 + alpha * range);
  }
  return {};
}

}  // namespace sotto::lm

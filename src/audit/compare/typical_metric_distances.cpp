#include <algorithm>
#include <limits>
#include <random>

#include <sotto/explain.hpp>
#include <sotto/model.hpp>

namespace sotto {
namespace {

constexpr std::uint32_t kSampledWords = 200;
constexpr std::size_t kPairs = 1001;
constexpr std::size_t kCandidates = 50;
constexpr std::uint64_t kPairSeed = 1;  // fixed: the figure is a property of the model

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Words spread evenly over the vocabulary, which is often sorted by frequency.
std::vector<TokenId> spread_words(std::uint32_t size) {
  const std::uint32_t count = std::min(size, kSampledWords);
  std::vector<TokenId> words;
  for (std::uint64_t i = 0; i < count; ++i) words.push_back(static_cast<TokenId>(i * size / count));
  return words;
}

/// From each word to its nearest neighbour. A list set has no vectors to narrow the search, but its distances
/// are cheap.
Result<std::vector<double>> neighbour_distances(const OpenMechanism& open,
                                                const std::vector<TokenId>& words) {
  const Model& model = *open.model;
  std::vector<double> nearest(words.size(), std::numeric_limits<double>::infinity());
  const auto look = [&](std::size_t i, TokenId other) {
    if (other != words[i]) nearest[i] = std::min(nearest[i], open.mechanism->distance(words[i], other));
  };
  if (model.dimension() == 0) {
    for (std::size_t i = 0; i < words.size(); ++i)
      for (TokenId other = 0; other < model.size(); ++other) look(i, other);
    return nearest;
  }
  SOTTO_ASSIGN(const auto candidates, nearest_words(model, words, kCandidates));
  for (std::size_t i = 0; i < words.size(); ++i)
    for (const NearWord& candidate : candidates[i]) look(i, candidate.id);
  return nearest;
}

std::vector<double> pair_distances(const OpenMechanism& open) {
  std::mt19937_64 bits(kPairSeed);
  const std::uint64_t size = open.model->size();
  std::vector<double> distances;
  while (distances.size() < kPairs) {
    const auto a = static_cast<TokenId>(bits() % size);
    const auto b = static_cast<TokenId>(bits() % size);
    if (a != b) distances.push_back(open.mechanism->distance(a, b));
  }
  return distances;
}

}  // namespace

Result<std::optional<TypicalMetricDistances>> typical_metric_distances(const OpenMechanism& open) {
  const Guarantee guarantee = open.mechanism->guarantee();
  if (guarantee.kind == GuaranteeKind::none || guarantee.unit.is_pure() || open.model->size() < 2)
    return std::nullopt;
  const std::vector<TokenId> words = spread_words(open.model->size());
  SOTTO_ASSIGN(std::vector<double> neighbours, neighbour_distances(open, words));
  return TypicalMetricDistances{median(std::move(neighbours)), median(pair_distances(open)), words.size(),
                                kPairs};
}

}  // namespace sotto

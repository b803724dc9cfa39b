#include "audit/falsify/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "audit/distributions.hpp"
#include "random/integer_samplers.hpp"

namespace sotto::audit {
namespace {

constexpr std::uint32_t kSmallVocabulary = 100;  // all its words are used
constexpr std::size_t kRandomInputs = 48;        // from a larger one
constexpr std::size_t kWithNeighbours = 16;      // near and far words are searched for this many of them
constexpr std::size_t kMisspelt = 16;            // words of which misspellings are tried
constexpr double kRankingAlpha = 0.05;           // ranking proves nothing, so its bounds may be loose

template <class T>
void shuffle(std::vector<T>& items, BitSource& bits) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[random::uniform_below(bits, i)]);
}

/// The words of least and greatest finite distance from `word`, with ties broken at random.
struct NearestAndFarthest {
  TokenId nearest;
  TokenId farthest;
};

NearestAndFarthest find_extremes(const AuditVocabulary& model, const Claim& claim, TokenId word,
                                 BitSource& bits) {
  NearestAndFarthest found{word, word};
  double least = INFINITY;
  double most = -1;
  const auto start = static_cast<TokenId>(random::uniform_below(bits, model.size()));
  for (TokenId i = 0; i < model.size(); ++i) {
    const TokenId other = (start + i) % model.size();
    const double distance = claim.distance(word, other);
    if (other == word || !std::isfinite(distance)) continue;
    if (distance < least) {
      least = distance;
      found.nearest = other;
    }
    if (distance > most) {
      most = distance;
      found.farthest = other;
    }
  }
  return found;
}

std::set<TokenId> choose_words(const AuditVocabulary& model, const Claim& claim, BitSource& bits) {
  std::set<TokenId> words;
  if (model.size() <= kSmallVocabulary) {
    for (TokenId id = 0; id < model.size(); ++id) words.insert(id);
    return words;
  }
  while (words.size() < kRandomInputs)
    words.insert(static_cast<TokenId>(random::uniform_below(bits, model.size())));
  std::vector<TokenId> centres(words.begin(), words.end());
  shuffle(centres, bits);
  centres.resize(kWithNeighbours);
  for (const TokenId word : centres) {
    const NearestAndFarthest extremes = find_extremes(model, claim, word, bits);
    words.insert({extremes.nearest, extremes.farthest});
  }
  return words;
}

/// The last letter four times, two letters exchanged: outside most vocabularies, and mapped to the word
/// itself by a good map, whatever that is.
std::vector<std::string> misspellings(const std::string& word) {
  if (word.size() < 3 || !std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; }))
    return {};
  std::string exchanged = word;
  std::swap(exchanged[1], exchanged[2]);
  return {word + std::string(3, word.back()), exchanged};
}

/// Takes pairs from the front of `ordered` that have not been taken before.
class PairPicker {
 public:
  explicit PairPicker(std::size_t most) : most_(most) {}

  void take(const std::vector<InputPair>& ordered, std::size_t count, const char* chosen_as) {
    for (const InputPair& pair : ordered) {
      if (count == 0 || picked_.size() == most_) return;
      if (!taken_.insert({pair.first, pair.second}).second) continue;
      picked_.push_back(pair);
      picked_.back().chosen_as = chosen_as;
      --count;
    }
  }

  std::vector<InputPair> picked() && { return std::move(picked_); }

 private:
  std::size_t most_;
  std::set<std::pair<std::size_t, std::size_t>> taken_;
  std::vector<InputPair> picked_;
};

/// The pairs by how far their pilot draws exceed the claim.
std::vector<InputPair> ranked(std::vector<InputPair> pairs, const Claim& claim,
                              const std::vector<Tally>& pilots) {
  const double deviations = normal_quantile(kRankingAlpha);
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Tally& first = pilots[pairs[i].first];
    const Tally& second = pilots[pairs[i].second];
    const double loss = std::max(choose_event(first, second, claim.covers, deviations).score,
                                 choose_event(second, first, claim.covers, deviations).score);
    order.emplace_back(claim.allowed(pairs[i].distance) - loss, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<InputPair> result;
  for (const auto& [excess, i] : order) result.push_back(pairs[i]);
  return result;
}

}  // namespace

std::vector<AuditInput> choose_inputs(const AuditVocabulary& model, const Claim& claim,
                                      const std::vector<std::string>& outside, bool vocabulary_only,
                                      BitSource& bits) {
  std::vector<AuditInput> inputs;
  for (const TokenId id : choose_words(model, claim, bits))
    inputs.push_back({std::string(model.word(id)), id});
  if (vocabulary_only) return inputs;
  if (outside.empty()) inputs.push_back({"⊥", model.bottom(), true});
  std::vector<std::string> strings = outside;
  for (std::size_t i = 0; model.maps() && i < std::min(inputs.size(), kMisspelt); ++i)
    for (std::string& text : misspellings(inputs[i].text)) strings.push_back(std::move(text));
  for (const std::string& text : strings)
    if (model.find(text) == model.bottom()) inputs.push_back({text, model.outside(text), true});
  return inputs;
}

std::vector<InputPair> choose_pairs(const std::vector<AuditInput>& inputs, const Claim& claim,
                                    const std::vector<Tally>& pilots, std::size_t count,
                                    const AuditVocabulary& model, BitSource& bits) {
  std::vector<InputPair> pairs;
  std::vector<InputPair> one_image;
  std::vector<InputPair> unmapped;
  std::vector<InputPair> outside;
  for (std::size_t a = 0; a < inputs.size(); ++a) {
    for (std::size_t b = a + 1; b < inputs.size(); ++b) {
      const double distance = claim.between(inputs[a], inputs[b]);
      if (!std::isfinite(distance)) continue;
      pairs.push_back({a, b, {}, distance});
      if (!inputs[a].outside && !inputs[b].outside) continue;
      const bool same = inputs[a].id == inputs[b].id;
      (same && inputs[a].id < model.size()       ? one_image
       : same && inputs[a].id == model.uniform() ? unmapped
                                                 : outside)
          .push_back(pairs.back());
    }
  }
  shuffle(pairs, bits);
  const auto nearer = [](const InputPair& a, const InputPair& b) { return a.distance < b.distance; };
  std::vector<InputPair> by_distance = pairs;
  std::stable_sort(by_distance.begin(), by_distance.end(), nearer);
  std::stable_sort(outside.begin(), outside.end(), nearer);
  const std::size_t share = (count + 7) / 8;
  PairPicker picker(count);
  picker.take(one_image, share, "one image");
  picker.take(unmapped, share, "unmapped");
  picker.take(outside, share, "outside");
  picker.take(by_distance, share, "nearest");
  std::reverse(by_distance.begin(), by_distance.end());
  picker.take(by_distance, share, "farthest");
  picker.take(pairs, share, "random");
  picker.take(ranked(pairs, claim, pilots), count, "ranked");
  return std::move(picker).picked();
}

}  // namespace sotto::audit

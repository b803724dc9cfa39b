// What distances mean in a model. A guarantee of ε·d says nothing to somebody who does not know whether 1 is
// the distance of two synonyms or of two arbitrary words.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <sotto/model.hpp>

#include "base/parallel.hpp"
#include "random/bit_sources.hpp"
#include "random/continuous.hpp"
#include "random/integer_samplers.hpp"

namespace sotto {
namespace {

constexpr double kRarelyStays = 0.05;
constexpr double kMostlyStays = 0.95;

/// How many words to examine: each costs a pass over all vectors.
std::size_t sample_size(const Model& model) {
  constexpr double kMultiplications = 2e9;
  const double pass = static_cast<double>(model.size()) * model.dimension();
  const double affordable = std::clamp(kMultiplications / pass, 30.0, 400.0);
  return std::min<std::size_t>(model.size(), static_cast<std::size_t>(affordable));
}

/// How many words there are at about each distance from a word.
class DistanceHistogram {
 public:
  explicit DistanceHistogram(double largest) : width_(largest / kBins) {}

  void add(double distance) { ++counts_[std::min(static_cast<std::size_t>(distance / width_), kBins - 1)]; }

  /// The row of santext: the probability of a word itself, whose weight is 1, when that of a word at distance
  /// d is e^(−½ε·d).
  double stays(double epsilon) const {
    double others = 0;
    for (std::size_t i = 0; i < kBins; ++i)
      if (counts_[i] > 0)
        others += counts_[i] * std::exp(-0.5 * epsilon * (static_cast<double>(i) + 0.5) * width_);
    return 1 / (1 + others);
  }

 private:
  static constexpr std::size_t kBins = 4096;
  double width_;
  std::array<std::uint32_t, kBins> counts_ = {};
};

/// What a pass over all vectors tells about one word.
struct ExaminedWord {
  DistanceHistogram others;
  double nearest = INFINITY;
  double random_pair = 0;
  /// From this ε on, the noise that was drawn for the word leaves it nearest to its own vector.
  double stays_from = 0;
};

template <class Integer>
class Examiner {
 public:
  Examiner(const Model& model, std::span<const Integer> vectors)
      : model_(model), vectors_(vectors), dimension_(model.dimension()) {
    std::int64_t largest = 1;
    for (TokenId word = 0; word < model.size(); ++word) largest = std::max(largest, squared_norm(word));
    largest_distance_ = 2 * std::sqrt(static_cast<double>(largest));
  }

  /// Distances in units of the model's scale. With noise r·u/ε, r of law Gamma(dimension, 1) and u uniform on
  /// the sphere, the noisy vector of x is nearer to y than to x if (r/ε)·2u·(y − x) > |y − x|²: one pass over
  /// all y gives the ε from which no other word is nearer.
  ExaminedWord examine(TokenId word) const {
    random::ChaChaBitSource bits(random::purpose_key(fmt::format("typical distances {}", word)));
    std::vector<double> direction(dimension_);
    random::uniform_direction(bits, direction);
    const double radius = random::gamma(bits, static_cast<double>(dimension_));
    const auto partner = (word + 1 + random::uniform_below(bits, model_.size() - 1)) % model_.size();
    const std::vector<float> toward(direction.begin(), direction.end());
    const Integer* own = row(word);
    ExaminedWord result{DistanceHistogram(largest_distance_)};
    double steepest = 0;  // of 2u·(y − x) / |y − x|²
    for (TokenId other = 0; other < model_.size(); ++other) {
      if (other == word) continue;
      const auto [squared, along] = compare(own, row(other), toward);
      const double distance = std::sqrt(squared);
      result.others.add(distance);
      result.nearest = std::min(result.nearest, distance);
      if (other == partner) result.random_pair = distance;
      if (squared > 0) steepest = std::max(steepest, 2 * along / squared);
    }
    result.stays_from = radius * steepest;
    return result;
  }

 private:
  const Integer* row(TokenId word) const { return vectors_.data() + std::size_t{word} * dimension_; }

  std::int64_t squared_norm(TokenId word) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < dimension_; ++i) sum += std::int64_t{row(word)[i]} * row(word)[i];
    return sum;
  }

  /// |b − a|² and u·(b − a). Floats suffice for figures that are printed with two digits.
  std::pair<double, double> compare(const Integer* a, const Integer* b, const std::vector<float>& u) const {
    constexpr std::size_t kLanes = 16;
    std::array<float, kLanes> squares = {};
    std::array<float, kLanes> products = {};
    std::size_t i = 0;
    for (; i + kLanes <= dimension_; i += kLanes)
      for (std::size_t j = 0; j < kLanes; ++j) {
        const auto difference = static_cast<float>(b[i + j] - a[i + j]);
        squares[j] += difference * difference;
        products[j] += difference * u[i + j];
      }
    for (; i < dimension_; ++i) {
      const auto difference = static_cast<float>(b[i] - a[i]);
      squares[0] += difference * difference;
      products[0] += difference * u[i];
    }
    return {std::accumulate(squares.begin(), squares.end(), 0.0),
            std::accumulate(products.begin(), products.end(), 0.0)};
  }

  const Model& model_;
  std::span<const Integer> vectors_;
  std::size_t dimension_;
  double largest_distance_ = 0;
};

std::vector<TokenId> draw_words(const Model& model) {
  std::vector<TokenId> words(model.size());
  std::iota(words.begin(), words.end(), TokenId{0});
  random::ChaChaBitSource bits(random::purpose_key("typical distances"));
  const std::size_t count = sample_size(model);
  for (std::size_t i = 0; i < count; ++i)
    std::swap(words[i], words[i + random::uniform_below(bits, words.size() - i)]);
  words.resize(count);
  return words;
}

template <class Integer>
std::vector<ExaminedWord> examine_all(const Model& model, std::span<const Integer> vectors,
                                      unsigned threads) {
  const std::vector<TokenId> words = draw_words(model);
  const Examiner<Integer> examiner(model, vectors);
  std::vector<std::optional<ExaminedWord>> found(words.size());
  base::parallel_for(words.size(), 1, base::thread_count(threads), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) found[i] = examiner.examine(words[i]);
  });
  std::vector<ExaminedWord> examined;
  for (std::optional<ExaminedWord>& one : found) examined.push_back(std::move(*one));
  return examined;
}

/// The value below which this share of the values lies.
double quantile(std::vector<double> values, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

/// The ε at which santext leaves this share of the words as they are. The share grows with ε.
double selection_epsilon(const std::vector<ExaminedWord>& words, double share) {
  const auto stays = [&](double epsilon) {
    double sum = 0;
    for (const ExaminedWord& word : words) sum += word.others.stays(epsilon);
    return sum / static_cast<double>(words.size());
  };
  double low = 0;
  double high = 1e-9;
  while (stays(high) < share && high < 1e12) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (stays(middle) < share ? low : high) = middle;
  }
  return high;
}

}  // namespace

Result<TypicalDistances> typical_distances(const Model& model, unsigned threads) {
  if (model.dimension() == 0 || model.size() < 2)
    return fail(Errc::invalid_argument,
                fmt::format("{}: has {}, so there are no distances between words", model.name(),
                            model.dimension() == 0 ? "no vectors" : "fewer than two words"));
  const std::vector<ExaminedWord> words = model.bits() == 16 ? examine_all(model, model.vectors16(), threads)
                                                             : examine_all(model, model.vectors8(), threads);
  const auto all = [&](double ExaminedWord::*member) {
    std::vector<double> values;
    for (const ExaminedWord& word : words) values.push_back(word.*member);
    return values;
  };
  const double scale = model.scale();
  TypicalDistances typical;
  typical.sample = words.size();
  typical.nearest = scale * quantile(all(&ExaminedWord::nearest), 0.5);
  typical.random_pair = scale * quantile(all(&ExaminedWord::random_pair), 0.5);
  typical.selection = {selection_epsilon(words, kRarelyStays) / scale,
                       selection_epsilon(words, kMostlyStays) / scale};
  typical.noise = {quantile(all(&ExaminedWord::stays_from), kRarelyStays) / scale,
                   quantile(all(&ExaminedWord::stays_from), kMostlyStays) / scale};
  return typical;
}

}  // namespace sotto

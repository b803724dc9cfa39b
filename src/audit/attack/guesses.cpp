#include "audit/attack/guesses.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <sotto/attack.hpp>

#include "base/checked_value.hpp"
#include "random/continuous.hpp"

namespace sotto::audit {
namespace {

/// The `count` items with the least −ln(u)/weight, u uniform: a weighted draw without replacement.
std::vector<TokenId> draw_without_replacement(std::span<const double> weights, std::size_t count,
                                              BitSource& bits) {
  std::vector<std::pair<double, TokenId>> order;
  for (TokenId word = 0; word < weights.size(); ++word)
    if (weights[word] > 0) order.emplace_back(-std::log(random::open_uniform(bits)) / weights[word], word);
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), count));
  std::vector<TokenId> words;
  for (const auto& [key, word] : order) words.push_back(word);
  std::sort(words.begin(), words.end());
  return words;
}

}  // namespace

Result<std::vector<double>> prior_weights(const Model& model, std::string_view prior) {
  SOTTO_ASSIGN(const std::size_t choice, read_choice("prior", prior, kPriorNames));
  if (choice == 0) return std::vector<double>(model.size(), 1);
  if (model.counts().empty())
    return fail_parameter(
        "prior", "counts",
        fmt::format("'counts' is not allowed, because '{}' has no counts; give uniform", model.name()));
  std::vector<double> weights(model.counts().begin(), model.counts().end());
  if (*std::max_element(weights.begin(), weights.end()) == 0)
    return fail_parameter(
        "prior", "counts",
        fmt::format("'counts' is not allowed, because all counts of '{}' are 0; give uniform", model.name()));
  return weights;
}

Result<Secrets> Secrets::choose(const Model& model, std::uint64_t count, std::string_view prior,
                                BitSource& bits) {
  SOTTO_ASSIGN(const std::vector<double> weights, prior_weights(model, prior));
  Secrets secrets;
  secrets.words = draw_without_replacement(weights, count == 0 ? model.size() : count, bits);
  for (const TokenId word : secrets.words) secrets.prior.push_back(weights[word]);
  const double sum = std::accumulate(secrets.prior.begin(), secrets.prior.end(), 0.0);
  for (double& p : secrets.prior) p /= sum;
  return secrets;
}

Guesses::Guesses(const std::vector<std::vector<Guess>>& columns) {
  for (const std::vector<Guess>& column : columns) {
    double sum = 0;
    for (const Guess& guess : column) sum += guess.weight;
    const std::size_t begin = guesses_.size();
    for (const Guess& guess : column) guesses_.push_back({guess.secret, guess.weight / sum});
    std::stable_sort(guesses_.begin() + static_cast<std::ptrdiff_t>(begin), guesses_.end(),
                     [](const Guess& a, const Guess& b) { return a.weight > b.weight; });
    begins_.push_back(guesses_.size());
  }
}

Result<Guesses> nearest_guesses(const WordSpace& space, const Secrets& secrets, std::size_t outputs,
                                unsigned threads) {
  SOTTO_ASSIGN(const auto near, space.nearest_among(secrets.words, 1, threads));
  std::vector<std::vector<Guess>> columns(outputs);
  for (std::size_t output = 0; output < outputs; ++output) columns[output] = {{near[output].place, 1}};
  // Words may share a vector; the output's own word is still the first guess.
  for (std::uint32_t place = 0; place < secrets.words.size(); ++place)
    columns[secrets.words[place]] = {{place, 1}};
  return Guesses(columns);
}

Result<Guesses> inversion_guesses(const WordSpace& space, const Secrets& secrets, std::size_t outputs,
                                  std::size_t neighbours, double epsilon, unsigned threads) {
  SOTTO_ASSIGN(const auto near, space.nearest_among(secrets.words, neighbours, threads));
  const std::size_t each = near.size() / outputs;
  std::vector<std::vector<Guess>> columns(outputs);
  for (std::size_t output = 0; output < outputs; ++output) {
    const auto candidates = std::span(near).subspan(output * each, each);
    const auto score = [&](const WordSpace::Near& candidate) {
      return std::log(secrets.prior[candidate.place]) - epsilon / 2 * candidate.distance;
    };
    double largest = -INFINITY;
    for (const WordSpace::Near& candidate : candidates) largest = std::max(largest, score(candidate));
    for (const WordSpace::Near& candidate : candidates)
      columns[output].push_back({candidate.place, std::exp(score(candidate) - largest)});
  }
  return Guesses(columns);
}

}  // namespace sotto::audit

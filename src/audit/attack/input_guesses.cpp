// What the best adversary says of one output word.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <sotto/attack.hpp>

#include "audit/attack/guesses.hpp"
#include "base/checked_value.hpp"
#include "pipeline/word_entry.hpp"
#include "random/bit_sources.hpp"

namespace sotto {
using namespace audit;
namespace {

// Draws of all candidates together; the slowest mechanism needs seconds for them.
constexpr std::uint64_t kMostGuessingDraws = 1'000'000;
// How many draws of the output prior and distance are worth.
constexpr double kExpectedDraws = 20;

Result<void> check_options(const InputGuessOptions& options) {
  const auto check = [](const char* parameter, std::uint64_t value, std::uint64_t most) -> Result<void> {
    if (value >= 1 && value <= most) return {};
    return base::not_allowed(parameter, value, fmt::format("a whole number from 1 to {}", most));
  };
  SOTTO_TRY(check("guesses", options.guesses, kMostListedGuesses));
  SOTTO_TRY(check("neighbours", options.neighbours, 1000));
  return check("draws", options.draws, kMostGuessingDraws / options.neighbours);
}

Result<TokenId> find_output(std::string_view output, const Model& model) {
  SOTTO_ASSIGN(const pipeline::WordInput found, pipeline::find_input(output, model, OovPolicy::bottom));
  if (found.in_vocabulary()) return found.id;
  return fail_parameter(
      "output", output,
      fmt::format("'{}' is not a word of '{}', so it cannot be an output", output, model.name()),
      Errc::not_found);
}

/// A word and its share of the posterior, up to a common factor.
struct Candidate {
  TokenId word;
  double weight;
};

/// The words nearest to the output, nearest first; weights are distances.
Result<std::vector<Candidate>> nearest_words(const Model& model, TokenId output, std::size_t count) {
  SOTTO_ASSIGN(const WordSpace space, WordSpace::make(model));
  std::vector<double> distances(model.size());
  space.distances(output, distances);
  std::vector<Candidate> all;
  for (TokenId word = 0; word < distances.size(); ++word) all.push_back({word, distances[word]});
  count = std::min(count, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                    [](const Candidate& a, const Candidate& b) {
                      return a.weight != b.weight ? a.weight < b.weight : a.word < b.word;
                    });
  all.resize(count);
  return all;
}

/// How many of `draws` draws of each candidate were the output.
std::vector<std::uint64_t> count_output(const Mechanism& mechanism, TokenId output,
                                        const std::vector<Candidate>& candidates, std::uint64_t draws,
                                        BitSource& bits) {
  std::vector<TokenId> ids;
  ids.reserve(candidates.size() * draws);
  for (const Candidate& candidate : candidates) ids.insert(ids.end(), draws, candidate.word);
  mechanism.privatize(ids, ids, bits);
  std::vector<std::uint64_t> counts(candidates.size());
  for (std::size_t i = 0; i < ids.size(); ++i) counts[i / draws] += ids[i] == output;
  return counts;
}

/// Adds `amount`, shared out by `weights`; nothing if they are all 0.
void share_out(double amount, const std::vector<double>& weights, std::vector<Candidate>& candidates) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < weights.size() && sum > 0; ++i)
    candidates[i].weight += amount * weights[i] / sum;
}

/// Estimates the posterior of the words nearest to the output, from draws and, like so many draws more, from
/// prior and distance.
Result<std::vector<Candidate>> weigh_by_draws(const OpenMechanism& open, TokenId output,
                                              const std::vector<double>& prior,
                                              const InputGuessOptions& options, BitSource& bits,
                                              InputGuesses& guesses) {
  SOTTO_ASSIGN(std::vector<Candidate> candidates, nearest_words(*open.model, output, options.neighbours));
  const std::vector<std::uint64_t> counts =
      count_output(*open.mechanism, output, candidates, options.draws, bits);
  guesses.draws = options.draws;
  guesses.seen = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const double nearest = candidates.front().weight;
  std::vector<double> drawn;
  std::vector<double> expected;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Candidate& candidate = candidates[i];
    drawn.push_back(prior[candidate.word] * static_cast<double>(counts[i]));
    expected.push_back(prior[candidate.word] *
                       std::exp(-open.spec.epsilon / 2 * (candidate.weight - nearest)));
    candidate.weight = 0;
  }
  share_out(static_cast<double>(guesses.seen), drawn, candidates);
  share_out(kExpectedDraws, expected, candidates);
  return candidates;
}

std::vector<Candidate> weigh_exactly(const std::vector<double>& column, const std::vector<double>& prior) {
  std::vector<Candidate> candidates;
  for (TokenId word = 0; word < column.size(); ++word)
    if (prior[word] > 0) candidates.push_back({word, prior[word] * column[word]});
  return candidates;
}

/// The best `count` candidates, with weights that add up to 1 over all of them.
std::vector<InputGuess> best(std::vector<Candidate> candidates, std::size_t count, const Model& model) {
  double sum = 0;
  for (const Candidate& candidate : candidates) sum += candidate.weight;
  std::erase_if(candidates, [](const Candidate& candidate) { return candidate.weight <= 0; });
  count = std::min(count, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count),
                    candidates.end(), [](const Candidate& a, const Candidate& b) {
                      return a.weight != b.weight ? a.weight > b.weight : a.word < b.word;
                    });
  std::vector<InputGuess> guesses;
  for (std::size_t i = 0; i < count; ++i)
    guesses.push_back({std::string(model.word(candidates[i].word)), candidates[i].weight / sum});
  return guesses;
}

}  // namespace

Result<InputGuesses> guess_inputs(std::string_view output, const OpenMechanism& open,
                                  const InputGuessOptions& options) {
  SOTTO_TRY(check_options(options));
  const Model& model = *open.model;
  SOTTO_ASSIGN(const TokenId id, find_output(output, model));
  SOTTO_ASSIGN(const std::vector<double> prior, prior_weights(model, options.prior));
  InputGuesses guesses;
  guesses.output = model.word(id);
  guesses.mechanism = open.spec.name;
  guesses.epsilon = open.spec.epsilon;
  guesses.model = model.name();
  guesses.prior = options.prior;
  guesses.blind =
      *std::max_element(prior.begin(), prior.end()) / std::accumulate(prior.begin(), prior.end(), 0.0);
  const std::vector<double> column = open.mechanism->column(id);
  guesses.exact = !column.empty();
  std::vector<Candidate> candidates;
  if (guesses.exact) {
    candidates = weigh_exactly(column, prior);
  } else if (options.seed) {
    random::ChaChaBitSource bits(random::purpose_key(fmt::format("guess inputs {}", *options.seed)));
    SOTTO_ASSIGN(candidates, weigh_by_draws(open, id, prior, options, bits, guesses));
  } else {
    random::OsBitSource bits;
    SOTTO_ASSIGN(candidates, weigh_by_draws(open, id, prior, options, bits, guesses));
  }
  guesses.candidates = candidates.size();
  guesses.guesses = best(std::move(candidates), options.guesses, model);
  return guesses;
}

Result<InputGuesses> guess_inputs(std::string_view output, const InputGuessOptions& options) {
  SOTTO_ASSIGN(const OpenMechanism open, open_mechanism(options.mechanism));
  return guess_inputs(output, open, options);
}

}  // namespace sotto

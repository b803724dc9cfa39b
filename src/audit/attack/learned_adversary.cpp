#include "audit/attack/learned_adversary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>

#include <fmt/format.h>

#include "audit/falsify/event.hpp"
#include "base/parallel.hpp"
#include "random/bit_sources.hpp"
#include "random/continuous.hpp"

namespace sotto::audit {
namespace {

// Searches asked for between two questions whether to go on.
constexpr std::size_t kBatchesInTurn = 8;
constexpr std::size_t kDrawsInTurn = 256;
constexpr std::size_t kNearest = 20;
constexpr std::size_t kLikeliest = 50;
constexpr double kSlopes[] = {0, 0.125, 0.25, 0.5, 1};  // c, in units of ε
constexpr double kPseudoDraws[] = {1, 10, 100, 1000};   // m
constexpr std::size_t kTunings = std::size(kSlopes) * std::size(kPseudoDraws);

/// As Mechanism::privatize, in batches that threads search at the same time.
void privatize_in_batches(const AttackScene& scene, std::span<TokenId> words, BitSource& bits) {
  const std::size_t each = scene.mechanism.good_batch();
  if (each == 1) return scene.mechanism.privatize(words, words, bits);
  std::vector<std::unique_ptr<PendingTokens>> batches;
  for (std::size_t begin = 0; begin < words.size(); begin += each) {
    batches.push_back(scene.mechanism.make_pending());
    batches.back()->add(words.subspan(begin, std::min(each, words.size() - begin)), bits);
  }
  base::parallel_for(
      batches.size(), 1, base::thread_count(scene.options.mechanism.resources.threads),
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          batches[i]->resolve(words.subspan(i * each, std::min(each, words.size() - i * each)));
      });
}

/// The first of the largest weight.
std::uint32_t best_of(std::span<const Guess> guesses) {
  return std::max_element(guesses.begin(), guesses.end(),
                          [](const Guess& a, const Guess& b) { return a.weight < b.weight; })
      ->secret;
}

}  // namespace

/// What the adversary knows of the secrets that may have given an output.
struct LearnedAdversary::Evidence {
  std::vector<Guess> guesses;         ///< secrets seen to give it, by draws; then other candidates, by 0
  std::vector<std::uint32_t> places;  ///< of each candidate, in `guesses`
  std::vector<double> distances;      ///< of each candidate from the output, minus that of the first

  /// Weighed with the candidates' shares as well.
  std::vector<Guess> with(std::span<const double> shares, double pseudo_draws) const {
    std::vector<Guess> all = guesses;
    for (std::size_t i = 0; i < places.size(); ++i) all[places[i]].weight += shares[i] * pseudo_draws;
    return all;
  }
};

std::unique_ptr<BitSource> attack_bits(const AttackOptions& options, std::string_view purpose,
                                       std::size_t part) {
  if (!options.seed) return std::make_unique<random::OsBitSource>();
  return std::make_unique<random::ChaChaBitSource>(
      random::purpose_key(fmt::format("attack {} {} {}", *options.seed, purpose, part)));
}

DrawnSecrets draw_secrets(const AttackScene& scene, std::size_t count, BitSource& bits) {
  std::vector<double> cumulative(scene.secrets.prior.size());
  std::partial_sum(scene.secrets.prior.begin(), scene.secrets.prior.end(), cumulative.begin());
  DrawnSecrets drawn;
  for (std::size_t i = 0; i < count; ++i) {
    const double point = random::open_uniform(bits) * cumulative.back();
    const auto found = std::upper_bound(cumulative.begin(), cumulative.end() - 1, point);
    drawn.secrets.push_back(static_cast<std::uint32_t>(found - cumulative.begin()));
    drawn.outputs.push_back(scene.secrets.words[drawn.secrets.back()]);
  }
  privatize_in_batches(scene, drawn.outputs, bits);
  return drawn;
}

Result<std::vector<WordSpace::Near>> nearest_secrets(const WordSpace& space, const Secrets& secrets,
                                                     unsigned threads) {
  return space.nearest_among(secrets.words, kNearest, threads);
}

LearnedAdversary::LearnedAdversary(const AttackScene& scene, std::span<const WordSpace::Near> near)
    : scene_(&scene),
      near_(near),
      each_(near.size() / scene.model.size()),
      likeliest_(scene.secrets.words.size()),
      seen_(scene.model.size()),
      draws_(scene.model.size()) {
  std::iota(likeliest_.begin(), likeliest_.end(), 0U);
  std::stable_sort(likeliest_.begin(), likeliest_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return scene.secrets.prior[a] > scene.secrets.prior[b];
  });
  likeliest_.resize(std::min(kLikeliest, likeliest_.size()));
}

Result<LearnedAdversary> LearnedAdversary::learn(const AttackScene& scene,
                                                 std::span<const WordSpace::Near> near,
                                                 std::size_t tuning_draws) {
  LearnedAdversary adversary(scene, near);
  SOTTO_TRY(adversary.look());
  adversary.tune(tuning_draws);
  return adversary;
}

/// Draws of the secrets from `begin` to `end`, each from its own bits, searched together.
void LearnedAdversary::look_at(std::size_t begin, std::size_t end, std::span<TokenId> outputs) const {
  const auto pending = scene_->mechanism.make_pending();
  for (std::size_t secret = begin; secret < end; ++secret) {
    const std::vector<TokenId> words(scene_->options.draws, scene_->secrets.words[secret]);
    pending->add(words, *attack_bits(scene_->options, "learn", secret));
  }
  pending->resolve(outputs);
}

Result<void> LearnedAdversary::look() {
  const Secrets& secrets = scene_->secrets;
  const std::size_t draws = scene_->options.draws;
  std::vector<TokenId> outputs(secrets.words.size() * draws);
  const std::size_t together = std::max<std::size_t>(1, scene_->mechanism.good_batch() / draws);
  for (std::size_t first = 0; first < secrets.words.size(); first += kBatchesInTurn * together) {
    SOTTO_TRY(report_progress(*scene_, first));
    base::parallel_for(std::min(kBatchesInTurn * together, secrets.words.size() - first), together,
                       base::thread_count(scene_->options.mechanism.resources.threads),
                       [&](std::size_t begin, std::size_t end) {
                         look_at(first + begin, first + end,
                                 std::span(outputs).subspan((first + begin) * draws, (end - begin) * draws));
                       });
  }
  for (std::uint32_t i = 0; i < secrets.words.size(); ++i) {
    const Tally tally{std::span(outputs).subspan(i * draws, draws)};
    for (const auto& [output, count] : tally.counts()) {
      seen_[output].push_back({i, secrets.prior[i] * static_cast<double>(count)});
      draws_[output] += static_cast<double>(count);
    }
  }
  return {};
}

LearnedAdversary::Tuning LearnedAdversary::tuning(std::size_t t) const {
  return {kSlopes[t / std::size(kPseudoDraws)] * scene_->options.mechanism.epsilon,
          kPseudoDraws[t % std::size(kPseudoDraws)]};
}

void LearnedAdversary::tune(std::size_t draws) {
  const DrawnSecrets drawn = draw_secrets(*scene_, draws, *attack_bits(scene_->options, "tune", 0));
  std::array<std::uint64_t, kTunings> hits = {};
  std::mutex mutex;
  const auto judge = [&](std::size_t begin, std::size_t end) {
    std::array<std::uint64_t, kTunings> own = {};
    for (std::size_t i = begin; i < end; ++i) {
      const Evidence evidence = evidence_of(drawn.outputs[i]);
      std::vector<double> known;
      for (std::size_t t = 0; t < kTunings; ++t) {
        if (t % std::size(kPseudoDraws) == 0) known = shares(evidence, tuning(t).slope);
        const std::vector<Guess> guesses = evidence.with(known, tuning(t).pseudo_draws);
        own[t] += best_of(guesses) == drawn.secrets[i] ? 1U : 0U;
      }
    }
    const std::lock_guard lock(mutex);
    for (std::size_t t = 0; t < kTunings; ++t) hits[t] += own[t];
  };
  base::parallel_for(draws, kDrawsInTurn, base::thread_count(scene_->options.mechanism.resources.threads),
                     judge);
  tuning_ = tuning(static_cast<std::size_t>(std::max_element(hits.begin(), hits.end()) - hits.begin()));
}

LearnedAdversary::Evidence LearnedAdversary::evidence_of(TokenId output) const {
  const std::vector<Guess>& seen = seen_[output];  // ascending secrets
  Evidence evidence;
  double sum = 0;
  for (const Guess& guess : seen) sum += guess.weight;
  for (const Guess& guess : seen)
    evidence.guesses.push_back({guess.secret, guess.weight / sum * draws_[output]});
  const auto near = near_.subspan(output * each_, each_);
  const double nearest = near.front().distance;
  const auto add = [&](std::uint32_t secret, double distance) {
    auto place = static_cast<std::size_t>(
        std::lower_bound(seen.begin(), seen.end(), secret,
                         [](const Guess& guess, std::uint32_t wanted) { return guess.secret < wanted; }) -
        seen.begin());
    if (place == seen.size() || seen[place].secret != secret) {
      place = evidence.guesses.size();
      evidence.guesses.push_back({secret, 0});
    }
    evidence.places.push_back(static_cast<std::uint32_t>(place));
    evidence.distances.push_back(std::max(0.0, distance - nearest));
  };
  for (const WordSpace::Near& one : near) add(one.place, one.distance);
  for (const std::uint32_t secret : likeliest_)
    if (std::none_of(near.begin(), near.end(), [&](const auto& one) { return one.place == secret; }))
      add(secret, scene_->space.distance(scene_->secrets.words[secret], output));
  return evidence;
}

/// Of each candidate, by prior and distance.
std::vector<double> LearnedAdversary::shares(const Evidence& evidence, double slope) const {
  std::vector<double> weights;
  double sum = 0;
  for (std::size_t i = 0; i < evidence.places.size(); ++i) {
    const std::uint32_t secret = evidence.guesses[evidence.places[i]].secret;
    sum += weights.emplace_back(scene_->secrets.prior[secret] * std::exp(-slope * evidence.distances[i]));
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

std::vector<Guess> LearnedAdversary::column(TokenId output) const {
  const Evidence evidence = evidence_of(output);
  return evidence.with(shares(evidence, tuning_.slope), tuning_.pseudo_draws);
}

std::uint32_t LearnedAdversary::best_guess(TokenId output) const {
  return best_of(column(output));
}

Guesses LearnedAdversary::guesses() const {
  std::vector<std::vector<Guess>> columns;
  for (TokenId output = 0; output < scene_->model.size(); ++output) columns.push_back(column(output));
  return Guesses(columns);
}

}  // namespace sotto::audit

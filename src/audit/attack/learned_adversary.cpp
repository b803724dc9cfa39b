#include "audit/attack/learned_adversary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "audit/falsify/event.hpp"
#include "base/parallel.hpp"
#include "random/bit_sources.hpp"
#include "random/continuous.hpp"

namespace sotto::audit {
namespace {

constexpr std::size_t kWordsAtOnce = 64;
constexpr std::size_t kNearest = 20;
constexpr std::size_t kLikeliest = 50;
constexpr double kSlopes[] = {0, 0.125, 0.25, 0.5, 1};  // c, in units of ε
constexpr double kPseudoDraws[] = {1, 10, 100, 1000};   // m

struct Candidate {
  std::uint32_t secret;
  double distance;
};

struct Tuning {
  double slope = 0;
  double pseudo_draws = 1;
};

class Learner {
 public:
  Learner(const AttackScene& scene, std::vector<WordSpace::Near> near)
      : scene_(scene),
        near_(std::move(near)),
        each_(near_.size() / scene.model.size()),
        likeliest_(scene.secrets.words.size()),
        seen_(scene.model.size()),
        draws_(scene.model.size()) {
    std::iota(likeliest_.begin(), likeliest_.end(), 0U);
    std::stable_sort(likeliest_.begin(), likeliest_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return scene.secrets.prior[a] > scene.secrets.prior[b];
    });
    likeliest_.resize(std::min(kLikeliest, likeliest_.size()));
  }

  Result<void> look() {
    const Secrets& secrets = scene_.secrets;
    std::vector<Tally> tallies(secrets.words.size());
    for (std::size_t first = 0; first < tallies.size(); first += kWordsAtOnce) {
      SOTTO_TRY(report_progress(scene_, first));
      base::parallel_for(std::min(kWordsAtOnce, tallies.size() - first), 1,
                         base::thread_count(scene_.options.mechanism.resources.threads),
                         [&](std::size_t begin, std::size_t end) {
                           for (std::size_t i = first + begin; i < first + end; ++i) tallies[i] = tally_of(i);
                         });
    }
    for (std::uint32_t i = 0; i < tallies.size(); ++i)
      for (const auto& [output, count] : tallies[i].counts()) {
        seen_[output].push_back({i, secrets.prior[i] * static_cast<double>(count)});
        draws_[output] += static_cast<double>(count);
      }
    return {};
  }

  Tuning tune(std::size_t draws) const {
    const auto bits = attack_bits(scene_.options, "tune", 0);
    const DrawnSecrets drawn = draw_secrets(scene_, draws, *bits);
    std::vector<std::uint64_t> hits(std::size(kSlopes) * std::size(kPseudoDraws));
    for (std::size_t i = 0; i < drawn.outputs.size(); ++i) {
      const std::vector<Candidate> candidates = candidates_of(drawn.outputs[i]);
      for (std::size_t t = 0; t < hits.size(); ++t) {
        const std::vector<Guess> guesses = column(drawn.outputs[i], candidates, tuning(t));
        const auto best =
            std::max_element(guesses.begin(), guesses.end(),
                             [](const Guess& a, const Guess& b) { return a.weight < b.weight; });
        hits[t] += best->secret == drawn.secrets[i] ? 1U : 0U;
      }
    }
    return tuning(static_cast<std::size_t>(std::max_element(hits.begin(), hits.end()) - hits.begin()));
  }

  Guesses guesses(const Tuning& with) const {
    std::vector<std::vector<Guess>> columns;
    for (TokenId output = 0; output < scene_.model.size(); ++output)
      columns.push_back(column(output, candidates_of(output), with));
    return Guesses(columns);
  }

 private:
  Tuning tuning(std::size_t t) const {
    return {kSlopes[t / std::size(kPseudoDraws)] * scene_.options.mechanism.epsilon,
            kPseudoDraws[t % std::size(kPseudoDraws)]};
  }

  Tally tally_of(std::size_t secret) const {
    const auto bits = attack_bits(scene_.options, "learn", secret);
    std::vector<TokenId> outputs(scene_.options.draws, scene_.secrets.words[secret]);
    scene_.mechanism.privatize(outputs, outputs, *bits);
    return Tally(outputs);
  }

  std::vector<Candidate> candidates_of(TokenId output) const {
    std::vector<Candidate> candidates;
    std::vector<bool> taken(scene_.secrets.words.size(), false);
    for (const WordSpace::Near& near : std::span(near_).subspan(output * each_, each_)) {
      candidates.push_back({near.place, near.distance});
      taken[near.place] = true;
    }
    for (const std::uint32_t secret : likeliest_)
      if (!taken[secret])
        candidates.push_back({secret, scene_.space.distance(scene_.secrets.words[secret], output)});
    return candidates;
  }

  std::vector<Guess> column(TokenId output, std::span<const Candidate> candidates, const Tuning& with) const {
    std::vector<Guess> result;
    std::vector<std::uint32_t> place(scene_.secrets.words.size(), kNone);
    const auto add = [&](std::uint32_t secret, double weight) {
      if (place[secret] == kNone) {
        place[secret] = static_cast<std::uint32_t>(result.size());
        result.push_back({secret, 0});
      }
      result[place[secret]].weight += weight;
    };
    double sum = 0;
    for (const Guess& guess : seen_[output]) sum += guess.weight;
    for (const Guess& guess : seen_[output]) add(guess.secret, guess.weight / sum * draws_[output]);
    const double nearest = candidates.front().distance;
    const auto weight = [&](const Candidate& candidate) {
      return scene_.secrets.prior[candidate.secret] *
             std::exp(-with.slope * std::max(0.0, candidate.distance - nearest));
    };
    sum = 0;
    for (const Candidate& candidate : candidates) sum += weight(candidate);
    for (const Candidate& candidate : candidates)
      add(candidate.secret, weight(candidate) / sum * with.pseudo_draws);
    return result;
  }

  static constexpr std::uint32_t kNone = ~0U;

  const AttackScene& scene_;
  std::vector<WordSpace::Near> near_;
  std::size_t each_;
  std::vector<std::uint32_t> likeliest_;
  std::vector<std::vector<Guess>> seen_;  ///< by output: π(w) times the draws of w that gave it
  std::vector<double> draws_;             ///< by output
};

}  // namespace

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
  scene.mechanism.privatize(drawn.outputs, drawn.outputs, bits);
  return drawn;
}

Result<Guesses> learn_posterior(const AttackScene& scene, std::size_t tuning_draws) {
  SOTTO_ASSIGN(auto near, scene.space.nearest_among(scene.secrets.words, kNearest,
                                                    scene.options.mechanism.resources.threads));
  Learner learner(scene, std::move(near));
  SOTTO_TRY(learner.look());
  return learner.guesses(learner.tune(tuning_draws));
}

}  // namespace sotto::audit

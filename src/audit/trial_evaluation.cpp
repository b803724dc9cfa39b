#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "audit/clopper_pearson.hpp"
#include "audit/evaluation.hpp"
#include "audit/event.hpp"
#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "random/bit_sources.hpp"
#include "random/continuous.hpp"

namespace sotto {
namespace {

constexpr std::size_t kTrialsAtOnce = 4096;
// In a large vocabulary most outputs are seen a few times or never; what the inversion says counts as so many
// draws.
constexpr double kPseudoDraws = 10;

std::unique_ptr<BitSource> bits_for(const AttackOptions& options, const char* purpose, std::size_t part) {
  if (!options.seed) return std::make_unique<OsBitSource>();
  return std::make_unique<ChaChaBitSource>(
      sha256(fmt::format("sotto attack {} {} {}", *options.seed, purpose, part)));
}

void draw(const Mechanism& mechanism, std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) {
  const std::unique_ptr<PendingTokens> pending = mechanism.make_pending();
  pending->add(in, bits);
  pending->resolve(out);
}

/// The posterior from `seen`, one guess for each secret that gave the output, and what the inversion says.
std::vector<Guess> posterior(const std::vector<Guess>& seen, double draws, std::span<const Guess> inversion) {
  double sum = 0;
  for (const Guess& guess : seen) sum += guess.weight;
  std::vector<Guess> column;
  for (const Guess& guess : seen) column.push_back({guess.secret, guess.weight / sum * draws});
  for (const Guess& guess : inversion) {
    const auto known = std::find_if(column.begin(), column.end(),
                                    [&](const Guess& other) { return other.secret == guess.secret; });
    if (known == column.end()) {
      column.push_back({guess.secret, kPseudoDraws * guess.weight});
    } else {
      known->weight += kPseudoDraws * guess.weight;
    }
  }
  return column;
}

/// The Bayes adversary that knows the mechanism from draws only.
Guesses learn(const AttackScene& scene, const Guesses& inversion) {
  const Secrets& secrets = scene.secrets;
  std::vector<Tally> tallies(secrets.words.size());
  parallel_for(tallies.size(), 1, thread_count(scene.options.resources.threads),
               [&](std::size_t begin, std::size_t end) {
                 std::vector<TokenId> outputs(scene.options.draws);
                 for (std::size_t i = begin; i < end; ++i) {
                   const auto bits = bits_for(scene.options, "learn", i);
                   outputs.assign(scene.options.draws, secrets.words[i]);
                   draw(scene.mechanism, outputs, outputs, *bits);
                   tallies[i] = Tally(outputs);
                 }
               });
  std::vector<std::vector<Guess>> columns(scene.model.size());
  std::vector<double> draws(scene.model.size());
  for (std::uint32_t i = 0; i < tallies.size(); ++i)
    for (const auto& [output, count] : tallies[i].counts()) {
      columns[output].push_back({i, secrets.prior[i] * static_cast<double>(count)});
      draws[output] += static_cast<double>(count);
    }
  for (TokenId output = 0; output < columns.size(); ++output)
    columns[output] = posterior(columns[output], draws[output], inversion.of(output));
  return Guesses(columns);
}

/// Draws places by given probabilities.
class PlaceSampler {
 public:
  explicit PlaceSampler(std::span<const double> probabilities) {
    double sum = 0;
    for (const double p : probabilities) cumulative_.push_back(sum += p);
  }
  std::uint32_t draw(BitSource& bits) const {
    const double point = open_uniform(bits) * cumulative_.back();
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), point);
    return static_cast<std::uint32_t>(
        std::min<std::size_t>(static_cast<std::size_t>(found - cumulative_.begin()), cumulative_.size() - 1));
  }

 private:
  std::vector<double> cumulative_;
};

/// Guesses for one output: the best one and a drawn one.
struct TwoGuesses {
  std::uint32_t best;
  std::uint32_t drawn;
};

TwoGuesses guess(std::span<const Guess> known, BitSource& bits) {
  double point = open_uniform(bits);
  for (const Guess& candidate : known)
    if ((point -= candidate.weight) < 0) return {known.front().secret, candidate.secret};
  return {known.front().secret, known.back().secret};
}

struct Hits {
  std::uint64_t best = 0;
  std::uint64_t drawn = 0;
};

class Trials {
 public:
  Trials(const AttackScene& scene, std::map<std::string, const Guesses*> adversaries)
      : scene_(scene), by_prior_(scene.secrets.prior), adversaries_(std::move(adversaries)) {}

  Evaluation run() {
    const auto bits = bits_for(scene_.options, "trials", 0);
    for (std::uint64_t left = scene_.options.trials; left > 0;) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, kTrialsAtOnce));
      add(count, *bits);
      left -= count;
    }
    return evaluate();
  }

 private:
  void add(std::size_t count, BitSource& bits) {
    const Secrets& secrets = scene_.secrets;
    std::vector<std::uint32_t> places(count);
    std::vector<TokenId> in(count);
    std::vector<TokenId> out(count);
    for (std::size_t i = 0; i < count; ++i) {
      places[i] = by_prior_.draw(bits);
      in[i] = secrets.words[places[i]];
    }
    draw(scene_.mechanism, in, out, bits);
    for (std::size_t i = 0; i < count; ++i) {
      const double distance = scene_.space.distance(in[i], out[i]);
      sum_ += distance;
      squares_ += distance * distance;
      changed_ += in[i] != out[i] ? 1U : 0U;
      for (const auto& [name, guesses] : adversaries_) {
        const TwoGuesses two = guess(guesses->of(out[i]), bits);
        Hits& hits = hits_[name];
        hits.best += two.best == places[i] ? 1U : 0U;
        hits.drawn += two.drawn == places[i] ? 1U : 0U;
      }
    }
  }

  Estimate share(std::uint64_t count) const {
    const double alpha = (1 - scene_.options.confidence) / 2;
    const std::uint64_t trials = scene_.options.trials;
    return {static_cast<double>(count) / static_cast<double>(trials), lower_bound(count, trials, alpha),
            upper_bound(count, trials, alpha)};
  }

  Evaluation evaluate() const {
    const auto n = static_cast<double>(scene_.options.trials);
    const double mean = sum_ / n;
    // Distances have no known law, so this interval is the normal approximation's.
    const double width = normal_deviations((1 - scene_.options.confidence) / 2) *
                         std::sqrt(std::max(0.0, squares_ / n - mean * mean) / n);
    Evaluation evaluation{{mean, std::max(0.0, mean - width), mean + width}, share(changed_), {}};
    for (const auto& [name, hits] : hits_)
      evaluation.scores[name] = {share(hits.best), share(scene_.options.trials - hits.drawn)};
    return evaluation;
  }

  const AttackScene& scene_;
  PlaceSampler by_prior_;
  std::map<std::string, const Guesses*> adversaries_;
  std::map<std::string, Hits> hits_;
  double sum_ = 0;
  double squares_ = 0;
  std::uint64_t changed_ = 0;
};

}  // namespace

Evaluation evaluate_by_trial(const AttackScene& scene, const FixedAdversaries& fixed, bool bayes) {
  std::map<std::string, const Guesses*> adversaries;
  for (const auto& [name, guesses] : fixed) adversaries.emplace(name, &guesses);
  std::optional<Guesses> learned;
  if (bayes) adversaries.emplace("bayes", &learned.emplace(learn(scene, fixed.at("inversion"))));
  return Trials(scene, std::move(adversaries)).run();
}

}  // namespace sotto

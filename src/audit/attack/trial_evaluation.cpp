#include <algorithm>
#include <cmath>
#include <optional>

#include "audit/attack/evaluation.hpp"
#include "audit/attack/learned_adversary.hpp"
#include "audit/distributions.hpp"
#include "audit/estimate.hpp"
#include "audit/falsify/event.hpp"
#include "random/continuous.hpp"

namespace sotto::audit {
namespace {

constexpr std::size_t kTrialsAtOnce = 4096;
constexpr std::size_t kTuningDraws = 20'000;

/// Guesses for one output: the best one and a drawn one.
struct TwoGuesses {
  std::uint32_t best;
  std::uint32_t drawn;
};

TwoGuesses guess(std::span<const Guess> known, BitSource& bits) {
  double point = random::open_uniform(bits);
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
      : scene_(scene), adversaries_(std::move(adversaries)) {}

  Result<Evaluation> run() {
    const auto bits = attack_bits(scene_.options, "trials", 0);
    for (std::uint64_t left = scene_.options.trials; left > 0;) {
      SOTTO_TRY(report_progress(scene_, scene_.secrets.words.size()));
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, kTrialsAtOnce));
      add(count, *bits);
      left -= count;
    }
    return evaluate();
  }

 private:
  void add(std::size_t count, BitSource& bits) {
    const DrawnSecrets drawn = draw_secrets(scene_, count, bits);
    for (std::size_t i = 0; i < count; ++i) {
      const TokenId word = scene_.secrets.words[drawn.secrets[i]];
      const TokenId output = drawn.outputs[i];
      const double distance = scene_.space.distance(word, output);
      sum_ += distance;
      squares_ += distance * distance;
      changed_ += word != output ? 1U : 0U;
      for (const auto& [name, guesses] : adversaries_) {
        const TwoGuesses two = guess(guesses->of(output), bits);
        Hits& hits = hits_[name];
        hits.best += two.best == drawn.secrets[i] ? 1U : 0U;
        hits.drawn += two.drawn == drawn.secrets[i] ? 1U : 0U;
      }
    }
  }

  Estimate share(std::uint64_t count) const {
    return share_of_trials(count, scene_.options.trials, scene_.options.confidence);
  }

  Evaluation evaluate() const {
    const auto n = static_cast<double>(scene_.options.trials);
    const double mean = sum_ / n;
    // Distances have no known law, so this interval uses the normal approximation.
    const double width = normal_quantile((1 - scene_.options.confidence) / 2) *
                         std::sqrt(std::max(0.0, squares_ / n - mean * mean) / n);
    Evaluation evaluation{{mean, std::max(0.0, mean - width), mean + width}, share(changed_), {}};
    for (const auto& [name, hits] : hits_)
      evaluation.scores[name] = {share(hits.best), share(scene_.options.trials - hits.drawn)};
    return evaluation;
  }

  const AttackScene& scene_;
  std::map<std::string, const Guesses*> adversaries_;
  std::map<std::string, Hits> hits_;
  double sum_ = 0;
  double squares_ = 0;
  std::uint64_t changed_ = 0;
};

}  // namespace

Result<Evaluation> evaluate_by_trial(const AttackScene& scene, const FixedAdversaries& fixed, bool bayes) {
  std::map<std::string, const Guesses*> adversaries;
  for (const auto& [name, guesses] : fixed) adversaries.emplace(name, &guesses);
  std::optional<Guesses> learned;
  if (bayes) {
    SOTTO_ASSIGN(const auto near,
                 nearest_secrets(scene.space, scene.secrets, scene.options.mechanism.resources.threads));
    SOTTO_ASSIGN(const LearnedAdversary adversary, LearnedAdversary::learn(scene, near, kTuningDraws));
    learned = adversary.guesses();
    adversaries.emplace("bayes", &*learned);
  }
  return Trials(scene, std::move(adversaries)).run();
}

}  // namespace sotto::audit

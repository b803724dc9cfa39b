#include <algorithm>

#include "audit/attack/evaluation.hpp"
#include "audit/attack/joint_sums.hpp"
#include "audit/estimate.hpp"
#include "base/parallel.hpp"

namespace sotto::audit {
namespace {

/// Where a secret is guessed: the output, the weight there, and whether it is the best guess.
struct Occurrence {
  TokenId output;
  double weight;
  bool best;
};

std::vector<std::vector<Occurrence>> by_secret(const Guesses& guesses, std::size_t secrets,
                                               std::size_t outputs) {
  std::vector<std::vector<Occurrence>> occurrences(secrets);
  for (TokenId output = 0; output < outputs; ++output) {
    bool best = true;
    for (const Guess& guess : guesses.of(output)) {
      occurrences[guess.secret].push_back({output, guess.weight, best});
      best = false;
    }
  }
  return occurrences;
}

/// The probability that an adversary is right: with its best guess, and with a drawn one.
struct Guessed {
  double best = 0;
  double drawn = 0;
};

/// What one secret's row contributes to the figures.
struct Share {
  double distance = 0;
  double stays = 0;
  std::vector<Guessed> guessed;  ///< by adversary
};

class ExactEvaluation {
 public:
  ExactEvaluation(const AttackScene& scene, const FixedAdversaries& fixed)
      : scene_(scene),
        fixed_(fixed),
        threads_(base::thread_count(scene.options.mechanism.resources.threads)),
        joint_(scene.model.size()),
        shares_(scene.secrets.words.size()),
        rows_(JointSums::kRowsAtOnce) {
    for (const auto& [name, guesses] : fixed)
      occurrences_.push_back(by_secret(guesses, shares_.size(), scene.model.size()));
  }

  Result<Evaluation> run(bool bayes) {
    for (std::size_t first = 0; first < shares_.size(); first += rows_.size()) {
      SOTTO_TRY(report_progress(scene_, first));
      const std::size_t count = std::min(rows_.size(), shares_.size() - first);
      base::parallel_for(count, 1, threads_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) shares_[first + i] = share_of(first + i, rows_[i]);
      });
      if (bayes) joint_.add(std::span(scene_.secrets.prior).subspan(first, count), rows_, threads_);
    }
    Evaluation evaluation = sum_up();
    if (bayes)
      evaluation.scores["bayes"] = {exactly(joint_.best_guess_success()), exactly(joint_.inference_error())};
    return evaluation;
  }

 private:
  Share share_of(std::size_t secret, std::vector<double>& row) const {
    const TokenId word = scene_.secrets.words[secret];
    std::vector<double> distances(scene_.model.size());
    row = scene_.mechanism.row(word);
    scene_.space.distances(word, distances);
    Share share;
    share.stays = row[word];
    for (std::size_t y = 0; y < row.size(); ++y) share.distance += row[y] * distances[y];
    for (const auto& adversary : occurrences_) {
      Guessed& guessed = share.guessed.emplace_back();
      for (const Occurrence& occurrence : adversary[secret]) {
        guessed.best += occurrence.best ? row[occurrence.output] : 0;
        guessed.drawn += occurrence.weight * row[occurrence.output];
      }
    }
    return share;
  }

  Evaluation sum_up() const {
    Share sum;
    sum.guessed.resize(fixed_.size());
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const double prior = scene_.secrets.prior[i];
      sum.distance += prior * shares_[i].distance;
      sum.stays += prior * shares_[i].stays;
      for (std::size_t a = 0; a < sum.guessed.size(); ++a) {
        sum.guessed[a].best += prior * shares_[i].guessed[a].best;
        sum.guessed[a].drawn += prior * shares_[i].guessed[a].drawn;
      }
    }
    Evaluation evaluation{exactly(sum.distance), exactly(1 - sum.stays), {}};
    std::size_t a = 0;
    for (const auto& [name, guesses] : fixed_) {
      evaluation.scores[name] = {exactly(sum.guessed[a].best), exactly(1 - sum.guessed[a].drawn)};
      ++a;
    }
    return evaluation;
  }

  const AttackScene& scene_;
  const FixedAdversaries& fixed_;
  unsigned threads_;
  JointSums joint_;
  std::vector<Share> shares_;
  std::vector<std::vector<double>> rows_;
  std::vector<std::vector<std::vector<Occurrence>>> occurrences_;  ///< by adversary and secret
};

}  // namespace

Result<Evaluation> evaluate_exactly(const AttackScene& scene, const FixedAdversaries& fixed, bool bayes) {
  return ExactEvaluation(scene, fixed).run(bayes);
}

}  // namespace sotto::audit

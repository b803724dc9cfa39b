#include "evaluate/classifiers/network_training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "base/work_meter.hpp"
#include "random/bit_sources.hpp"
#include "random/integer_samplers.hpp"

namespace sotto::evaluate {
namespace {

// Batches whose texts are sorted by length together. With few, lengths within a batch differ; with many, the
// same texts meet in every epoch.
constexpr std::size_t kBatchesTogether = 32;

template <class T>
void shuffle(std::span<T> items, BitSource& bits) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[random::uniform_below(bits, i)]);
}

/// How well a network does; `loss` breaks ties of `score`.
struct Standing {
  double score = -std::numeric_limits<double>::infinity();
  double loss = std::numeric_limits<double>::infinity();

  bool better_than(const Standing& other) const {
    return score > other.score || (score == other.score && loss < other.loss);
  }
};

Standing standing_of_values(std::span<const float> answers, std::span<const float> targets) {
  double squares = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) squares += std::pow(answers[i] - targets[i], 2.0);
  squares /= static_cast<double>(targets.size());
  return {-squares, squares};
}

Standing standing_of_classes(std::span<const float> answers, std::span<const float> targets) {
  const std::size_t classes = answers.size() / targets.size();
  Standing standing{0, 0};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto row = answers.subspan(i * classes, classes);
    const auto wanted = static_cast<std::size_t>(targets[i]);
    const auto guess = std::max_element(row.begin(), row.end()) - row.begin();
    standing.score += static_cast<std::size_t>(guess) == wanted ? 1 : 0;
    standing.loss -= std::log(std::max(row[wanted], std::numeric_limits<float>::min()));
  }
  standing.score /= static_cast<double>(targets.size());
  standing.loss /= static_cast<double>(targets.size());
  return standing;
}

Result<Standing> standing_of(const lm::TrainableNetwork& network, const NetworkTexts& texts, TaskKind kind) {
  std::vector<float> answers(texts.texts.size() * network.outputs());
  SOTTO_TRY(network.answer(texts.input(), answers));
  return kind == TaskKind::regression ? standing_of_values(answers, texts.targets)
                                      : standing_of_classes(answers, texts.targets);
}

class Training {
 public:
  Training(lm::TrainableNetwork& network, const NetworkTexts& train, const TrainingPlan& plan,
           const ProgressCallback& progress)
      : network_(network),
        train_(train),
        plan_(plan),
        progress_(progress),
        bits_(random::key_from_seed(plan.seed)) {
    for (std::size_t i = 0; i < train.texts.size(); ++i)
      lengths_.push_back(static_cast<std::uint32_t>(
          train.texts[i].ids.size() + (train.partners.empty() ? 0 : train.partners[i].ids.size())));
    steps_ = plan.epochs * ((train.texts.size() + plan.batch - 1) / plan.batch);
  }

  /// Runs one epoch; returns the mean loss.
  Result<double> epoch(std::uint32_t number) {
    double loss = 0;
    for (const std::vector<std::uint32_t>& members : plan_epoch(lengths_, plan_.batch, bits_)) {
      SOTTO_ASSIGN(const double mean, network_.learn(train_.input(), members, train_.targets,
                                                     learning_rate_at(plan_, step_, steps_)));
      if (!std::isfinite(mean))
        return fail(Errc::limit, fmt::format("training failed in epoch {}: the loss is not a number; give a "
                                             "learning_rate below {}",
                                             number, plan_.learning_rate));
      loss += mean * static_cast<double>(members.size());
      ++step_;
      SOTTO_TRY(base::report_progress(progress_, step_, steps_));
    }
    return loss / static_cast<double>(train_.texts.size());
  }

 private:
  lm::TrainableNetwork& network_;
  const NetworkTexts& train_;
  const TrainingPlan& plan_;
  const ProgressCallback& progress_;
  random::ChaChaBitSource bits_;
  std::vector<std::uint32_t> lengths_;
  std::uint64_t steps_ = 0;
  std::uint64_t step_ = 0;
};

}  // namespace

double learning_rate_at(const TrainingPlan& plan, std::uint64_t step, std::uint64_t steps) {
  const auto all = static_cast<double>(steps);
  const double rising = std::floor(plan.warm_up * all);
  const auto now = static_cast<double>(step);
  if (now < rising) return plan.learning_rate * (now + 1) / (rising + 1);
  if (!plan.decays) return plan.learning_rate;
  return plan.learning_rate * (all - now) / (all - rising);
}

std::vector<std::uint32_t> random_order(std::size_t count, BitSource& bits) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  shuffle(std::span(order), bits);
  return order;
}

std::vector<std::vector<std::uint32_t>> plan_epoch(std::span<const std::uint32_t> lengths,
                                                   std::uint32_t batch, BitSource& bits) {
  std::vector<std::uint32_t> order = random_order(lengths.size(), bits);
  std::vector<std::vector<std::uint32_t>> batches;
  for (std::size_t begin = 0; begin < order.size(); begin += batch * kBatchesTogether) {
    const std::size_t end = std::min(order.size(), begin + batch * kBatchesTogether);
    const auto chunk = std::span(order).subspan(begin, end - begin);
    std::stable_sort(chunk.begin(), chunk.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return lengths[a] < lengths[b]; });
    for (std::size_t at = 0; at < chunk.size(); at += batch) {
      const auto members = chunk.subspan(at, std::min<std::size_t>(batch, chunk.size() - at));
      batches.emplace_back(members.begin(), members.end());
    }
  }
  shuffle(std::span(batches), bits);
  return batches;
}

Result<std::vector<EpochReport>> train_network(lm::TrainableNetwork& network, const NetworkTexts& train,
                                               const NetworkTexts& validation, const TrainingPlan& plan,
                                               const ProgressCallback& progress) {
  Training training(network, train, plan, progress);
  std::vector<EpochReport> reports;
  Standing best;
  std::uint32_t best_epoch = 0;
  for (std::uint32_t epoch = 1; epoch <= plan.epochs; ++epoch) {
    EpochReport report{.epoch = epoch};
    SOTTO_ASSIGN(report.loss, training.epoch(epoch));
    if (validation.texts.empty()) {
      reports.push_back(report);
      continue;
    }
    SOTTO_ASSIGN(const Standing standing, standing_of(network, validation, plan.kind));
    report.validation_score = standing.score;
    reports.push_back(report);
    if (standing.better_than(best)) {
      best = standing;
      best_epoch = epoch;
      SOTTO_TRY(network.keep());
    } else if (plan.patience > 0 && epoch - best_epoch >= plan.patience) {
      break;
    }
  }
  if (best_epoch > 0) {
    reports[best_epoch - 1].best = true;
    SOTTO_TRY(network.recall());
  } else {
    reports.back().best = true;
  }
  return reports;
}

}  // namespace sotto::evaluate

// Trains a network of any kind: epochs of shuffled batches, a learning rate that may rise and fall, and the
// weights of the epoch that did best on held-out texts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <sotto/bit_source.hpp>
#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "evaluate/classifiers/classifier.hpp"
#include "lm/trainable_network.hpp"

namespace sotto::evaluate {

/// Texts as a network reads them, and the expected answers.
struct NetworkTexts {
  std::vector<lm::Sequence> texts;
  std::vector<lm::Sequence> partners;  ///< second texts, for a network that reads pairs separately
  std::vector<float> targets;          ///< class numbers or values

  lm::NetworkInput input() const { return {texts, partners}; }
};

struct TrainingPlan {
  TaskKind kind = TaskKind::classification;
  std::uint32_t epochs = 30;
  std::uint32_t patience = 3;  ///< stop after this many epochs without a new best; 0: never
  std::uint32_t batch = 64;
  double learning_rate = 1e-3;
  double warm_up = 0;   ///< share of the steps of all epochs in which the rate rises from 0
  bool decays = false;  ///< then the rate falls to 0 at the last step
  std::uint64_t seed = 0;
};

/// The rate at a step out of `steps`, counted from 0.
double learning_rate_at(const TrainingPlan& plan, std::uint64_t step, std::uint64_t steps);

/// The batches of one epoch: indices of texts of these lengths, each once. They are shuffled, but texts of
/// similar length are batched together, because padding costs as much as text.
std::vector<std::vector<std::uint32_t>> plan_epoch(std::span<const std::uint32_t> lengths,
                                                   std::uint32_t batch, BitSource& bits);

/// Shuffles 0, …, count − 1.
std::vector<std::uint32_t> random_order(std::size_t count, BitSource& bits);

/// Trains, and leaves the network with the weights of the best epoch (without validation texts: the last).
/// Best is the highest accuracy or, for values, the smallest squared error; ties in accuracy go to the
/// smaller cross-entropy. Returns a report per epoch. `progress` receives steps and does not anticipate early
/// stopping; returning false ends training with Errc::interrupted.
Result<std::vector<EpochReport>> train_network(lm::TrainableNetwork& network, const NetworkTexts& train,
                                               const NetworkTexts& validation, const TrainingPlan& plan,
                                               const ProgressCallback& progress);

}  // namespace sotto::evaluate

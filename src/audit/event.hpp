// Events: sets of outputs that are likelier for one input than for another.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <sotto/black_box.hpp>

#include "audit/target.hpp"

namespace sotto {

/// How often each output came, by ascending id.
class Tally {
 public:
  Tally() = default;
  explicit Tally(std::span<const OutputId> outputs);

  std::uint64_t draws() const { return draws_; }
  const std::vector<std::pair<OutputId, std::uint64_t>>& counts() const { return counts_; }
  /// How many draws fell into `event`, which ascends.
  std::uint64_t count(std::span<const OutputId> event) const;

 private:
  std::uint64_t draws_ = 0;
  std::vector<std::pair<OutputId, std::uint64_t>> counts_;
};

struct ChosenEvent {
  std::vector<OutputId> outputs;  ///< ascending; empty: none looked promising
  double score = 0;               ///< estimated lower bound on the loss, for ranking
};

/// The event for which a lower bound on ln(P(event|first) / P(event|second)) promises to be largest: single
/// outputs, and sets of the outputs of greatest estimated ratio. The bounds used for choosing are Wilson's,
/// at `deviations` standard deviations: a choice needs no exact ones. Only outputs that `covers` allows.
ChosenEvent choose_event(const Tally& first, const Tally& second, const std::function<bool(OutputId)>& covers,
                         double deviations);

/// The same among sets {y : lean[y] <= t} of words of the vocabulary, `lean` having a value for each. Where
/// outputs seldom repeat, counts of single ones say little, but how far they lean to one side does.
ChosenEvent choose_side(const Tally& first, const Tally& second, std::span<const double> lean,
                        const std::function<bool(OutputId)>& covers, double deviations);

/// Counts the event on draws that had no part in choosing it, and bounds the loss from below; both bounds at
/// level `alpha`.
void test_event(const ChosenEvent& event, const Tally& first, const Tally& second, double alpha,
                PairFinding& finding);

/// How many standard deviations a normal variable exceeds with probability `alpha`.
double normal_deviations(double alpha);

}  // namespace sotto

// Events: sets of outputs that are more likely for one input than for another.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sotto/black_box.hpp>

#include "audit/falsify/target.hpp"

namespace sotto::audit {

/// How often each output occurred, by ascending id.
class Tally {
 public:
  Tally() = default;
  explicit Tally(std::span<const OutputId> outputs);

  std::uint64_t draws() const { return draws_; }
  const std::vector<std::pair<OutputId, std::uint64_t>>& counts() const { return counts_; }
  /// How many draws fell into `event`, which is ascending.
  std::uint64_t count(std::span<const OutputId> event) const;

 private:
  std::uint64_t draws_ = 0;
  std::vector<std::pair<OutputId, std::uint64_t>> counts_;
};

struct ChosenEvent {
  std::vector<OutputId> outputs;  ///< ascending; empty: none looked promising
  double score = 0;               ///< estimated lower bound on the loss, for ranking
};

/// The event with the most promising lower bound on ln(P(event|first) / P(event|second)): single outputs, and
/// sets of the outputs with the greatest estimated ratio. The bounds used for choosing are Wilson's, at
/// `deviations` standard deviations: a choice needs no exact ones. Only outputs that `covers` allows.
ChosenEvent choose_event(const Tally& first, const Tally& second, const std::function<bool(OutputId)>& covers,
                         double deviations);

/// The same among sets {y : lean[y] <= t} of words of the vocabulary; `lean` has a value per word. Where
/// outputs seldom repeat, counts of single ones say little, but how far they lean to one side does.
ChosenEvent choose_side(const Tally& first, const Tally& second, std::span<const double> lean,
                        const std::function<bool(OutputId)>& covers, double deviations);

/// Counts the event on draws that were not used to choose it, and bounds the loss from below; both bounds are
/// at level `alpha`. The finding shows some of the event's outputs by name.
void test_event(const ChosenEvent& event, const std::function<std::string(OutputId)>& name,
                const Tally& first, const Tally& second, double alpha, PairFinding& finding);

}  // namespace sotto::audit

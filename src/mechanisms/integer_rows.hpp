// What a mechanism is certified from: the integers it samples, in its own representation. A mechanism shows
// them to a visitor, so that a certifier needs to know the representations, which are few, and not the
// mechanisms.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "mechanisms/exponential_weights.hpp"

namespace sotto::mechanism {

class ListChoice;
class Selection;

/// Rows over all words, with weights given by selection.rule() as a function of the distances; the guarantee
/// is in terms of min(d, limit).
struct MetricRows {
  const Selection& selection;
  double limit;
};

/// On each list, chosen uniformly, place j has weight near[|i − j|], or `far` beyond those, for an input at
/// place i. The guarantee is in terms of min(|i − j|, limit), the largest over the lists.
struct PlaceRows {
  const ListChoice& lists;
  const IndexWeights& weights;
  double limit;
};

/// On each list, chosen uniformly, the place moves by two-sided geometric noise with rate ε, drawn exactly,
/// and is clamped to the list. The guarantee is in terms of the largest distance over the lists.
struct GeometricRows {
  const ListChoice& lists;
  double epsilon;
};

/// One row of PureRows: weights for some words, and one for all others, 0 if they are impossible.
struct PureRow {
  std::span<const TokenId> words;             ///< without repetition
  std::span<const std::uint64_t> cumulative;  ///< the cumulative weights of `words`
  std::uint64_t rest;
  std::uint64_t total;
};

/// The guarantee is pure, between the inputs of each group. All inputs of a group have the same possible
/// words, and each of these is listed in some row.
struct PureRows {
  std::vector<std::vector<TokenId>> groups;
  std::function<PureRow(TokenId)> row;  ///< refers to the mechanism
};

/// Called with what the mechanism samples; references are valid as long as the mechanism lives.
class RowVisitor {
 public:
  virtual ~RowVisitor() = default;
  virtual Result<void> visit(const MetricRows& rows) = 0;
  virtual Result<void> visit(const PlaceRows& rows) = 0;
  virtual Result<void> visit(const GeometricRows& rows) = 0;
  virtual Result<void> visit(const PureRows& rows) = 0;
};

/// A mechanism that samples integers.
class IntegerMechanism : public Mechanism {
 public:
  /// Shows them to `visitor`. Refuses, with the reason, if the mechanism or its parameters leave the loss
  /// without a bound.
  virtual Result<void> show_rows(RowVisitor& visitor) const = 0;
};

/// Shows the integers that `mechanism` samples to `visitor`. Refuses, with the reason, if there is no exact
/// certificate. Thread-safe for different visitors.
Result<void> show_rows(const Mechanism& mechanism, RowVisitor& visitor);

}  // namespace sotto::mechanism

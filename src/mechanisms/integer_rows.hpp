// What a mechanism is certified from: the integers that it samples, in the form in which it has them. A
// mechanism shows them to a visitor (Mechanism::show_rows), so that whoever certifies needs to know the
// forms, which are few, and not the mechanisms.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <sotto/model.hpp>

#include "mechanisms/exponential_weights.hpp"
#include "mechanisms/list_choice.hpp"
#include "mechanisms/selection.hpp"

namespace sotto {

/// Rows over all words whose weights are selection.rule()'s function of the distances; the promise is in
/// min(d, limit).
struct MetricRows {
  const Selection& selection;
  double limit;
};

/// On each list, chosen uniformly, place j has weight near[|i − j|], or far beyond, for the input at place i.
/// The promise is in min(|i − j|, limit), the largest over the lists.
struct PlaceRows {
  const ListChoice& lists;
  const IndexWeights& weights;
  double limit;
};

/// On each list, chosen uniformly, the place moves by two-sided geometric noise with rate ε, drawn exactly,
/// and is clamped to the list. The promise is in the largest distance over the lists.
struct GeometricRows {
  const ListChoice& lists;
  double epsilon;
};

/// One row of PureRows: weights for some words, and one weight for each of the others, 0 if they cannot come
/// out.
struct PureRow {
  std::span<const TokenId> words;             ///< each once
  std::span<const std::uint64_t> cumulative;  ///< the sum of the weights up to each of `words`
  std::uint64_t rest;
  std::uint64_t total;
};

/// The promise is pure, between the inputs of each group. All inputs of a group can give the same words, and
/// each of these is listed in some row.
struct PureRows {
  std::vector<std::vector<TokenId>> groups;
  std::function<PureRow(TokenId)> row;  ///< refers to the mechanism
};

/// Called with what the mechanism samples; references are good while the mechanism lives.
class RowVisitor {
 public:
  virtual ~RowVisitor() = default;
  virtual Result<void> visit(const MetricRows& rows) = 0;
  virtual Result<void> visit(const PlaceRows& rows) = 0;
  virtual Result<void> visit(const GeometricRows& rows) = 0;
  virtual Result<void> visit(const PureRows& rows) = 0;
};

}  // namespace sotto

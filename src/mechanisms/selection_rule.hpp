// How a row's integer weights follow from the distances: the exponential mechanism, or permute-and-flip.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <sotto/mechanism.hpp>
#include <sotto/result.hpp>

#include "mechanisms/weights.hpp"

namespace sotto {

/// Weights of the outcomes of one row: never below kSmallestWeight, in all less than 2^63, equal for equal
/// distances. Immutable, so safe to share between threads.
class SelectionRule {
 public:
  virtual ~SelectionRule() = default;

  /// What the weights of a row depend on beside the single distances; `squared` are all of them.
  virtual std::vector<double> prepare(std::span<const std::int64_t> squared) const = 0;

  /// How many values prepare() gives at most.
  virtual std::size_t state_size() const = 0;

  /// The weights of some outcomes of the row that `state` was prepared for.
  virtual void weights(std::span<const double> state, std::span<const std::int64_t> squared,
                       std::span<std::uint64_t> out) const = 0;

  /// What the weights of every row add up to before they are rounded down, up to their own errors; 0: that
  /// depends on the row.
  virtual double total() const { return 0; }

  /// The row of exact arithmetic for these exponents (½ε times the distance), in double precision: for
  /// reports, not for sampling.
  virtual std::vector<double> probabilities(std::span<const double> exponents) const = 0;

  /// Whether the loss, as the output varies, lies in an interval of length ε·d rather than 2·ε·d.
  virtual bool bounded_range() const = 0;
};

/// The parameter `selection`.
ParameterInfo selection_parameter();

enum class SelectionKind { exponential, permute_and_flip };

/// The rule that the value of the parameter `selection` names.
Result<SelectionKind> parse_selection(std::string_view selection);

/// Bound on the relative error of a weight among `outcomes` before it is rounded down, as against exact
/// arithmetic with the exponents of DistanceWeights.
double weight_error(SelectionKind kind, std::size_t outcomes);

/// `weights` must have been made for that error.
std::unique_ptr<SelectionRule> make_selection_rule(SelectionKind kind, const DistanceWeights& weights);

}  // namespace sotto

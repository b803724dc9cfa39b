// Derives a row's integer weights from the distances: the exponential mechanism, or permute-and-flip.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <sotto/mechanism.hpp>
#include <sotto/result.hpp>

#include "mechanisms/weights.hpp"

namespace sotto::mechanism {

/// Weights of the outcomes of one row: at least kSmallestWeight, less than 2^63 in total, equal for equal
/// distances. Immutable, so safe to share between threads.
class SelectionRule {
 public:
  virtual ~SelectionRule() = default;

  /// What the weights of a row depend on besides the individual distances; `squared` holds all of them.
  virtual std::vector<double> prepare(std::span<const std::int64_t> squared) const = 0;

  /// The maximum number of values that prepare() returns.
  virtual std::size_t state_size() const = 0;

  /// The weights of some outcomes of the row that `state` was prepared for.
  virtual void weights(std::span<const double> state, std::span<const std::int64_t> squared,
                       std::span<std::uint64_t> out) const = 0;

  /// The sum of every row's weights before rounding down, up to their own errors; 0 if it depends on the row.
  virtual double total() const { return 0; }

  /// The row of exact arithmetic for these exponents (½ε times the distance), in double precision; for
  /// reports, not for sampling.
  virtual std::vector<double> probabilities(std::span<const double> exponents) const = 0;

  /// Whether the loss, as the output varies, lies in an interval of length ε·d rather than 2·ε·d.
  virtual bool bounded_range() const = 0;
};

/// The parameter `selection`.
ParameterInfo selection_parameter();

enum class SelectionKind { exponential, permute_and_flip };

/// The rule named by the value of the parameter `selection`.
Result<SelectionKind> parse_selection(std::string_view selection);

/// Bound on the relative error of a weight among `outcomes` before rounding down, compared with exact
/// arithmetic with the exponents of DistanceWeights.
double weight_error(SelectionKind kind, std::size_t outcomes);

/// `weights` must have been constructed for that error.
std::unique_ptr<SelectionRule> make_selection_rule(SelectionKind kind, const DistanceWeights& weights);

}  // namespace sotto::mechanism

// ε in whole billionths. Sums of integers are exact; any rounding is in the conservative direction.
#pragma once

#include <cstdint>

#include <sotto/ledger.hpp>

namespace sotto::privacy {

/// A positive finite number as digits · 10^exponent. A double represents the shortest decimal number that
/// reads back as it: what the user wrote and what a receipt prints.
struct Decimal {
  explicit Decimal(double value);
  std::uint64_t digits = 0;
  int exponent = 0;
};

inline constexpr NanoEpsilon kLargestAmount = INT64_MAX;

/// tokens · ε, rounded up; at most kLargestAmount.
NanoEpsilon charge_for(const Decimal& epsilon, std::uint64_t tokens);

/// A limit in ε, rounded down. At most kLargestLimit.
NanoEpsilon limit_amount(double limit);

/// The sum, at most kLargestAmount.
NanoEpsilon saturating_sum(NanoEpsilon a, NanoEpsilon b);

}  // namespace sotto::privacy

// What several releases guarantee together. Amounts in different units never add up.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// The joint guarantee of draws with the same unit and scope; every figure is rounded up.
struct ComposedLoss {
  PrivacyUnit unit;
  GuaranteeScope scope = GuaranteeScope::all_inputs;
  std::uint64_t draws = 0;
  /// For pure ε, the ε of all draws. In a metric unit, the loss between texts of equal adjacency is ε·Σd, so
  /// this is the loss if the word of each draw moves by a distance of 1.
  double epsilon = 0;
  double additive = 0;  ///< on top of `epsilon`, whatever the distances
  /// ρ of zero-concentrated differential privacy; in a metric unit, for a distance of 1 in each draw. Empty
  /// if some draw has none.
  std::optional<double> rho = 0.0;
  std::vector<SharedTrait> adjacency;  ///< what two texts must share: the traits of all draws together
};

/// Adds up draws, unit by unit. Not thread-safe: one thread at a time per object.
class Composition {
 public:
  /// Adds `draws` draws under this guarantee, each on a token of its own. A guarantee of kind none has
  /// nothing to add and is refused with the reason.
  SOTTO_API Result<void> add(const Guarantee& guarantee, std::uint64_t draws);

  /// One entry per unit and scope, in the order of their first draws.
  const std::vector<ComposedLoss>& losses() const { return losses_; }

 private:
  std::vector<ComposedLoss> losses_;
};

/// ρ of one draw under this guarantee, times d² in a metric unit: the mechanism's own if it has a better one,
/// otherwise ε²/2, which follows from ε alone. Empty if the guarantee has an additive term or leaves outputs
/// out: their probabilities are arbitrary, and so is the divergence. Thread-safe.
SOTTO_API std::optional<double> zcdp(const Guarantee& guarantee);

/// The smallest ε found such that ρ-zCDP implies (ε, δ)-differential privacy, rounded up; never above the
/// textbook ρ + 2·√(ρ·ln(1/δ)). `delta` must be strictly between 0 and 1, `rho` finite and not negative.
/// Thread-safe.
SOTTO_API Result<double> epsilon_for_delta(double rho, double delta);

}  // namespace sotto

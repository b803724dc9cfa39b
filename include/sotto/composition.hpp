// What several releases promise together. Amounts in different units never add up.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <sotto/guarantee.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// What draws of one unit and scope promise together; every figure is rounded up.
struct ComposedLoss {
  PrivacyUnit unit;
  GuaranteeScope scope = GuaranteeScope::all_inputs;
  std::uint64_t draws = 0;
  /// Pure ε: the ε of all draws. A metric unit: ε·Σd between texts of equal adjacency, so this is what is
  /// reached when each of the draws' words moves by a distance of 1.
  double epsilon = 0;
  double additive = 0;  ///< on top of `epsilon`, whatever the distances
  /// ρ of zero-concentrated differential privacy; in a metric unit for a distance of 1 in each draw. Empty
  /// where some draw has none.
  std::optional<double> rho = 0.0;
  std::vector<SharedTrait> adjacency;  ///< what two texts must share: that of all draws together
};

/// Adds up draws, unit by unit. Not thread-safe.
class Composition {
 public:
  /// `draws` draws under this guarantee, each on its own token. A guarantee of kind none has nothing to add
  /// and is refused with the reason.
  Result<void> add(const Guarantee& guarantee, std::uint64_t draws);

  /// One entry for each unit and scope, in the order of their first draws.
  const std::vector<ComposedLoss>& losses() const { return losses_; }

 private:
  std::vector<ComposedLoss> losses_;
};

/// ρ of one draw under this guarantee, times d² in a metric unit: its own where the mechanism has a better
/// one, otherwise ε²/2, which ε alone implies. Empty where the promise has an additive term or leaves outputs
/// out: their probability may be anything, and so may the divergence.
std::optional<double> zcdp(const Guarantee& guarantee);

/// The least ε found such that ρ-zCDP implies (ε, δ)-differential privacy, rounded up; never above the
/// textbook's ρ + 2·√(ρ·ln(1/δ)). `delta` must lie strictly between 0 and 1, `rho` must be finite and not
/// negative.
Result<double> epsilon_for_delta(double rho, double delta);

}  // namespace sotto

// The Vickrey algorithms as printed never return the input word. That option, and what it costs.
#pragma once

#include <array>
#include <span>

#include "mechanisms/noise/noise.hpp"

namespace sotto::mechanism {

/// A Vickrey mechanism chooses among candidates() words: the nearest of all words or, as printed, of all
/// words except the input.
class VickreyMechanism : public NoiseMechanism {
 public:
  static constexpr std::size_t kMostCandidates = 100;

  VickreyMechanism(std::shared_ptr<const NoiseSpace> space, double epsilon, std::size_t candidates,
                   bool exclude_input)
      : NoiseMechanism(std::move(space), epsilon), candidates_(candidates), exclude_input_(exclude_input) {}

  std::size_t neighbours() const final { return candidates_ + (exclude_input_ ? 1 : 0); }
  bool needs_coin() const final { return true; }
  TokenId choose(TokenId in, std::span<const embed::Neighbour> nearest, double coin) const final;
  Guarantee guarantee() const final;
  double distance(TokenId a, TokenId b) const final;

 protected:
  /// The rank of the chosen word among words at these distances, ascending, in the model's units; there is at
  /// least one, and fewer than candidates() only in a small vocabulary.
  virtual std::size_t choose_rank(std::span<const double> distances, double coin) const = 0;

 private:
  std::size_t candidates_;
  bool exclude_input_;
};

/// The parameter `exclude_input` and its value; true requires two words.
ParameterInfo exclude_input_parameter();
Result<bool> parse_exclude_input(const MechanismRequest& request);

}  // namespace sotto::mechanism

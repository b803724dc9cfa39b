// How well one output distinguishes two inputs: the loss that a certificate names as attained, recomputed
// from the integers that are sampled. It costs only two rows, so anyone quoting a certificate can afford it.
#pragma once

#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "mechanisms/loss/exact_loss.hpp"

namespace sotto::mechanism {

/// Two inputs, ⊥ allowed, and an output.
struct Witness {
  TokenId input = 0;  ///< more likely to give the output
  TokenId other = 0;
  TokenId output = 0;
};

struct PairLoss {
  double distance = 0;  ///< between the inputs, in the unit of the guarantee; 1 for pure ε
  double loss = 0;      ///< ln(P(output|input) / P(output|other)), rounded up
  Bounds per_distance;  ///< loss per unit of distance; bit-identical on every processor
};

/// Refuses a mechanism whose rows are not exact (see show_rows), ids that `model` does not have, inputs
/// without a guarantee between them or at distance 0, and an output impossible for one of them.
Result<PairLoss> pair_loss(const Mechanism& mechanism, const Model& model, const Witness& witness);

}  // namespace sotto::mechanism

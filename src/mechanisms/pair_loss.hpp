// What one output tells about two inputs: the loss that a certificate names as attained, recomputed from the
// integers that are sampled. It costs two rows, so whoever quotes a certificate can afford it.
#pragma once

#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "mechanisms/exact_loss.hpp"

namespace sotto {

/// Two inputs, ⊥ allowed, and an output.
struct Witness {
  TokenId input = 0;  ///< more likely to give the output
  TokenId other = 0;
  TokenId output = 0;
};

struct PairLoss {
  double distance = 0;  ///< of the inputs in the unit of the promise; 1 for pure ε
  double loss = 0;      ///< ln(P(output|input) / P(output|other)), rounded up
  Bounds per_distance;  ///< of the loss a unit of distance; the same bits on every processor
};

/// Refuses a mechanism whose rows are not exact (see Mechanism::show_rows), ids that `model` does not have,
/// inputs between which nothing is promised or whose distance is 0, and an output that one of them cannot
/// give.
Result<PairLoss> pair_loss(const Mechanism& mechanism, const Model& model, const Witness& witness);

}  // namespace sotto

// Drawn outputs of words, and what an adversary learns from them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <sotto/tune.hpp>

#include "evaluate/tuning/word_task.hpp"

namespace sotto::evaluate {

/// How often each output occurred, per secret. Different threads may fill different secrets.
class OutputTally {
 public:
  OutputTally(std::size_t secrets, std::uint64_t draws) : rows_(secrets), draws_(draws) {}

  /// Sets the outputs of one secret, one per draw; sorts them.
  void set(std::size_t secret, std::span<TokenId> outputs);

  struct Count {
    TokenId output;
    std::uint32_t count;
  };
  std::span<const Count> of(std::size_t secret) const { return rows_[secret]; }
  std::uint64_t draws() const { return draws_; }

 private:
  std::vector<std::vector<Count>> rows_;
  std::uint64_t draws_;
};

/// Fills the figures of `result` with estimates.
///
/// The adversary learns from all draws but the one it is shown, so that it is never tested on its training
/// data: for an output y that its secret w gave n times in R draws, a guess drawn from the posterior is right
/// with probability q / (q + Σ_{v ≠ w} π(v)·n_v), q = π(w)·(n − 1)·R / (R − 1). An output that no other draw
/// gave is guessed by the prior. Without this correction E_M would be too small, by about 1 / R where outputs
/// seldom repeat.
///
/// Intervals: draws of different secrets are independent, so the variance of a figure T is Σ_w Var_{y ~
/// f(·|w)}(∂T/∂f(y|w)) / R (the delta method); it replaces p(1 − p)/n in Wilson's formula, which also keeps
/// an interval from collapsing where no draw showed a difference.
void estimate_figures(const WordTask& task, const OutputTally& tally, double confidence, TradeOff& result);

}  // namespace sotto::evaluate

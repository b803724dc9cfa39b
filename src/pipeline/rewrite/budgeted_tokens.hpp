// Tokens with different ε: one batch per ε, and outputs in token order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "mechanisms/mechanism_bank.hpp"

namespace sotto::pipeline {

/// Like PendingTokens, with an ε per token. Documents of equal length have the same ε, so the batches of
/// short documents fill up; a long document fills its own batches. Not thread-safe.
class BudgetedTokens {
 public:
  /// `bank` must outlive this object. `good_batch` is that of its mechanisms.
  BudgetedTokens(mechanism::MechanismBank& bank, std::size_t good_batch);

  /// Draws all randomness of these tokens, in order; token i has epsilons[i]. An ε that the mechanism refuses
  /// is an error, and then nothing is drawn.
  Result<void> add(std::span<const TokenId> in, std::span<const double> epsilons, BitSource& bits);

  /// Whether to resolve now: the batches are large enough, or there are too many of them.
  bool is_full() const;

  /// The outputs of all tokens since the last call, in insertion order; empties the batches.
  void resolve(std::span<TokenId> out);

  /// Discards everything added.
  void clear();

 private:
  /// The tokens of one ε.
  struct Batch {
    std::shared_ptr<const Mechanism> mechanism;
    std::unique_ptr<PendingTokens> pending;
    std::size_t size = 0;
    std::vector<TokenId> outputs;
    std::size_t taken = 0;
  };
  /// Consecutive tokens of one batch.
  struct Run {
    std::size_t batch;
    std::size_t size;
  };

  Result<std::size_t> find_batch(double epsilon);

  mechanism::MechanismBank& bank_;
  std::size_t good_batch_;
  std::vector<Batch> batches_;
  std::unordered_map<double, std::size_t> places_;  // batch indices by ε
  std::vector<Run> runs_;
  std::size_t size_ = 0;
};

}  // namespace sotto::pipeline
